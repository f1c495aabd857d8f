// Images with one label each: a data set of images to learn from, the labels' names in the directory.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "data/image_dataset.hpp"
#include "models/vision.hpp"
#include "tasks/classification.hpp"
#include "tasks/objective.hpp"
#include "tasks/task.hpp"

namespace headwater {

// Everything that giving labels to images needs.
struct VisionFiles {
  std::filesystem::path files;  // the folder that was read: the directory itself or a checkpoint
  LabelSet labels;
  ChannelStatistics statistics;  // of the training images, where the model standardizes them
  std::unique_ptr<VisionModel> model;
  ImageReading reading{};  // of files, as the training images were read
};

// `path` as for load_translation_model. Throws Error naming the file, and what does not fit; also where the
// directory holds another kind of model.
VisionFiles load_vision_model(const std::filesystem::path& path);

// The model section of a recipe with these settings.
ModelSection model_section(const VisionSettings& settings);

// config.json, and back (without the parameters' memory). `reading`: none where the training images do not
// say it. Throws Error "where: what".
Json config_of(const VisionModel& model, const LabelSet& labels, const ChannelStatistics& statistics,
               const std::optional<ImageReading>& reading);
std::unique_ptr<VisionModel> vision_model_of_config(const Json& config, const std::string& where);

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

// What training images are drawn from, and what they are standardized by.
struct ImagePreparation {
  std::uint64_t seed = 0;
  ChannelStatistics statistics;
};

class VisionObjective : public Objective {
 public:
  // Takes ImageDatasets.
  // `class_weights` as of ClassificationObjective.
  VisionObjective(VisionModel& model, Subset train, Subset validation, double label_smoothing,
                  std::vector<Real> class_weights = {}, const ImagePreparation& preparation = {});

  Parameters& parameters() override { return model_.parameters(); }
  std::int64_t width() const override { return model_.settings().transformer.width; }
  std::size_t examples(Split split) const override { return of(split).count(); }
  std::int64_t tokens(Split split, std::span<const std::uint32_t> chosen) const override;
  std::string data_hash() const override;
  void begin_epoch(std::int64_t epoch) override { epoch_ = epoch; }
  void prepare(Split split, std::span<const std::uint32_t> chosen, const BatchPart& part,
               BatchSlot slot) override;
  LossTotals loss(const ForwardContext& context, Split split, BatchSlot slot) override;
  std::span<const std::string_view> figure_names() const override { return measure_.figure_names(); }
  void begin_validation() override { measure_.clear(); }
  void finish_validation(ValidationFigures& figures) override { measure_.finish(figures); }

 private:
  const Subset& of(Split split) const { return split == Split::train ? train_ : validation_; }
  struct Slot {
    explicit Slot(const VisionSettings& settings) : packer(settings) {}
    ImagePacker packer;
    ImageBatch batch;
    double loss_scale = 0;  // one over the global batch's images: the loss is their mean
  };
  Slot& slot_of(BatchSlot slot) { return slots_[slot == BatchSlot::first ? 0 : 1]; }

  VisionModel& model_;
  Subset train_, validation_;
  double label_smoothing_;
  std::vector<Real> class_weights_;
  std::uint64_t seed_;
  std::int64_t epoch_ = 0;
  std::optional<ImagePipeline> train_pipeline_, validation_pipeline_;  // none: no images
  LabelMeasure measure_;                                               // of the running validation
  Slot slots_[2];  // reused: a step after the largest allocates nothing
};

}  // namespace headwater
