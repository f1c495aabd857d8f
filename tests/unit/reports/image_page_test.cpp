#include "error_text.hpp"
#include "reports/attention_map.hpp"
#include "reports/picture.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "svg_page.hpp"

using namespace headwater;

namespace {

std::size_t count_of(const std::string& text, std::string_view what) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; ++at) ++count;
  return count;
}

Picture grey_picture(std::int64_t height, std::int64_t width) {
  return {.height = height, .width = width, .pixels = std::vector<std::uint8_t>(height * width * 3, 128)};
}

// `tokens` that all look at the first one, of so many layers and heads.
GridImage grid_image(std::int64_t layers, std::int64_t heads, std::size_t tokens) {
  GridImage image{.records = {}, .caption = {.name = "a.png", .predicted = "cat", .probability = 0.75f}};
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    for (std::int64_t head = 0; head < heads; ++head) {
      AttentionRecord record;
      record.layer = layer;
      record.head = head;
      record.query_tokens.assign(tokens, "0,0");
      record.key_tokens.assign(tokens, "0,0");
      record.weights.assign(tokens * tokens, 0);
      for (std::size_t q = 0; q < tokens; ++q) record.weights[q * tokens] = 1;
      image.records.push_back(std::move(record));
    }
  }
  return image;
}

double page_height(const std::string& svg) {
  return std::stod(attribute_of(svg.substr(svg.find("<svg")), "height"));
}
double page_width(const std::string& svg) {
  return std::stod(attribute_of(svg.substr(svg.find("<svg")), "width"));
}

}  // namespace

TEST_CASE("a caption says what was predicted and what is right, and marks what is wrong") {
  const ImageCaption right{.name = "a&b.png", .predicted = "cat", .probability = 0.75f, .label = "cat"};
  ImageCaption wrong = right;
  wrong.label = "dog";
  ImageCaption unknown = right;
  unknown.label.clear();
  CHECK(svg_caption(right, 0, 0, 300).find(">predicted cat 0.7500</text>") != std::string::npos);
  CHECK(svg_caption(right, 0, 0, 300).find(">label cat</text>") != std::string::npos);
  CHECK(svg_caption(right, 0, 0, 300).find(">a&amp;b.png</text>") != std::string::npos);
  CHECK(svg_caption(right, 0, 0, 300).find("#d55e00") == std::string::npos);
  CHECK(svg_caption(wrong, 0, 0, 300).find("#d55e00") != std::string::npos);
  CHECK(svg_caption(unknown, 0, 0, 300).find("label") == std::string::npos);
}

TEST_CASE("a page of overlays: tiles in rows, captions on the page, one colour bar") {
  std::vector<OverlayTile> tiles;
  const std::string longest(300, 'x');
  for (int i = 0; i < 10; ++i) {
    tiles.push_back({grey_picture(144, 290),
                     {.name = longest, .predicted = longest, .probability = 0.5f, .label = longest + "y"}});
  }
  const std::string svg = overlay_page_svg(tiles, longest);
  CHECK(count_of(svg, "<image ") == 10);
  CHECK(count_of(svg, "data:image/png;base64,iVBORw0KGgo") == 10);
  CHECK(count_of(svg, "url(#scale)") == 1);
  CHECK(text_beyond_page(svg) == "");
  CHECK(page_width(svg) <= 1280);
  CHECK(error_text([] { overlay_page_svg({}, "t"); }) ==
        "no images, so there is no picture (give one at least)");
}

TEST_CASE("the attention of all layers and heads fits one page") {
  struct Size {
    std::int64_t layers, heads;
    std::size_t tokens;
  };
  for (const Size& size :
       {Size{1, 2, 5}, Size{12, 12, 197}, Size{24, 16, 65}, Size{4, 40, 65}, Size{6, 1, 50}}) {
    INFO(size.layers, " ", size.heads);
    const std::vector<GridImage> images{grid_image(size.layers, size.heads, size.tokens)};
    const std::string svg = attention_grid_svg(images, "a.png");
    CHECK(page_width(svg) <= 1281);
    CHECK(page_height(svg) <= 1701);
    CHECK(text_beyond_page(svg) == "");
    CHECK(count_of(svg, "<image ") == static_cast<std::size_t>(size.layers * size.heads));
    CHECK(count_of(svg, ">layer ") == static_cast<std::size_t>(size.layers));
    CHECK(svg.find(">predicted cat 0.7500</text>") != svg.npos);
    CHECK(svg.size() < 4'000'000);
  }
  const std::vector<GridImage> none{GridImage{}};
  CHECK(error_text([&] { attention_grid_svg(none, "t"); }) ==
        "attention: the model has no layers to look into");
}
