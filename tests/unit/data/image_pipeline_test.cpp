#include "data/image_pipeline.hpp"
#include "error_text.hpp"

#include <doctest/doctest.h>

#include <set>
#include <vector>

using namespace headwater;

namespace {

using Numbers = std::vector<Real>;
constexpr ImageShape kLine{.height = 1, .width = 4, .channels = 1};

Numbers applied(const ImagePipelineSettings& settings, const ImageShape& from, const ImageShape& to,
                const std::vector<std::uint8_t>& pixels, const ImageDraws* draws = nullptr,
                const ChannelStatistics& statistics = {}) {
  ImagePipeline::Scratch scratch;
  const auto out = ImagePipeline(settings, statistics, from, to).apply(pixels, draws, scratch);
  return {out.begin(), out.end()};
}

// Bytes that stay what they are, by 1/255.
ImagePipelineSettings unit() {
  ImagePipelineSettings settings;
  settings.normalization = Normalization::unit;
  return settings;
}

Numbers unit_numbers(const std::vector<int>& bytes) {
  Numbers out;
  for (const int byte : bytes) out.push_back(static_cast<Real>(byte) / Real(255));
  return out;
}

}  // namespace

TEST_CASE("bytes become numbers from -1 to 1, from 0 to 1, or standardized by channel") {
  CHECK(applied({}, kLine, kLine, {0, 255, 51, 7}) ==
        Numbers{-1, 1, Real(51) / Real(127.5) - Real(1), Real(7) / Real(127.5) - Real(1)});
  CHECK(applied(unit(), kLine, kLine, {0, 255, 51, 7}) == unit_numbers({0, 255, 51, 7}));
  ImagePipelineSettings settings;
  settings.normalization = Normalization::standardized;
  const ImageShape shape{.height = 1, .width = 2, .channels = 2};
  CHECK(applied(settings, shape, shape, {255, 0, 0, 51}, nullptr, {{0.5, 0.2}, {0.25, 0.1}}) ==
        Numbers{2, -2, -2, 0});
}

TEST_CASE("a channel without variance is 0") {
  ImagePipelineSettings settings;
  settings.normalization = Normalization::standardized;
  const double mean = 51 / 255.0;
  CHECK(applied(settings, kLine, kLine, {51, 51, 51, 51}, nullptr, {{mean}, {0}}) == Numbers{0, 0, 0, 0});
}

TEST_CASE("numbers become the bytes they came from, and those nearest to what lies between or beyond") {
  std::vector<std::uint8_t> bytes;
  for (int byte = 0; byte < 256; ++byte) bytes.push_back(static_cast<std::uint8_t>(byte));
  const ImageShape shape{.height = 16, .width = 8, .channels = 2};
  const ChannelStatistics statistics{{0.5, 0.2}, {0.25, 0}};
  for (const Normalization normalization :
       {Normalization::symmetric, Normalization::unit, Normalization::standardized}) {
    ImagePipelineSettings settings;
    settings.normalization = normalization;
    const ImagePipeline pipeline(settings, statistics, shape, shape);
    ImagePipeline::Scratch scratch;
    CHECK(pipeline.bytes_of(pipeline.apply(bytes, nullptr, scratch)) == bytes);
  }
  const ImagePipeline pipeline({}, {}, kLine, kLine);
  CHECK(pipeline.bytes_of(Numbers{-3, 7, 0.001F, -0.999F}) == std::vector<std::uint8_t>{0, 255, 128, 0});
}

TEST_CASE("draws depend on seed, epoch and example alone, and differ between them") {
  const auto draw = [](std::uint64_t seed, std::int64_t epoch, std::int64_t example) {
    return image_draws(seed, epoch, example);
  };
  CHECK(draw(1, 2, 3).rotation == draw(1, 2, 3).rotation);
  std::set<float> seen;
  for (std::uint64_t seed = 1; seed < 4; ++seed) {
    for (std::int64_t epoch = 0; epoch < 4; ++epoch) {
      for (std::int64_t example = 0; example < 20; ++example) {
        const ImageDraws d = draw(seed, epoch, example);
        for (const float number : {d.flip_horizontal, d.flip_vertical, d.rotation, d.zoom_height,
                                   d.zoom_width, d.crop_top, d.crop_left}) {
          CHECK(number >= 0);
          CHECK(number < 1);
          seen.insert(number);
        }
      }
    }
  }
  CHECK(seen.size() > 3 * 4 * 20 * 7 - 5);  // of 2^24 numbers two may be equal
}

TEST_CASE("flips are drawn one by one") {
  ImagePipelineSettings settings = unit();
  settings.random_flip = RandomFlip::horizontal;
  const ImageDraws low{}, high{.flip_horizontal = 0.5f, .flip_vertical = 0.5f};
  CHECK(applied(settings, kLine, kLine, {1, 2, 3, 4}, &low) == unit_numbers({4, 3, 2, 1}));
  CHECK(applied(settings, kLine, kLine, {1, 2, 3, 4}, &high) == unit_numbers({1, 2, 3, 4}));
  CHECK(applied(settings, kLine, kLine, {1, 2, 3, 4}) == unit_numbers({1, 2, 3, 4}));
  const ImageShape square{.height = 2, .width = 2, .channels = 1};
  settings.random_flip = RandomFlip::vertical;
  CHECK(applied(settings, square, square, {1, 2, 3, 4}, &low) == unit_numbers({3, 4, 1, 2}));
  settings.random_flip = RandomFlip::horizontal_and_vertical;
  CHECK(applied(settings, square, square, {1, 2, 3, 4}, &low) == unit_numbers({4, 3, 2, 1}));
}

TEST_CASE("a window is cut out anywhere, and in the middle where nothing is drawn") {
  ImagePipelineSettings settings = unit();
  settings.resizing = Resizing::crop;
  const ImageShape two{.height = 1, .width = 2, .channels = 1};
  const std::vector<std::uint8_t> pixels{1, 2, 3, 4};
  CHECK(applied(settings, kLine, two, pixels) == unit_numbers({2, 3}));
  const ImageDraws first{}, last{.crop_top = 0.99999f, .crop_left = 0.99999f};
  CHECK(applied(settings, kLine, two, pixels, &first) == unit_numbers({1, 2}));
  CHECK(applied(settings, kLine, two, pixels, &last) == unit_numbers({3, 4}));
}

TEST_CASE("an image is padded, and cut again to its size") {
  ImagePipelineSettings settings = unit();
  settings.random_crop_padding = 1;
  settings.fill_mode = FillMode::constant;
  const ImageDraws middle{.crop_top = 0.5f, .crop_left = 0}, last{.crop_top = 0.5f, .crop_left = 0.9f};
  const std::vector<std::uint8_t> pixels{1, 2, 3, 4};
  CHECK(applied(settings, kLine, kLine, pixels, &middle) == unit_numbers({0, 1, 2, 3}));
  CHECK(applied(settings, kLine, kLine, pixels, &last) == unit_numbers({2, 3, 4, 0}));
  CHECK(applied(settings, kLine, kLine, pixels) == unit_numbers({1, 2, 3, 4}));
  settings.fill_mode = FillMode::nearest;
  CHECK(applied(settings, kLine, kLine, pixels, &last) == unit_numbers({2, 3, 4, 4}));
}

TEST_CASE("half a turn, and a zoom by nothing") {
  ImagePipelineSettings settings = unit();
  settings.interpolation = Interpolation::nearest;
  settings.random_rotation = 0.5;
  settings.random_zoom_height = settings.random_zoom_width = 0.5;
  const ImageDraws draws{.rotation = 0, .zoom_height = 0.5f, .zoom_width = 0.5f};
  CHECK(applied(settings, kLine, kLine, {1, 2, 3, 4}, &draws) == unit_numbers({4, 3, 2, 1}));
}

TEST_CASE("images that cannot become those of the model are refused") {
  const auto fault = [](Resizing resizing, const ImageShape& from, const ImageShape& to) {
    ImagePipelineSettings settings;
    settings.resizing = resizing;
    return error_text([&] { ImagePipeline(settings, {}, from, to); });
  };
  const ImageShape small{2, 2, 1}, large{4, 4, 1}, wide{2, 8, 1}, colour{4, 4, 3};
  CHECK(fault(Resizing::bilinear, small, large) == "(no error)");
  CHECK(fault(Resizing::crop, large, small) == "(no error)");
  CHECK(fault(Resizing::none, small, large) ==
        "images of 2x2x1 cannot become those of 4x4x1 that the model reads (set model.resizing to bilinear "
        "before training, or resize the images)");
  CHECK(fault(Resizing::crop, wide, large) ==
        "images of 2x8x1 cannot become those of 4x4x1 that the model reads (set model.resizing to bilinear "
        "before training, or resize the images)");
  CHECK(fault(Resizing::bilinear, colour, large) ==
        "images of 4x4x3 cannot become those of 4x4x1 that the model reads (channels must be equal)");
}

TEST_CASE("an image that shrinks has the bits of one that is normalized first") {
  const ImageShape from{.height = 7, .width = 5, .channels = 3}, to{.height = 2, .width = 6, .channels = 3};
  ImagePipelineSettings settings;
  settings.normalization = Normalization::standardized;
  settings.resizing = Resizing::bilinear;
  const ChannelStatistics statistics{{0.3, 0.4, 0.5}, {0.1, 0.2, 0.3}};
  std::vector<std::uint8_t> pixels(from.bytes());
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint8_t>(i * 97);
  ImagePipelineSettings plain = settings;
  plain.resizing = Resizing::none;
  Numbers resized(static_cast<std::size_t>(to.bytes()));
  BilinearResize(from, to.height, to.width)(
      std::span<const Real>(applied(plain, from, from, pixels, nullptr, statistics)), resized);
  CHECK(applied(settings, from, to, pixels, nullptr, statistics) == resized);
}
