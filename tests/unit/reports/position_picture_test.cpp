// Pictures of positions and of a line: their numbers, and that all words lie on the page.
#include "reports/position_picture.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "error_text.hpp"
#include "layers/embedding.hpp"
#include "reports/line_plot.hpp"
#include "reports/svg.hpp"
#include "svg_page.hpp"

using namespace headwater;

namespace {

PositionTable sinusoids_of(std::int64_t length, std::int64_t width) {
  PositionTable table{.name = "sinusoidal", .positions = length, .width = width, .values = {}};
  for (const Real value : sinusoidal_positions(length, width))
    table.values.push_back(static_cast<float>(value));
  return table;
}

}  // namespace

TEST_CASE("the similarity of sinusoids depends on the distance alone, and falls at first") {
  const PositionTable table = sinusoids_of(20, 64);
  const std::vector<double> similarity = position_similarity(table);
  REQUIRE(similarity.size() == 400);
  for (std::size_t p = 0; p < 20; ++p) {
    CHECK(similarity[p * 20 + p] == doctest::Approx(1));
    for (std::size_t q = 0; q < 20; ++q) {
      const std::size_t apart = p > q ? p - q : q - p;
      CHECK(similarity[p * 20 + q] == doctest::Approx(similarity[apart]).epsilon(1e-5));
    }
  }
  CHECK(similarity[1] > similarity[2]);
  CHECK(similarity[2] > similarity[4]);
  const PositionTable zeros{.name = "zeros", .positions = 2, .width = 3, .values = std::vector<float>(6)};
  CHECK(position_similarity(zeros) == std::vector<double>(4));
}

TEST_CASE("positions as CSV and as a picture; of patches a grid for each") {
  const PositionTable small{.name = "a,b", .positions = 2, .width = 2, .values = {1, 0, 0.5F, -1}};
  CHECK(position_csv(std::array{small}) ==
        "table,position,feature,value\n\"a,b\",0,0,1\n\"a,b\",0,1,0\n\"a,b\",1,0,0.5\n\"a,b\",1,1,-1\n");
  PositionTable patches = sinusoids_of(13, 8);
  patches.name = "</text><script>";
  patches.rows = 3;
  patches.columns = 4;  // and a class token
  const std::string svg = position_svg(std::array{small, patches}, std::string(200, 'x'));
  CHECK(svg.find("<script") == std::string::npos);
  CHECK(svg.find("cosines of each patch") != std::string::npos);
  CHECK(text_beyond_page(svg) == "");
  std::size_t images = 0;
  for (std::size_t at = 0; (at = svg.find("<image", at)) != svg.npos; ++at) ++images;
  CHECK(images == 4);
  PositionTable empty;
  empty.name = "none";
  CHECK(error_text([&] { position_svg(std::array{empty}, ""); }) == "positions: none is empty");
}

TEST_CASE("the diverging scale is paper in the middle and darkens to both ends") {
  const auto brightness = [](Color c) { return 0.2126 * c.red + 0.7152 * c.green + 0.0722 * c.blue; };
  for (int i = 0; i < 50; ++i) {
    CHECK(brightness(diverging_color(i / 50.0)) >= brightness(diverging_color((i + 1) / 50.0)));
    CHECK(brightness(diverging_color(-i / 50.0)) >= brightness(diverging_color(-(i + 1) / 50.0)));
  }
  CHECK(diverging_color(-1).blue > diverging_color(-1).red);
  CHECK(diverging_color(1).red > diverging_color(1).blue);
}

TEST_CASE("a line plot: all words on the page, whatever the numbers") {
  for (const double scale : {1e-9, 7e-4, 1.0, 3e7}) {
    LinePlot plot{.title = "rates of <a> & b", .x_name = "step", .y_name = "learning rate", .points = {}};
    for (int i = 1; i <= 50; ++i) plot.points.emplace_back(i * 800, scale / std::sqrt(i));
    const std::string svg = line_plot_svg(plot);
    CHECK(text_beyond_page(svg) == "");
    CHECK(svg.find("&lt;a&gt;") != std::string::npos);
    CHECK(svg.find("nan") == std::string::npos);
  }
  CHECK(line_plot_svg({.title = "one", .x_name = "", .y_name = "", .points = {{1, 0}}}).find("nan") ==
        std::string::npos);
  CHECK(error_text([] { line_plot_svg({}); }) == "a plot without points");
}
