#include "data/image_folder.hpp"
#include "error_text.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <unistd.h>

using namespace headwater;
namespace fs = std::filesystem;

namespace {

// Removed with everything in it.
struct ImageTestFolder {
  fs::path path =
      fs::temp_directory_path() / ("headwater-image-folder-" + std::to_string(static_cast<long>(::getpid())));
  ImageTestFolder() { fs::create_directories(path); }
  ~ImageTestFolder() { fs::remove_all(path); }
  void add(const std::string& name, const std::string& bytes = "") const {
    fs::create_directories((path / name).parent_path());
    std::ofstream(path / name, std::ios::binary) << bytes;
  }
};

std::vector<std::string> names_of(const std::vector<fs::path>& paths, const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::path& path : paths) names.push_back(path.lexically_relative(folder).string());
  return names;
}

const std::vector<std::uint8_t> kSixBytes = {0, 10, 20, 200, 100, 50};

}  // namespace

TEST_CASE("png: what is encoded is decoded equal, and the same bytes come again") {
  for (const std::int64_t channels : {1, 3}) {
    const ImageShape shape{.height = 2, .width = 3, .channels = channels};
    std::vector<std::uint8_t> pixels;
    for (std::int64_t i = 0; i < shape.bytes(); ++i) pixels.push_back(static_cast<std::uint8_t>(251 * i));
    const std::string file = encode_png(shape, pixels);
    const DecodedImage image = decode_image(file, "it");
    CHECK(image.shape == shape);
    CHECK(image.pixels == pixels);
    CHECK(encode_png(shape, pixels) == file);
  }
  CHECK(error_text([] { encode_png({.height = 2, .width = 2, .channels = 1}, kSixBytes); }) ==
        "png: 6 bytes for an image of 2x2x1");
  CHECK(error_text([] { encode_png({.height = 1, .width = 3, .channels = 2}, kSixBytes); }) ==
        "png: 6 bytes for an image of 1x3x2");
  CHECK(error_text([] { encode_png({.height = 0, .width = 3, .channels = 1}, {}); }) ==
        "png: 0 bytes for an image of 0x3x1");
}

TEST_CASE("image folder: labels and their images in order; what is none is counted") {
  const ImageTestFolder folder;
  CHECK(error_text([&] { read_image_folder(folder.path); }).find("no images") != std::string::npos);
  for (const char* const name :
       {"dog/b.JPG", "dog/a.png", "dog/notes.txt", "cat/1.jpeg", "cat/.2.png", "top.png"})
    folder.add(name);
  fs::create_directory(folder.path / "fox");
  const ImageFolder found = read_image_folder(folder.path);
  CHECK(found.labels == std::vector<std::string>{"cat", "dog", "fox"});
  CHECK(found.others == 2);
  std::vector<std::string> files;
  for (const LabelledImageFile& file : found.files)
    files.push_back(file.label + " " + file.path.filename().string());
  CHECK(files == std::vector<std::string>{"cat 1.jpeg", "dog a.png", "dog b.JPG"});
}

TEST_CASE("image folder: all images below it, links to folders left out") {
  const ImageTestFolder folder;
  for (const char* const name : {"b/c/1.png", "b/0.png", "a.jpg", ".hidden/2.png", "b/text"})
    folder.add(name);
  fs::create_directory_symlink("..", folder.path / "b" / "up");
  CHECK(names_of(find_image_files(folder.path), folder.path) ==
        std::vector<std::string>{"a.jpg", "b/0.png", "b/c/1.png"});
  CHECK(error_text([&] { find_image_files(folder.path / "none"); }).find("cannot read the folder") !=
        std::string::npos);
  std::string deep;
  for (int i = 0; i < 66; ++i) deep += "d/";
  folder.add(deep + "1.png");
  CHECK(error_text([&] { find_image_files(folder.path); }).find("folders in folders beyond 64") !=
        std::string::npos);
}

TEST_CASE("image folder: grey becomes colours and colours grey") {
  const DecodedImage colors{.shape = {.height = 1, .width = 2, .channels = 3}, .pixels = kSixBytes};
  const DecodedImage grey{.shape = {.height = 2, .width = 3, .channels = 1}, .pixels = kSixBytes};
  const auto converted = [](DecodedImage image, std::int64_t channels) {
    convert_channels(image, channels, "it");
    return image;
  };
  CHECK(converted(colors, 3).pixels == kSixBytes);
  // 0.299 red + 0.587 green + 0.114 blue
  CHECK(converted(colors, 1).pixels == std::vector<std::uint8_t>{8, 124});
  CHECK(converted(grey, 1).pixels == kSixBytes);
  const DecodedImage copied = converted(grey, 3);
  CHECK(copied.shape == ImageShape{.height = 2, .width = 3, .channels = 3});
  CHECK(std::vector<std::uint8_t>(copied.pixels.begin(), copied.pixels.begin() + 6) ==
        std::vector<std::uint8_t>{0, 0, 0, 10, 10, 10});
  CHECK(error_text([&] { converted(colors, 4); }).find("3 channels, 4 are read") != std::string::npos);
}

TEST_CASE("image folder: a reader counts what it read") {
  const ImageTestFolder folder;
  const std::filesystem::path corpus = std::filesystem::path(HEADWATER_SOURCE_DIR) / "tests/fuzz/corpus";
  folder.add("grey.png", encode_png({.height = 2, .width = 3, .channels = 1}, kSixBytes));
  const ImageFileReader reader({.applies_orientation = true});
  CHECK(reader.read_header(corpus / "jpeg/good_orientation").shape == ImageShape{16, 8, 3});
  CHECK(reader.counts().images == 0);
  for (const auto& path :
       {folder.path / "grey.png", corpus / "jpeg/good_orientation", corpus / "png/good_rgba"})
    reader.read(path, [](const DecodedImage&) {});
  CHECK(reader.counts().images == 3);
  CHECK(reader.counts().transparent == 1);
  CHECK(reader.counts().oriented == 1);
  CHECK(error_text([&] {
          reader.read(folder.path / "none.png", [](const DecodedImage&) {});
        }).find("cannot open") != std::string::npos);
}
