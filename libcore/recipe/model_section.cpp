#include "recipe/model_section.hpp"

#include <algorithm>

namespace headwater {

std::vector<std::string_view> ModelSection::columns() const {
  std::vector<std::string_view> own = settings_->columns();
  return own.empty() ? kind_->columns : own;
}

bool ModelKind::reads(std::string_view section) const {
  return std::find(sections.begin(), sections.end(), section) != sections.end();
}

}  // namespace headwater
