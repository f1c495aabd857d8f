// Some or all examples of id columns: two splits may share one set of columns.
#pragma once

#include <cstdint>
#include <vector>

#include "data/pairs.hpp"
#include "support/hash.hpp"

namespace headwater {

struct ChosenExamples {
  const IdColumns* columns = nullptr;  // null: no examples
  std::vector<std::uint32_t> indices;  // which, where is_all is not set
  bool is_all = true;
  std::size_t source = 0, target = 1;  // which columns they are; found by their names

  // "target" or "label". Throws Error where there is no such column.
  void find_columns(std::string_view second) {
    if (columns == nullptr) return;
    source = columns->column("source");
    target = columns->column(second);
  }
  std::size_t count() const {
    if (columns == nullptr) return 0;
    return is_all ? static_cast<std::size_t>(columns->examples()) : indices.size();
  }
  std::int64_t at(std::uint32_t i) const { return is_all ? i : indices[i]; }
  void add_to(Hasher& hasher) const {
    if (columns == nullptr) return;
    hasher.update(columns->hash());
    hasher.update({reinterpret_cast<const char*>(indices.data()), indices.size() * sizeof(std::uint32_t)});
  }
};

}  // namespace headwater
