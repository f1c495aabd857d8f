#include "reports/color_bar.hpp"

#include "reports/svg.hpp"
#include "support/numbers.hpp"

namespace headwater {

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
