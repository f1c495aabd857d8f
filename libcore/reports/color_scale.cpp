#include "reports/color_scale.hpp"

#include <algorithm>
#include <cmath>

#include "reports/svg.hpp"
#include "support/numbers.hpp"

namespace headwater {

namespace {

// Oklab (Ottosson 2020): equal steps look equally large. Anchors: lightness, green to red, blue to yellow.
struct Oklab {
  double lightness, a, b;
};
constexpr std::array<Oklab, 5> kAnchors = {{
    {0.975, -0.002, 0.006},
    {0.850, -0.055, 0.020},
    {0.680, -0.080, -0.045},
    {0.470, -0.040, -0.105},
    {0.250, 0.000, -0.065},
}};
constexpr std::array<Oklab, 5> kHeatAnchors = {{
    {0.200, 0.020, -0.080},
    {0.400, 0.120, -0.100},
    {0.600, 0.190, 0.060},
    {0.780, 0.090, 0.140},
    {0.970, -0.020, 0.100},
}};
constexpr std::array<Oklab, 5> kDivergingAnchors = {{
    {0.350, -0.020, -0.160},
    {0.690, -0.030, -0.100},
    {0.975, 0.000, 0.004},
    {0.690, 0.120, 0.060},
    {0.350, 0.130, 0.070},
}};

std::uint8_t srgb_byte(double linear) {
  const double clamped = std::clamp(linear, 0.0, 1.0);
  const double encoded = clamped <= 0.0031308 ? 12.92 * clamped : 1.055 * std::pow(clamped, 1 / 2.4) - 0.055;
  return static_cast<std::uint8_t>(std::lround(255 * encoded));
}

Color srgb(const Oklab& c) {
  const auto cube = [](double x) { return x * x * x; };
  const double l = cube(c.lightness + 0.3963377774 * c.a + 0.2158037573 * c.b);
  const double m = cube(c.lightness - 0.1055613458 * c.a - 0.0638541728 * c.b);
  const double s = cube(c.lightness - 0.0894841775 * c.a - 1.2914855480 * c.b);
  return {srgb_byte(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
          srgb_byte(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
          srgb_byte(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

Color color_between(const std::array<Oklab, 5>& anchors, double share) {
  if (std::isnan(share)) return {0xB0, 0xB0, 0xB0};
  const double position = std::clamp(share, 0.0, 1.0) * (anchors.size() - 1);
  const std::size_t below = std::min<std::size_t>(static_cast<std::size_t>(position), anchors.size() - 2);
  const double part = position - static_cast<double>(below);
  const Oklab &from = anchors[below], &to = anchors[below + 1];
  return srgb({std::lerp(from.lightness, to.lightness, part), std::lerp(from.a, to.a, part),
               std::lerp(from.b, to.b, part)});
}

}  // namespace

Color sequential_color(double share) { return color_between(kAnchors, share); }

Color heat_color(double share) { return color_between(kHeatAnchors, share); }

Color diverging_color(double value) { return color_between(kDivergingAnchors, (value + 1) / 2); }

std::string_view series_color(std::size_t number) {
  constexpr std::array<std::string_view, 12> kColors = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                        "#56b4e9", "#b58900", "#4b4b4b", "#7a3fa0",
                                                        "#8c510a", "#b2182b", "#7fbc41", "#c51b7d"};
  return kColors[number % kColors.size()];
}

bool is_dark(double share) { return share > 0.45; }

std::string hex(Color color) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "#";
  for (const std::uint8_t part : {color.red, color.green, color.blue})
    text.append({digits[part >> 4], digits[part & 15]});
  return text;
}

std::string color_bar_svg(const ColorBar& bar) {
  constexpr double kHeight = 12;
  constexpr int kStops = 16, kTicks = 4;
  std::string out = "<defs><linearGradient id=\"scale\">";
  for (int i = 0; i <= kStops; ++i) {
    const double share = static_cast<double>(i) / kStops;
    out += "<stop offset=\"" + format_fixed(share, 4) + "\" stop-color=\"" + hex(bar.scale(share)) + "\"/>";
  }
  out += "</linearGradient></defs>\n<rect" + svg_attribute("x", bar.x) + svg_attribute("y", bar.y) +
         svg_attribute("width", bar.width) + svg_attribute("height", kHeight) +
         " fill=\"url(#scale)\" stroke=\"#c3cad2\"/>\n";
  for (int tick = 0; tick <= kTicks; ++tick) {
    std::string value = format_fixed(bar.least + (bar.most - bar.least) * tick / kTicks, 4);
    value.erase(value.find_last_not_of('0') + 1);
    if (value.ends_with('.')) value.pop_back();
    out +=
        svg_text(bar.x + bar.width * tick / kTicks, bar.y + kColorBarHeight, 10, kSvgFaint, "middle", value);
  }
  return out;
}

}  // namespace headwater
