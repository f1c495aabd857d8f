#include "reports/class_pictures.hpp"

#include <doctest/doctest.h>

#include <string>

#include "svg_page.hpp"

using namespace headwater;

TEST_CASE("the reliability diagram: no text leaves the page, however long the title and large the counts") {
  Calibration calibration;
  for (int i = 0; i < 1234; ++i) calibration.add(0.5 + i % 50 / 100.0, i % 3 != 0);
  const std::string svg =
      reliability_svg(calibration, "runs/a-long-name-of-a-directory/of-a-model/checkpoints/12345");
  CHECK(text_beyond_page(svg) == "");
  CHECK(svg.find(">blue: right; orange: too confident by so much; brown: too little</text>") != svg.npos);
  CHECK(svg.find("over 1,234 samples") != svg.npos);
  CHECK(svg.find("<title>runs/a-long-name-of-a-directory/of-a-model/checkpoints/12345</title>") != svg.npos);
}
