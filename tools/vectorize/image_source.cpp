#include "tools/vectorize/image_source.hpp"

#include <fstream>

#include "support/error.hpp"

namespace headwater::vectorize {
namespace {

void check_one(const ImageOptions& o, const std::string& what) {
  if (o.images.size() > 1)
    throw UsageError(what + " comes alone, not with " + shown(o.images[1]) + " (run the program for each)");
}

// Two zero bytes, which no list of paths begins with.
bool begins_like_idx(const fs::path& path) {
  std::error_code fault;
  if (!fs::is_regular_file(path, fault)) return false;
  char bytes[2] = {1, 1};
  std::ifstream(path, std::ios::binary).read(bytes, 2);
  return bytes[0] == 0 && bytes[1] == 0;
}

}  // namespace

std::unique_ptr<ImageSource> open_images(const ImageOptions& o) {
  const fs::path& first = o.images.front();
  std::error_code fault;
  const bool is_folder = fs::is_directory(first, fault);
  const bool is_cifar = first.extension() == ".bin" && !is_folder && o.labels.empty();
  const bool is_idx = !o.labels.empty() || (!is_folder && !is_cifar && begins_like_idx(first));
  if (o.height > 0 && (is_cifar || is_idx))
    throw UsageError("--resize goes with folders and lists of images only (these have one size)");
  if (o.chooses_reading && (is_cifar || is_idx))
    throw UsageError(
        "--background and --apply-orientation go with folders and lists of images only (these have pixels "
        "alone)");
  if (is_folder && !o.labels.empty())
    throw Error("--image-labels is of an IDX file, " + shown(first) +
                " is a folder (whose folders are the labels of their images)");
  if (is_cifar) return open_cifar(o);
  if (is_idx) {
    if (o.labels.empty())
      throw UsageError("--images " + shown(first) + ": an IDX file needs --image-labels FILE");
    check_one(o, "an IDX file");
    return open_idx(o);
  }
  check_one(o, is_folder ? "a folder of images" : "a list of images");
  return is_folder ? open_image_folder(o) : open_image_list(o);
}

}  // namespace headwater::vectorize
