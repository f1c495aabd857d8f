#include "data/image_dataset.hpp"
#include "error_text.hpp"
#include "scratch_directory.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

#include "support/files.hpp"
#include "write_image_dataset.hpp"

using namespace headwater;

namespace {

// Three images of 2x1x2, whose labels are 1, 0 and 2.
struct Parts {
  std::string pixels = "abcdefghijkl";
  Dtype pixel_type = Dtype::u8;
  std::vector<std::int64_t> shape{3, 2, 1, 2};
  std::vector<std::int64_t> labels{1, 0, 2};
  Metadata metadata = {};
  std::string images_name = "images", labels_name = "labels";

  std::string bytes() const {
    return to_safetensors(
        {{images_name, pixel_type, shape, pixels},
         {labels_name,
          Dtype::i64,
          {static_cast<std::int64_t>(labels.size())},
          {reinterpret_cast<const char*>(labels.data()), labels.size() * sizeof(std::int64_t)}}},
        metadata);
  }
};

ImageDataset read(const std::string& bytes, const ImageDatasetSettings& settings = {}) {
  ImageDataset dataset(settings);
  dataset.add(Safetensors(bytes, "f"));
  dataset.finish("f", false);
  return dataset;
}

std::string fault(const Parts& parts, const ImageDatasetSettings& settings = {}) {
  return error_text([&] { read(parts.bytes(), settings); });
}

std::string text(std::span<const std::uint8_t> pixels) { return {pixels.begin(), pixels.end()}; }

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("images and labels are read from a file") {
  const ScratchDirectory folder;
  const Parts parts;
  write_file(folder / "set", parts.bytes());
  ImageDataset dataset({.shape = {.height = 2, .width = 1, .channels = 2}, .classes = 3});
  CHECK(!dataset.reads_lines());
  dataset.add_file(folder / "set");
  dataset.finish("set", false);
  REQUIRE(dataset.examples() == 3);
  CHECK(dataset.shape().text() == "2x1x2");
  CHECK(text(dataset.pixels(0)) == "abcd");
  CHECK(text(dataset.pixels(2)) == "ijkl");
  CHECK(dataset.label(0) == 1);
  CHECK(dataset.label(2) == 2);
  CHECK(dataset.label_names() == Names{"0", "1", "2"});
  CHECK(error_text([&] { dataset.add_file(folder / "set"); }) ==
        (folder / "set").string() + ": a second file of images (put all images into one)");
}

TEST_CASE("labels have the names of the file, else numbers up to the number of classes") {
  CHECK(read({Parts{.metadata = {{"labels", R"(["cat","dog","gnu","höst"])"}}}.bytes()}).label_names() ==
        Names{"cat", "dog", "gnu", "höst"});
  CHECK(read(Parts{}.bytes(), {.shape = {}, .classes = 4}).label_names() == Names{"0", "1", "2", "3"});
}

TEST_CASE("what is written is read") {
  const std::vector<std::int64_t> labels{4, 0};
  const Names names{"a", "b", "c", "d", "e \"quoted\""};
  const std::string pixels = "abcdef";
  std::string bytes;
  write_image_dataset({.shape = {.height = 1, .width = 3, .channels = 1},
                       .pixels = {reinterpret_cast<const std::uint8_t*>(pixels.data()), pixels.size()},
                       .labels = labels,
                       .label_names = names},
                      [&](std::string_view piece) { bytes += piece; });
  const ImageDataset dataset = read(bytes);
  CHECK(dataset.examples() == 2);
  CHECK(text(dataset.pixels(1)) == "def");
  CHECK(dataset.label(0) == 4);
  CHECK(dataset.label_names() == names);
}

TEST_CASE("names that reading refuses are not written") {
  const auto said = [](const Names& names) {
    return error_text([&] {
      write_image_dataset({.shape = {.height = 1, .width = 1, .channels = 1},
                           .pixels = {},
                           .labels = {},
                           .label_names = names},
                          [](std::string_view) {});
    });
  };
  CHECK(said({"a", "b\x01"}) == "the name \"b\\x01\" is empty or has control characters");
  CHECK(said({"a", "\x7F"}) == "the name \"\\x7f\" is empty or has control characters");
  CHECK(said({"a", ""}) == "the name \"\" is empty or has control characters");
  CHECK(said({"a", "a"}) == "the name \"a\" stands twice");
}

TEST_CASE("how files were read is kept, and compared where it shows") {
  const std::string pixels = "abc";
  const std::vector<std::int64_t> labels{0};
  const auto set = [&](const std::optional<ImageSetReading>& reading) {
    std::string bytes;
    write_image_dataset({.shape = {.height = 1, .width = 3, .channels = 1},
                         .pixels = {reinterpret_cast<const std::uint8_t*>(pixels.data()), pixels.size()},
                         .labels = labels,
                         .label_names = {},
                         .reading = reading},
                        [&](std::string_view piece) { bytes += piece; });
    return bytes;
  };
  const ImageReading on_white{.background = background_of("white")};
  const ImageReading turned{.background = background_of("white"), .applies_orientation = true};
  const ImageDataset plain = read(set({}));
  CHECK_FALSE(plain.reading().has_value());
  const std::string bytes =
      set(ImageSetReading{.reading = turned, .has_transparency = true, .has_orientation = true});
  const ImageDataset both = read(bytes);
  REQUIRE(both.reading().has_value());
  CHECK(both.reading()->reading == turned);
  CHECK(both.reading()->has_transparency);
  CHECK(both.reading()->has_orientation);
  const auto said = [](const ImageDataset& dataset, const ImageReading& wanted) {
    return error_text([&] { dataset.check_reading(wanted, "f", "those of training"); });
  };
  CHECK(said(plain, turned) == "(no error)");
  CHECK(said(both, turned) == "(no error)");
  CHECK(said(both, {.applies_orientation = true}) ==
        "f: its transparent images lie on white, those of training are without their transparency (make it "
        "with "
        "vectorize --background drop)");
  CHECK(
      said(both, on_white) ==
      "f: its images are turned as their tags of orientation say, those of training are not (make it without "
      "vectorize --apply-orientation)");
  const std::string opaque = set(ImageSetReading{.reading = on_white});
  CHECK(said(read(opaque), {}) == "(no error)");
  CHECK(said(read(opaque), {.applies_orientation = true}) == "(no error)");
  CHECK(fault({.metadata = {{"reading", R"({"background":"blue"})"}}})
            .starts_with("f: metadata \"reading\": "));
  CHECK(fault({.metadata = {{"reading", "[]"}}}).starts_with("f: metadata \"reading\": "));
}

TEST_CASE("the hash names shape, pixels and labels") {
  const auto hash = [](const Parts& parts) { return read(parts.bytes()).hash(); };
  const std::string plain = hash({});
  CHECK(plain.size() == 32);
  CHECK(hash({}) == plain);
  CHECK(hash({.metadata = {{"labels", R"(["x","y","z"])"}}}) == plain);
  CHECK(hash({.pixels = "abcdefghijkL"}) != plain);
  CHECK(hash({.shape = {3, 1, 2, 2}}) != plain);
  CHECK(hash({.labels = {1, 0, 1}}) != plain);
}

TEST_CASE("a file of other tensors is refused") {
  CHECK(fault({.images_name = "pictures"}) ==
        "f: tensor \"images\" is missing (vectorize --images makes files of images)");
  CHECK(fault({.labels_name = "classes"}) ==
        "f: tensor \"labels\" is missing (vectorize --images makes files of images)");
  CHECK(fault({.pixels = std::string(48, 'x'), .pixel_type = Dtype::f32}) ==
        "f: tensor \"images\" is F32 [3, 2, 1, 2] instead of U8 [N, H, W, C] (vectorize --images makes files "
        "of "
        "images)");
  CHECK(fault({.shape = {3, 2, 2}}).starts_with("f: tensor \"images\" is U8 [3, 2, 2] instead of"));
  CHECK(fault({.labels = {1, 0}}) == "f: 2 labels for 3 images (each image has one)");
  CHECK(fault({.pixels = "", .shape = {0, 2, 1, 2}, .labels = {}}) ==
        "f: holds 0 images, not 1 .. 4294967295");
  CHECK(fault({.pixels = "", .shape = {3, 2, 0, 2}}) == "f: tensor \"images\": width 0 is not in 1 .. 8192");
  CHECK(fault({.pixels = std::string(8193, 'x'), .shape = {1, 8193, 1, 1}, .labels = {0}}) ==
        "f: tensor \"images\": height 8193 is not in 1 .. 8192");
  CHECK(fault({.pixels = std::string(17, 'x'), .shape = {1, 1, 1, 17}, .labels = {0}}) ==
        "f: tensor \"images\": channels 17 is not in 1 .. 16");
  CHECK(error_text([] { ImageDataset().finish("train", false); }) ==
        "train: no images (name a file of vectorize --images)");
}

TEST_CASE("a file that does not fit the model is refused") {
  const ImageDatasetSettings tall{.shape = {.height = 4, .width = 0, .channels = 0}, .classes = 0};
  CHECK(fault({}, tall) ==
        "f: images have the height 2, the model reads 4 (convert the images, or change the model)");
  CHECK(fault({}, {.shape = {}, .classes = 2}) ==
        "f: tensor \"labels\": image 2 (from 0) has the label 2, not one of 0 .. 1");
  CHECK(fault({.metadata = {{"labels", R"(["x","y","z"])"}}}, {.shape = {}, .classes = 4}) ==
        "f: names 3 labels, the model has 4 classes (make a test set by vectorize --images with --labels "
        "TRAIN, the training set or a model of it, whose labels it is given; to train on it leave "
        "model.classes out)");
}

TEST_CASE("labels and their names are checked") {
  CHECK(fault({.labels = {1, -1, 2}}) ==
        "f: tensor \"labels\": image 1 (from 0) has the label -1, not one of 0 .. 65535");
  CHECK(fault({.labels = {1, 65536, 2}}).ends_with("label 65536, not one of 0 .. 65535"));
  const auto named = [](const std::string& names) { return fault({.metadata = {{"labels", names}}}); };
  CHECK(named(R"(["x","y"])") == "f: tensor \"labels\": image 2 (from 0) has the label 2, not one of 0 .. 1");
  CHECK(named("{}") == "f: metadata \"labels\": is no array of strings");
  CHECK(named("[1,2,3]") == "f: metadata \"labels\": is no array of strings");
  CHECK(named("[]") == "f: metadata \"labels\": 0 names, not 1 .. 65536");
  CHECK(named(R"(["x","y","x"])") == "f: metadata \"labels\": the name \"x\" stands twice");
  CHECK(named(R"(["x","","z"])") ==
        "f: metadata \"labels\": the name \"\" is empty or has control characters");
  CHECK(named("[\"x\",\"y\\n\",\"z\"]").ends_with("is empty or has control characters"));
  CHECK(named("[\"x\"").starts_with("f: metadata \"labels\":1:"));
  CHECK(named("[\"" + std::string((1 << 24) + 1, 'x') + "\"]") ==
        "f: metadata \"labels\": longer than 16777216 bytes");
}
