// The words of a tokenizer with their ids.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer/word_table.hpp"

namespace headwater {

class Vocabulary {
 public:
  Vocabulary() = default;
  // surfaces[id]; `special` ids have a surface but are never found from text. All surfaces differ and none is
  // empty.
  Vocabulary(std::vector<std::string> surfaces, const std::vector<std::int32_t>& special);

  // The id of an ordinary word, or -1.
  std::int32_t find(std::string_view word) const {
    const WordTable::Entry* entry = table_.find(word);
    return entry == nullptr ? -1 : static_cast<std::int32_t>(entry->value);
  }
  // Throws Error where the id is not in [0, size).
  const std::string& surface(std::int32_t id) const;
  bool is_special(std::int32_t id) const { return is_special_[static_cast<std::size_t>(id)]; }
  std::int32_t size() const { return static_cast<std::int32_t>(surfaces_.size()); }

  // A hash of the surfaces in the order of their ids.
  std::string hash() const;

 private:
  std::vector<std::string> surfaces_;
  std::vector<bool> is_special_;
  WordTable table_;
};

}  // namespace headwater
