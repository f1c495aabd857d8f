// Files of images in folders, found by the ends of their names and in the order of their bytes.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "data/image_file.hpp"

namespace headwater {

// .png, .jpg and .jpeg, in capitals too.
bool is_image_name(const std::filesystem::path& path);

struct LabelledImageFile {
  std::filesystem::path path;
  std::string label;
};

// A line of a list of images: a path, a TAB and a label, white space around which is no part of it. Throws
// Error "what".
LabelledImageFile parse_image_line(std::string_view line);

// A folder whose folders are labels, with images in each; what begins with a dot is passed over.
struct ImageFolder {
  std::vector<LabelledImageFile> files;  // label by label
  std::vector<std::string> labels;       // also of folders without images
  std::int64_t others = 0;               // files that are no images, or stand beside the labels
};
// Throws Error "folder: what (fix)"; also where there are no images.
ImageFolder read_image_folder(const std::filesystem::path& folder);

// All images in a folder and the folders below it, but for those that begin with a dot and for links to
// folders. May be empty. Throws Error "folder: what".
std::vector<std::filesystem::path> find_image_files(const std::filesystem::path& folder);

// How many files were read.
struct ImageFileCounts {
  std::int64_t images = 0, transparent = 0;
  std::int64_t oriented = 0;  // their tags of orientation say that they are to be turned
  std::int64_t resized = 0;   // to the sides that a model reads
};

// From several threads at once: images of many pixels are decoded and used one after the other, so that
// memory does not grow with the threads.
class ImageFileReader {
 public:
  explicit ImageFileReader(const ImageReading& reading = {}) : reading_(reading) {}

  const ImageReading& reading() const { return reading_; }
  // What decode_image would give of the file. Throws Error "path: what (fix)".
  ImageHeader read_header(const std::filesystem::path& path) const;
  // use(image) of what the file holds. Throws what that throws, and Error "path: what (fix)".
  void read(const std::filesystem::path& path, const std::function<void(DecodedImage&)>& use) const;
  // What read() has read so far.
  ImageFileCounts counts() const { return {images_, transparent_, oriented_, resized_}; }
  // One of them became an image of other sides. From any thread.
  void count_resized() const { ++resized_; }

 private:
  ImageReading reading_;
  mutable std::mutex large_;
  mutable std::atomic<std::int64_t> images_ = 0, transparent_ = 0, oriented_ = 0, resized_ = 0;
};

// Grey becomes three equal channels, colours become grey by their brightness as ITU-R BT.601 weighs it;
// `where` is the image's place. Throws Error "where: what" for other channels.
void convert_channels(DecodedImage& image, std::int64_t channels, const std::string& where);

}  // namespace headwater
