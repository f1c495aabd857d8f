#include "text/models/word_level.hpp"

namespace headwater {

WordLevel::WordLevel(const std::vector<std::string>& surfaces, std::int32_t unknown_id)
    : unknown_id_(unknown_id) {
  for (std::size_t id = 0; id < surfaces.size(); ++id) {
    if (!surfaces[id].empty()) table_.value(surfaces[id]) = id;
  }
}

void WordLevel::encode(std::string_view piece, std::vector<std::int32_t>& ids) const {
  const WordTable::Entry* word = table_.find(piece);
  ids.push_back(word == nullptr ? unknown_id_ : static_cast<std::int32_t>(word->value));
}

}  // namespace headwater
