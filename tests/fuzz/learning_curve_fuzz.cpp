// Any bytes as the log of a run: refused with the place, or a picture without a number that SVG cannot hold.
#include <cstdint>
#include <cstdlib>

#include "reports/learning_curves.hpp"
#include "support/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headwater;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const LearningCurve curve = parse_learning_curve(text, "log", "run");
    const LearningCurve curves[] = {curve, curve};
    const std::string svg = learning_curves_svg(curves, "t");
    // Columns that the program does not know are called in the picture as the log calls them.
    const std::string_view names = text.substr(0, text.find('\n'));
    for (const char* no_number : {"nan", "inf"}) {
      if (svg.find(no_number) != svg.npos && names.find(no_number) == names.npos) std::abort();
    }
  } catch (const Error& error) {
    if (!std::string_view(error.what()).starts_with("log:")) std::abort();
  }
  return 0;
}
