// Images to labels with a model of images.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "data/image_folder.hpp"
#include "families/vision/directory.hpp"
#include "tensor/arena.hpp"
#include "tensor/matrix.hpp"

namespace headwater {

// Images of a data set and of files go the same way, the one of validation. Any grouping of images into calls
// gives the same bits.
class ImageLabeller {
 public:
  // resizes_files: of images in files with other sides than the model's the bytes are resized first, as
  // vectorize --resize does it, whatever model.resizing says.
  explicit ImageLabeller(const LoadedVisionModel& model, bool resizes_files = false);

  // The probability of each label (in the order of model.labels), file by file: [files, labels], valid, and
  // the caller's to change, until the next call. Throws LineError for the first file that is no image, or
  // whose image is none that the model reads, or gets no finite numbers.
  Matrix of_files(std::span<const std::filesystem::path> files);
  // The same of these images of a data set whose shape `pipeline` was made for.
  Matrix of_images(const ImageDataset& images, const ImagePipeline& pipeline, std::int64_t begin,
                   std::int64_t end);

  // The reader, which counts the files that were labelled.
  const ImageFileReader& files() const { return reader_; }

 private:
  // Writes what the model reads of image i.
  using Prepare = std::function<void(std::int64_t i, std::span<Real> out)>;
  Matrix label(std::int64_t images, const Prepare& prepare);
  void run(std::int64_t begin, std::int64_t end, const Prepare& prepare);
  void prepare_file(const std::filesystem::path& path, std::span<Real> out) const;
  // Turns the image into one that a pipeline takes.
  ImagePipeline fitted(DecodedImage& image) const;

  const LoadedVisionModel& model_;
  bool resizes_files_;
  ImageFileReader reader_;
  Arena arena_;
  ImageBatch batch_;
  std::vector<Real> numbers_;  // of the images of the batch
  std::vector<Real> probabilities_;
};

}  // namespace headwater
