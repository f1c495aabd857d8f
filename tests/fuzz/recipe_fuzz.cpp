// Any bytes as a recipe: refused with lines that a terminal can bear, or read, printed and read back equal.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "families/registry.hpp"
#include "support/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headwater;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const char* scale : {"full", "quick"}) {
    Recipe recipe;
    try {
      recipe = parse_recipe(text, "r", scale);
    } catch (const UsageError& error) {
      const std::string_view what = error.what();
      if (!what.starts_with("r:")) std::abort();
      for (const char c : what) {
        if ((static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7F) std::abort();
      }
      continue;
    }
    const std::string printed = print_recipe(recipe);
    const Recipe again = parse_recipe(printed, "r");
    if (again != recipe || !differences(recipe, again).empty()) std::abort();
  }
  return 0;
}
