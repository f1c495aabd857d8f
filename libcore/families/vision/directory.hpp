// A model that gives images a label, whose names are in its directory.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "data/image_dataset.hpp"
#include "data/image_pipeline.hpp"
#include "data/labels.hpp"
#include "families/family.hpp"
#include "families/model_directory.hpp"
#include "families/vision/image_processor.hpp"
#include "families/vision/model.hpp"

namespace headwater {

// Everything that giving labels to images needs.
struct LoadedVisionModel {
  std::filesystem::path files;  // the folder that was read: the directory itself or a checkpoint
  LabelSet labels;
  ChannelStatistics statistics;  // of the training images, where the model standardizes them
  std::unique_ptr<VisionModel> model;
  ImageReading reading{};          // of files, as the training images were read
  bool gives_many_labels = false;  // each with a probability of its own
};

// `path` as for load_translator. Throws Error naming the file, and what does not fit; also where the
// directory holds another kind of model.
LoadedVisionModel load_vision_model(const std::filesystem::path& path);
LoadedVisionModel load_vision_model(const ModelFolder& folder);
// How the model has image files read; of a published one also what makes them fit. Throws Error naming the
// file.
ImageProcessing image_processing(const ModelFolder& folder);

// The model section of a recipe with these settings.
ModelSection model_section(const VisionSettings& settings);

// config.json, and back (without the parameters' memory). `reading`: none where the training images do not
// say it. Throws Error "where: what".
Json config_of(const VisionModel& model, const LabelSet& labels, const ChannelStatistics& statistics,
               const std::optional<ImageReading>& reading);
std::unique_ptr<VisionModel> vision_model_of_config(const Json& config, const std::string& where,
                                                    const std::optional<PublishedResize>& resize = {});

// The settings of the images that the model reads.
ImageDatasetSettings image_settings(const VisionSettings& settings);

// What makes these images what the model reads. Throws Error "where: what".
ImagePipeline image_pipeline(const VisionSettings& settings, const ChannelStatistics& statistics,
                             const ImageDataset& images, std::string_view where);

// Batches of images.
class ImagePacker {
 public:
  explicit ImagePacker(const VisionSettings& settings) : settings_(settings) {}
  // Appends an image with its label; `draws` as of ImagePipeline::apply.
  void add(const ImagePipeline& pipeline, const ImageDataset& images, std::int64_t example,
           const ImageDraws* draws, ImageBatch& batch);
  void finish(ImageBatch& batch, const BatchPart& part) const {
    batch.finish(settings_.grid(), settings_.has_class_token(), part);
  }

 private:
  VisionSettings settings_;
  ImagePipeline::Scratch scratch_;
};

}  // namespace headwater
