// Image layers against Keras: reference/keras/image-layers.safetensors (resizing, standardization) and
// reference/keras/image-augmentation.safetensors (flips, rotations, zooms and crops for given random
// numbers); and antialiased resizing against Pillow: reference/pillow/resize.json.
#include "data/image_pipeline.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "data/resize.hpp"
#include "reference_folder.hpp"
#include "support/files.hpp"
#include "support/json.hpp"
#include "write_image_dataset.hpp"

using namespace headwater;

namespace {

struct Images {
  ImageShape shape;
  std::vector<std::vector<float>> images;
};

Images images_of(const TensorView& tensor) {
  Images out{.shape = {.height = tensor.shape[1], .width = tensor.shape[2], .channels = tensor.shape[3]},
             .images = {}};
  const std::vector<float> all = read_floats(tensor);
  const auto size = static_cast<std::ptrdiff_t>(out.shape.bytes());
  for (auto at = all.begin(); at != all.end(); at += size) out.images.emplace_back(at, at + size);
  return out;
}

// What `change(image, i, out)` makes of the inputs, and the file's outputs of this name.
using Change = std::function<void(std::span<const float>, std::size_t, std::span<float>)>;
void check_outputs(const Safetensors& file, const std::string& name, double tolerance, const Change& change) {
  INFO(name);
  const Images inputs = images_of(file.at("inputs/images")), outputs = images_of(file.at("outputs/" + name));
  REQUIRE(inputs.images.size() == outputs.images.size());
  for (std::size_t i = 0; i < inputs.images.size(); ++i) {
    std::vector<float> out(outputs.images[i].size());
    change(inputs.images[i], i, out);
    const Distance d = distance({out.data(), 1, static_cast<Index>(out.size())}, outputs.images[i]);
    INFO("image ", i, " at ", d.at);
    CHECK(d.absolute <= tolerance);
  }
}

Safetensors reference(const std::string& name) { return Safetensors(reference_path("keras/" + name)); }
// Random changes for given numbers.
Safetensors augmentation() { return made_here("keras/image-augmentation.safetensors"); }

struct Way {
  std::string name;
  Fill fill;
};

std::vector<Way> ways() {
  std::vector<Way> out;
  const std::pair<std::string, FillMode> modes[] = {{"reflect", FillMode::reflect},
                                                    {"constant", FillMode::constant},
                                                    {"wrap", FillMode::wrap},
                                                    {"nearest", FillMode::nearest}};
  for (const auto& [name, mode] : modes) {
    out.push_back({name + "_bilinear", {mode, 0.3f, Interpolation::bilinear}});
    out.push_back({name + "_nearest", {mode, 0.3f, Interpolation::nearest}});
  }
  return out;
}

}  // namespace

TEST_CASE("bilinear resizing to larger and smaller images is Keras'") {
  const Safetensors file = reference("image-layers.safetensors");
  const ImageShape from = images_of(file.at("inputs/images")).shape;
  std::size_t sizes = 0;
  for (const TensorView& tensor : file.tensors()) {
    const std::string prefix = "outputs/resize_bilinear_";
    if (!tensor.name.starts_with(prefix)) continue;
    ++sizes;
    const BilinearResize resize(from, tensor.shape[1], tensor.shape[2]);
    check_outputs(file, tensor.name.substr(8), 1e-4,
                  [&](auto in, std::size_t, auto out) { resize(in, out); });
  }
  CHECK(sizes > 0);
}

TEST_CASE("antialiased resizing gives the bytes of Pillow, with every filter") {
  const fs::path path = path_made_here("pillow/resize.json");
  const Json file = Json::parse(read_file(path), path.string());
  const auto bytes_of = [](const Json& numbers) {
    std::vector<std::uint8_t> bytes;
    for (const Json& number : numbers.as_array())
      bytes.push_back(static_cast<std::uint8_t>(number.as_integer()));
    return bytes;
  };
  std::set<std::string> filters;
  for (const Json& one : file.at("cases").as_array()) {
    const auto side = [&](const Json& of, const char* name) { return of.at(name).as_integer(); };
    const ImageShape from{
        .height = side(file, "height"), .width = side(file, "width"), .channels = side(one, "channels")};
    const std::string& name = one.at("filter").as_string();
    INFO(name, " ", side(one, "height"), "x", side(one, "width"), "x", from.channels);
    std::int64_t number = 0;
    while (name_of_filter(number) != name) ++number;
    filters.insert(name);
    const AntialiasedResize resize(from, side(one, "height"), side(one, "width"),
                                   static_cast<ResizeFilter>(number));
    CHECK(resize(bytes_of(file.at("images").at(std::to_string(from.channels)))) ==
          bytes_of(one.at("pixels")));
  }
  CHECK(filters.size() == 6);
}

TEST_CASE("standardized images, their means and variances are Keras'") {
  const Safetensors file = reference("image-layers.safetensors");
  const Images inputs = images_of(file.at("inputs/images"));
  std::vector<std::uint8_t> pixels;
  for (const auto& image : inputs.images) {
    for (const float value : image) {
      pixels.push_back(static_cast<std::uint8_t>(value));
      REQUIRE(static_cast<float>(pixels.back()) == value);
    }
  }
  const std::vector<std::int64_t> labels(inputs.images.size());
  std::string bytes;
  write_image_dataset({.shape = inputs.shape, .pixels = pixels, .labels = labels, .label_names = {}},
                      [&](std::string_view piece) { bytes += piece; });
  ImageDataset dataset;
  dataset.add(Safetensors(bytes, "f"));
  const ChannelStatistics statistics = channel_statistics({.dataset = &dataset, .indices = {}});
  const std::vector<float> mean = read_floats(file.at("outputs/mean"));
  const std::vector<float> variance = read_floats(file.at("outputs/variance"));
  REQUIRE(mean.size() == statistics.mean.size());
  for (std::size_t c = 0; c < mean.size(); ++c) {
    CHECK(std::abs(statistics.mean[c] * 255 - mean[c]) <= 1e-4);
    CHECK(std::abs(std::pow(statistics.std[c] * 255, 2) / variance[c] - 1) <= 1e-5);
  }
  ImagePipelineSettings settings;
  settings.normalization = Normalization::standardized;
  const ImagePipeline pipeline(settings, statistics, inputs.shape, inputs.shape);
  ImagePipeline::Scratch scratch;
  check_outputs(file, "standardised", 1e-4, [&](auto, std::size_t i, auto out) {
    const std::span<const Real> numbers =
        pipeline.apply(dataset.pixels(static_cast<std::int64_t>(i)), nullptr, scratch);
    std::copy(numbers.begin(), numbers.end(), out.begin());
  });
}

TEST_CASE("rotations and zooms are Keras', with every fill mode and interpolation") {
  const Safetensors file = augmentation();
  const ImageShape shape = images_of(file.at("inputs/images")).shape;
  const std::vector<float> angles = read_floats(file.at("draws/angle"));
  const std::vector<float> height = read_floats(file.at("draws/height_zoom"));
  const std::vector<float> width = read_floats(file.at("draws/width_zoom"));
  for (const Way& way : ways()) {
    check_outputs(file, "rotation_" + way.name, 1e-4, [&](auto in, std::size_t i, auto out) {
      transform_image(in, shape, rotation_map(shape, angles[i]), way.fill, out);
    });
    check_outputs(file, "zoom_" + way.name, 1e-4, [&](auto in, std::size_t i, auto out) {
      transform_image(in, shape, zoom_map(shape, height[i], width[i]), way.fill, out);
    });
  }
}

TEST_CASE("flips and crops are Keras'") {
  const Safetensors file = augmentation();
  const ImageShape shape = images_of(file.at("inputs/images")).shape;
  for (const std::string mode : {"horizontal", "vertical", "horizontal_and_vertical"}) {
    check_outputs(file, "flip_" + mode, 0, [&](auto in, std::size_t, auto out) {
      std::copy(in.begin(), in.end(), out.begin());
      if (mode != "vertical") flip_horizontally(out, shape);
      if (mode != "horizontal") flip_vertically(out, shape);
    });
  }
  check_outputs(file, "crop_6x4_at_3_2", 0, [&](auto in, std::size_t, auto out) {
    crop_image(in, shape, {.top = 3, .left = 2, .height = 6, .width = 4}, {}, out);
  });
}
