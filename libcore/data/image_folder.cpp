#include "data/image_folder.hpp"

#include <algorithm>

#include "support/directories.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "text/unicode/unicode_properties.hpp"

namespace headwater {
namespace {

constexpr std::uint64_t kMaxImageFileBytes = std::uint64_t{1} << 28;
constexpr int kMaxFolderDepth = 64;
constexpr std::int64_t kSmallImagePixels = std::int64_t{1} << 21;

bool is_hidden_name(const fs::path& path) { return path.filename().native().starts_with('.'); }

std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::error_code fault;
  std::vector<fs::path> paths = list_folder(folder, fault);
  if (fault) fail_io(folder, "cannot read the folder", fault.value());
  std::erase_if(paths, is_hidden_name);
  std::sort(paths.begin(), paths.end(),
            [](const fs::path& a, const fs::path& b) { return a.native() < b.native(); });
  return paths;
}

void add_image_files(const fs::path& folder, int depth, std::vector<fs::path>& found) {
  if (depth > kMaxFolderDepth) {
    throw Error(shown(folder) + ": folders in folders beyond " + std::to_string(kMaxFolderDepth) +
                " (name a folder further down)");
  }
  for (const fs::path& path : sorted_entries(folder)) {
    if (!fs::is_symlink(path) && fs::is_directory(path)) {
      add_image_files(path, depth + 1, found);
    } else if (is_image_name(path)) {
      found.push_back(path);
    }
  }
}

}  // namespace

bool is_image_name(const fs::path& path) {
  std::string ending = path.extension().string();
  for (char& c : ending) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return ending == ".png" || ending == ".jpg" || ending == ".jpeg";
}

LabelledImageFile parse_image_line(std::string_view line) {
  const std::size_t tab = line.find('\t');
  const std::string_view label = tab == std::string_view::npos ? "" : trimmed(line.substr(tab + 1));
  if (tab == 0 || label.empty() || label.find('\t') != std::string_view::npos)
    throw Error("not a path, a TAB and a label");
  return {fs::path(line.substr(0, tab)), std::string(label)};
}

ImageFolder read_image_folder(const fs::path& folder) {
  ImageFolder found;
  for (const fs::path& label : sorted_entries(folder)) {
    if (!fs::is_directory(label)) {
      ++found.others;
      continue;
    }
    found.labels.push_back(label.filename().string());
    for (const fs::path& path : sorted_entries(label)) {
      if (is_image_name(path)) {
        found.files.push_back({path, found.labels.back()});
      } else {
        ++found.others;
      }
    }
  }
  if (!found.files.empty()) return found;
  throw Error(shown(folder) + ": no images (they stand in folders of it that are their labels: " +
              shown(folder / "cat" / "1.png") + ")");
}

std::vector<fs::path> find_image_files(const fs::path& folder) {
  std::vector<fs::path> found;
  add_image_files(folder, 0, found);
  return found;
}

void convert_channels(DecodedImage& image, std::int64_t channels, const std::string& where) {
  if (image.shape.channels == channels) return;
  std::vector<std::uint8_t> pixels;
  if (image.shape.channels == 1) {
    pixels.reserve(image.pixels.size() * static_cast<std::size_t>(channels));
    for (const std::uint8_t grey : image.pixels)
      pixels.insert(pixels.end(), static_cast<std::size_t>(channels), grey);
  } else if (channels == 1) {
    for (std::size_t at = 0; at + 3 <= image.pixels.size(); at += 3) {
      const int brightness = 299 * image.pixels[at] + 587 * image.pixels[at + 1] + 114 * image.pixels[at + 2];
      pixels.push_back(static_cast<std::uint8_t>((brightness + 500) / 1000));
    }
  } else {
    throw Error(where + ": an image of " + std::to_string(image.shape.channels) + " channels, " +
                std::to_string(channels) + " are read (only grey and red, green, blue are converted)");
  }
  image.pixels = std::move(pixels);
  image.shape.channels = channels;
}

ImageHeader ImageFileReader::read_header(const fs::path& path) const {
  return read_image_header(read_file(path, kMaxImageFileBytes), shown(path), reading_);
}

void ImageFileReader::read(const fs::path& path, const std::function<void(DecodedImage&)>& use) const {
  const std::string where = shown(path);
  const std::string bytes = read_file(path, kMaxImageFileBytes);
  const ImageShape shape = read_image_header(bytes, where, reading_).shape;
  std::unique_lock lock(large_, std::defer_lock);
  if (shape.height * shape.width > kSmallImagePixels) lock.lock();
  DecodedImage image = decode_image(bytes, where, reading_);
  ++images_;
  if (image.is_transparent) ++transparent_;
  if (image.orientation != 1) ++oriented_;
  use(image);
}

}  // namespace headwater
