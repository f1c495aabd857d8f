#include "tools/vectorize/image_source.hpp"

#include "support/error.hpp"

namespace headwater::vectorize {

std::unique_ptr<ImageSource> open_images(const ImageOptions& o) {
  const fs::path& first = o.images.front();
  if (first.extension() == ".bin" && o.labels.empty()) return open_cifar(o);
  if (o.labels.empty()) throw UsageError("--images needs --image-labels FILE, the labels of the images");
  if (o.images.size() > 1) throw UsageError("--image-labels goes with one file of images");
  return open_idx(o);
}

}  // namespace headwater::vectorize
