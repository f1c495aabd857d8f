#include "text/tokenizer/vocabulary.hpp"

#include "support/error.hpp"
#include "support/hash.hpp"

namespace headwater {

Vocabulary::Vocabulary(std::vector<std::string> surfaces, const std::vector<std::int32_t>& special,
                       std::int32_t unknown_id, const std::vector<std::int32_t>& in_text)
    : surfaces_(std::move(surfaces)), is_special_(surfaces_.size(), false), unknown_id_(unknown_id) {
  for (const std::int32_t id : special) {
    is_special_.at(id) = true;
  }
  for (std::size_t id = 0; id < surfaces_.size(); ++id) {
    if (!is_special_[id]) {
      table_.value(surfaces_[id]) = id;
    }
  }
  for (const std::int32_t id : in_text) table_.value(surface(id)) = static_cast<std::uint64_t>(id);
}

void Vocabulary::fail_without_unknown(std::string_view word) {
  throw Error("the token " + quote(word) + " is not in the vocabulary, which has no unknown token");
}

const std::string& Vocabulary::surface(std::int32_t id) const {
  if (id < 0 || id >= size()) {
    throw Error("id " + std::to_string(id) + " is not in the vocabulary of " + std::to_string(size()) +
                " tokens");
  }
  return surfaces_[id];
}

std::string Vocabulary::hash() const {
  Hasher hasher;
  for (const std::string& surface : surfaces_) {
    hasher.update(surface);
    hasher.update("\xFF");  // stands in no UTF-8 text, so that the cuts between surfaces count
  }
  return hasher.digest();
}

}  // namespace headwater
