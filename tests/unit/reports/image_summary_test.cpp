#include "reports/image_summary.hpp"
#include "reports/picture.hpp"
#include "svg_page.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "error_text.hpp"
#include "write_image_dataset.hpp"

using namespace headwater;

namespace {

// Five images of 2x4x1 whose pixels are ten times their number, so that a picture shows which one it is; the
// last label has none.
struct FiveImages {
  ImageShape shape{.height = 2, .width = 4, .channels = 1};
  std::string bytes;
  ImageDataset images;

  explicit FiveImages(const std::vector<std::string>& names = {"cat", "dog", "gnu"}) {
    std::vector<std::uint8_t> pixels;
    for (int i = 0; i < 5; ++i) pixels.insert(pixels.end(), 8, static_cast<std::uint8_t>(10 * i));
    const std::vector<std::int64_t> labels = {1, 0, 1, 1, 0};
    write_image_dataset({.shape = shape, .pixels = pixels, .labels = labels, .label_names = names},
                        [&](std::string_view piece) { bytes += piece; });
    images.add(Safetensors(bytes, "five"));
    images.finish("five", false);
  }
};

int red(const Picture& picture, std::int64_t y, std::int64_t x) {
  return picture.pixels[(y * picture.width + x) * 3];
}

}  // namespace

TEST_CASE("images: sizes, labels, and those without images") {
  const FiveImages five;
  const ImageSummary summary(five.images);
  CHECK(summary.text() ==
        "               images\n"
        "-------------  ------\n"
        "count               5\n"
        "height              2\n"
        "width               4\n"
        "channels            1\n"
        "mean (0 .. 1)  0.0784\n"
        "std            0.0555\n"
        "\n"
        "label      images   share\n"
        "---------  ------  ------\n"
        "cat             2  40.0 %\n"
        "dog             3  60.0 %\n"
        "gnu             0   0.0 %\n"
        "---------  ------  ------\n"
        "3 classes       5\n"
        "\n"
        "labels without images: \"gnu\"\n");
  const Json json = summary.json();
  CHECK(json.at("images").as_number() == 5);
  CHECK(json.at("width").as_number() == 4);
  CHECK(json.at("mean").as_array().size() == 1);
  const Json::Array& classes = json.at("classes").as_array();
  REQUIRE(classes.size() == 3);
  CHECK(classes[1].at("label").as_string() == "dog");
  CHECK(classes[1].at("images").as_number() == 3);
}

TEST_CASE("a contact sheet has a row for each label, in order, and white where there are no more") {
  const FiveImages five;
  const Picture made = contact_sheet(five.images, 3);
  // 2x4 pixels become 72x144, with 4 between them.
  CHECK(made.height == 3 * 72 + 2 * 4);
  CHECK(made.width == 3 * 144 + 2 * 4);
  const auto tile = [&](std::int64_t row, std::int64_t column) {
    return red(made, row * 76 + 36, column * 148 + 72);
  };
  const std::vector<std::vector<int>> wanted = {{10, 40, 255}, {0, 20, 30}, {255, 255, 255}};
  for (std::int64_t row = 0; row < 3; ++row)
    for (std::int64_t column = 0; column < 3; ++column) CHECK(tile(row, column) == wanted[row][column]);
  CHECK(contact_sheet(five.images, 1).width == 144);
  CHECK(error_text([&] { contact_sheet(five.images, 400); }).find("show fewer images") != std::string::npos);
}

TEST_CASE("a contact sheet as SVG has the label of each row and how many images have it") {
  const FiveImages five;
  const std::string svg = contact_sheet_svg(five.images, 3, "set.safetensors");
  CHECK(svg.find(">cat</text>") < svg.find(">2 images</text>"));
  CHECK(svg.find(">dog</text>") < svg.find(">3 images</text>"));
  CHECK(svg.find(">gnu</text>") < svg.find(">0 images</text>"));
  CHECK(svg.find("data:image/png;base64,") != svg.npos);
  CHECK(text_beyond_page(svg) == "");
}

TEST_CASE("the sheet of draws shows what training reads in its first epochs, and the image without draws") {
  const FiveImages five;
  ImagePipelineSettings settings;
  settings.random_flip = RandomFlip::horizontal;
  settings.random_crop_padding = 1;
  settings.fill_mode = FillMode::constant;
  settings.fill_value = 1;  // white, where an image is dark
  const ImagePipeline pipeline(settings, {}, five.shape, five.shape);
  const Picture made =
      augmentation_sheet(five.images, pipeline, five.shape, {.seed = 7, .example = 3, .draws = 6});
  CHECK(made.height == 2 * 72 + 4);
  CHECK(made.width == 144 + 16 + 4 * 144 + 3 * 4);
  CHECK(red(made, 36, 72) == 30);
  CHECK(red(made, 100, 72) == 255);  // nothing below it
  ImagePipeline::Scratch scratch;
  int white = 0;
  for (std::int64_t epoch = 0; epoch < 6; ++epoch) {
    const ImageDraws draws = image_draws(7, epoch, 3);
    const std::vector<std::uint8_t> seen =
        pipeline.bytes_of(pipeline.apply(five.images.pixels(3), &draws, scratch));
    white += static_cast<int>(std::count(seen.begin(), seen.end(), 255));
    const std::int64_t top = epoch / 4 * 76, left = 160 + epoch % 4 * 148;
    for (std::int64_t y = 0; y < 2; ++y)
      for (std::int64_t x = 0; x < 4; ++x)
        CHECK(red(made, top + 36 * y + 18, left + 36 * x + 18) == seen[4 * y + x]);
  }
  CHECK(white > 0);
}
