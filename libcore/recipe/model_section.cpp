#include "recipe/model_section.hpp"

#include <algorithm>

namespace headwater {

bool ModelKind::reads(std::string_view section) const {
  return std::find(sections.begin(), sections.end(), section) != sections.end();
}

}  // namespace headwater
