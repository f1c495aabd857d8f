#include "data/language_batch.hpp"

namespace headwater {

void TokenBatch::clear() {
  tokens.clear();
  labels.clear();
}

void TokenBatch::add(std::span<const std::int32_t> ids) {
  tokens.add(ids.first(ids.size() - 1));
  labels.insert(labels.end(), ids.begin() + 1, ids.end());
}

}  // namespace headwater
