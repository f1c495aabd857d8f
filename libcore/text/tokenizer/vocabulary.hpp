// The words of a tokenizer with their ids.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer/word_table.hpp"

namespace headwater {

class Vocabulary {
 public:
  Vocabulary() = default;
  // surfaces[id]; `special` ids have a surface but are never found from text, but for those that are
  // `in_text` too. All surfaces differ and none is empty. `unknown_id` is -1 where there is no unknown token.
  Vocabulary(std::vector<std::string> surfaces, const std::vector<std::int32_t>& special,
             std::int32_t unknown_id, const std::vector<std::int32_t>& in_text = {});

  // The id of a word that text may give, or -1.
  std::int32_t find(std::string_view word) const {
    const WordTable::Entry* entry = table_.find(word);
    return entry == nullptr ? -1 : static_cast<std::int32_t>(entry->value);
  }
  // The same, or the unknown token's; Error where there is none.
  std::int32_t id_of(std::string_view word) const {
    const std::int32_t id = find(word);
    if (id >= 0) return id;
    if (unknown_id_ < 0) fail_without_unknown(word);
    return unknown_id_;
  }
  // Throws Error where the id is not in [0, size).
  const std::string& surface(std::int32_t id) const;
  bool is_special(std::int32_t id) const { return is_special_[id]; }
  std::int32_t unknown_id() const { return unknown_id_; }
  bool has_unknown(std::span<const std::int32_t> ids) const {
    return std::find(ids.begin(), ids.end(), unknown_id_) != ids.end();
  }
  // Whether a token is a part of decoded text.
  bool is_text(std::int32_t id, bool shows_unknown) const {
    return !is_special(id) || (id == unknown_id_ && shows_unknown);
  }
  std::int32_t size() const { return static_cast<std::int32_t>(surfaces_.size()); }

  // A hash of the surfaces in the order of their ids.
  std::string hash() const;

 private:
  [[noreturn]] static void fail_without_unknown(std::string_view word);
  std::vector<std::string> surfaces_;
  std::vector<bool> is_special_;
  std::int32_t unknown_id_ = -1;
  WordTable table_;
};

}  // namespace headwater
