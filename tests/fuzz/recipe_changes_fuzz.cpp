// Any lines as keys set beside a recipe: refused with lines that a terminal can bear, or the recipe with them
// reads back equal.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "families/registry.hpp"
#include "support/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headwater;
  // A line end in a change is written as form feed.
  std::vector<std::string> changes(1);
  for (const char c : std::string_view(reinterpret_cast<const char*>(data), size)) {
    if (c == '\n') {
      changes.emplace_back();
    } else {
      changes.back() += c == '\f' ? '\n' : c;
    }
  }
  if (changes.back().empty()) changes.pop_back();
  Recipe recipe;
  try {
    recipe = parse_recipe("name: r\nquick: {training: {epochs: 1}}\n", "r", "quick", changes);
  } catch (const UsageError& error) {
    const std::string_view what = error.what();
    if (!what.starts_with("--set")) std::abort();
    for (const char c : what) {
      if ((static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7F) std::abort();
    }
    return 0;
  }
  const Recipe again = parse_recipe(print_recipe(recipe), "r");
  if (again != recipe || !differences(recipe, again).empty()) std::abort();
  return 0;
}
