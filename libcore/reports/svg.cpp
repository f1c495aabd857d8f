#include "reports/svg.hpp"

#include <algorithm>
#include <cmath>

#include "support/numbers.hpp"
#include "support/utf8.hpp"
#include "text/unicode/unicode_properties.hpp"

namespace headwater {

static constexpr double kColumn = 0.61;  // width of one column of text in units of the font size

std::string xml_text(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_sequence_length(text.substr(at));
    if (length == 0) {
      out += "\uFFFD";
      ++at;
      continue;
    }
    const std::string_view sequence = text.substr(at, length);
    const char32_t c = next_code_point(text, at);
    if (c < 0x20) {
      append_utf8(out, 0x2400 + c);
    } else if (c == 0x7F) {
      out += "\u2421";
    } else if ((c & 0xFFFE) == 0xFFFE || (c >= 0x80 && c < 0xA0) || is_invisible_control(c)) {
      out += "\uFFFD";
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += sequence;
    }
  }
  return out;
}

std::string shortened(std::string_view text, std::size_t columns) {
  std::string whole;  // well-formed, whatever came
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at, length = utf8_sequence_length(text.substr(at));
    if (length == 0) ++at;
    if (length == 0 || is_invisible_control(next_code_point(text, at))) {
      whole += "\uFFFD";
    } else {
      whole += text.substr(begin, length);
    }
  }
  if (display_width(whole) <= columns) return whole;
  std::size_t kept = 0, width = 0;
  for (std::size_t at = 0; at < whole.size();) {
    next_code_point(whole, at);
    width += display_width(std::string_view(whole).substr(kept, at - kept));
    if (width + 1 > columns) break;
    kept = at;
  }
  return whole.substr(0, kept) + "…";
}

double svg_text_width(std::string_view text, double font) {
  return kColumn * font * static_cast<double>(display_width(text));
}

std::string svg_fitted(std::string_view text, double font, double width) {
  return shortened(text, static_cast<std::size_t>(std::max(1.0, width / (kColumn * font))));
}

std::string svg_number(double value) {
  std::string text = format_fixed(value, 1);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

std::string svg_attribute(std::string_view name, double value) {
  return " " + std::string(name) + "=\"" + svg_number(value) + "\"";
}

std::string svg_text(double x, double y, double font, std::string_view color, std::string_view anchor,
                     std::string_view words, std::string_view more) {
  std::string element =
      "<text" + svg_attribute("x", x) + svg_attribute("y", y) + svg_attribute("font-size", font);
  element.append(" fill=\"")
      .append(color)
      .append("\" text-anchor=\"")
      .append(anchor)
      .append("\"")
      .append(more)
      .append(">");
  return element + xml_text(words) + "</text>\n";
}

std::string svg_document(double width, double height, std::string_view title, std::string_view body) {
  const std::string w = svg_number(std::ceil(width)), h = svg_number(std::ceil(height));
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" +
         w + "\" height=\"" + h + "\" viewBox=\"0 0 " + w + " " + h +
         "\" role=\"img\" font-family=\"'DejaVu Sans','Noto Sans',Verdana,Arial,sans-serif\">\n<title>" +
         xml_text(title) + "</title>\n<rect width=\"" + w + "\" height=\"" + h + "\" fill=\"#ffffff\"/>\n" +
         std::string(body) + "</svg>\n";
}

std::vector<double> axis_ticks(double least, double most, int max_ticks) {
  const double magnitude = std::max(std::abs(least), std::abs(most));
  if (!(most - least > 1e-9 * magnitude)) {  // as good as one value: some room around it
    const double room = magnitude == 0 ? 1 : magnitude / 10;
    least -= room;
    most += room;
  }
  const double rough = (most - least) / max_ticks;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double digit : {5.0, 2.0, 1.0}) {
    // Floor and ceiling add up to two steps to the range.
    const double count =
        std::ceil(most / (digit * power) - 1e-9) - std::floor(least / (digit * power) + 1e-9);
    if (count <= max_ticks) step = digit * power;
  }
  const double first = std::floor(least / step + 1e-9), last = std::ceil(most / step - 1e-9);
  std::vector<double> ticks;
  for (int i = 0; i <= static_cast<int>(last - first); ++i) ticks.push_back((first + i) * step);
  return ticks;
}

std::string tick_text(double value, double step) {
  const int digits = std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 9);
  return format_fixed(std::abs(value) < step / 1000 ? 0 : value, digits);
}

std::string with_visible_spaces(std::string_view token) {
  std::string out;
  for (std::size_t at = 0; at < token.size();) {
    const std::size_t length = std::max<std::size_t>(utf8_sequence_length(token.substr(at)), 1);
    const std::string_view sequence = token.substr(at, length);
    const bool is_joining = sequence == "\u00A0" || sequence == "\u202F" || sequence == "\u2007";
    const bool is_space = sequence == " " || sequence == "\u2581" || sequence == "\u3000" ||
                          (sequence >= "\u2000" && sequence <= "\u200A");
    out += is_joining ? "\u237D" : is_space ? "\u2423" : sequence;
    at += length;
  }
  return out;
}

std::vector<std::string> token_labels(const std::vector<std::string>& tokens) {
  constexpr std::size_t kLabelColumns = 16;
  std::vector<std::string> labels;
  for (const std::string& token : tokens)
    labels.push_back(shortened(with_visible_spaces(token), kLabelColumns));
  return labels;
}

double widest_label(const std::vector<std::string>& labels, double font) {
  double width = 0;
  for (const std::string& label : labels) width = std::max(width, svg_text_width(label, font));
  return width;
}

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
