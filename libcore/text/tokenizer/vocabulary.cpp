#include "text/tokenizer/vocabulary.hpp"

#include "support/error.hpp"
#include "support/hash.hpp"

namespace headwater {

Vocabulary::Vocabulary(std::vector<std::string> surfaces, const std::vector<std::int32_t>& special)
    : surfaces_(std::move(surfaces)), is_special_(surfaces_.size(), false) {
  for (const std::int32_t id : special) {
    is_special_.at(static_cast<std::size_t>(id)) = true;
  }
  for (std::size_t id = 0; id < surfaces_.size(); ++id) {
    if (!is_special_[id]) {
      table_.value(surfaces_[id]) = id;
    }
  }
}

const std::string& Vocabulary::surface(std::int32_t id) const {
  if (id < 0 || id >= size()) {
    throw Error("id " + std::to_string(id) + " is not in the vocabulary of " + std::to_string(size()) +
                " tokens");
  }
  return surfaces_[static_cast<std::size_t>(id)];
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
