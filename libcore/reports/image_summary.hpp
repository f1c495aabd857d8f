// What a data set of images is made of: how many, their shape, channels and labels.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/image_dataset.hpp"
#include "data/image_pipeline.hpp"
#include "reports/picture.hpp"
#include "support/json.hpp"

namespace headwater {

class ImageSummary {
 public:
  // Reads every pixel. `images` must outlive the result.
  explicit ImageSummary(const ImageDataset& images);

  // A table of sizes, one of the labels with their images, and what makes one doubt the set: labels without
  // images.
  std::string text() const;
  Json json() const;

 private:
  std::string warning() const;  // "" where there is none

  const ImageDataset& images_;
  std::vector<std::int64_t> counts_;  // by label
  ChannelStatistics statistics_;
};

inline constexpr std::int64_t kSheetGap = 4;  // white pixels between the images of a sheet
// The first images of each label, a row for a label, in their order; what is missing is white. Throws Error
// where the picture would be too large.
Picture contact_sheet(const ImageDataset& images, std::int64_t samples);

// An image as training reads it in its first epochs: at the left without what is random, then under the draws
// of this seed, so many, row by row. The pipeline has a shape of `out`. `example`: the image's number.
struct DrawnImage {
  std::uint64_t seed = 0;
  std::int64_t example = 0, draws = 16;
};
Picture augmentation_sheet(const ImageDataset& images, const ImagePipeline& pipeline, const ImageShape& out,
                           const DrawnImage& drawn);

}  // namespace headwater
