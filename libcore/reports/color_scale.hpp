// Sequential colour scales. That of tables: paper to navy over green and blue, lightness falling evenly.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace headwater {

struct Color {
  std::uint8_t red = 0, green = 0, blue = 0;
  bool operator==(const Color&) const = default;
};

// The colour of `share` in [0, 1]; values outside are clamped, not-a-number is grey.
Color sequential_color(double share);

// The colour of heat laid over a picture: dark violet over red and orange to pale yellow, lightness rising
// evenly.
Color heat_color(double share);

// The colour of `value` in [-1, 1]: blue below 0, paper at 0, red above; lightness falls evenly to both ends.
Color diverging_color(double value);

// The colour of the run, the head or whatever is told apart by colour, also by people who see few (after
// Okabe and Ito 2008); after twelve they come again.
std::string_view series_color(std::size_t number);

// True where white text reads better than black on the colour of `share`.
bool is_dark(double share);

// "#1f5f97"
std::string hex(Color color);

// The legend of a colour scale: a bar of its colours with numbers below.
struct ColorBar {
  double x = 0, y = 0;  // of its upper left corner
  double width = 220;
  double least = 0, most = 1;  // the numbers of its ends
  Color (*scale)(double share) = sequential_color;
};

inline constexpr double kColorBarHeight = 26;  // with the numbers
// One bar a document: its gradient has a name.
std::string color_bar_svg(const ColorBar& bar);

}  // namespace headwater
