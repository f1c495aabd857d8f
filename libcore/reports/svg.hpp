// What a picture of text and rectangles needs of SVG 1.1, and scales of colours.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headwater {

// What all pictures have in common: the free edge, the colours of text and of what matters less.
inline constexpr double kSvgMargin = 24;
inline constexpr std::string_view kSvgInk = "#1b2430", kSvgFaint = "#7b8794";

// Text for XML content or attributes: markup escaped, what XML cannot hold made visible (control characters
// as their pictures of U+2400; ill-formed bytes, marks that turn the direction of text and other invisible
// controls as U+FFFD).
std::string xml_text(std::string_view text);

// At most `columns` columns of text, "…" at the end of what was cut, invisible controls as U+FFFD.
std::string shortened(std::string_view text, std::size_t columns);

// About how wide a text of one line becomes, and as much of it as fits into so many pixels.
double svg_text_width(std::string_view text, double font);
std::string svg_fitted(std::string_view text, double font, double width);

// Coordinates with one digit after the point at most.
std::string svg_number(double value);

// ` name="value"`
std::string svg_attribute(std::string_view name, double value);

// <text> at (x, y), of this font size; anchor is start, middle or end; `more` are further attributes.
std::string svg_text(double x, double y, double font, std::string_view color, std::string_view anchor,
                     std::string_view words, std::string_view more = "");

// The whole of a picture of this size: `title` names it, `body` is drawn on white.
std::string svg_document(double width, double height, std::string_view title, std::string_view body);

// Round numbers that cover [least, most] in at most `max_ticks` steps: for axes.
std::vector<double> axis_ticks(double least, double most, int max_ticks);
// Such a number as it is written: no more digits than the step between ticks needs.
std::string tick_text(double value, double step);

// Tokens as words beside a picture: spaces as signs that can be seen and told apart: what stands for a space
// in tokens is drawn as a rule as long as a letter is wide, and one that does not break a line not at all.
std::string with_visible_spaces(std::string_view token);

// The same, cut after 16 columns.
std::vector<std::string> token_labels(const std::vector<std::string>& tokens);

// How wide the widest becomes.
double widest_label(const std::vector<std::string>& labels, double font);

// --- Colours -----------------------------------------------------------------------------------------------

struct Color {
  std::uint8_t red = 0, green = 0, blue = 0;
  bool operator==(const Color&) const = default;
};

// The colour of `share` in [0, 1]: paper to navy over green and blue, lightness falling evenly. Values
// outside are clamped, not-a-number is grey.
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
