#include "data/class_batch.hpp"

#include <algorithm>

namespace headwater {

void ClassBatch::clear() {
  source.clear();
  words.clear();
  values.clear();
  labels.clear();
}

void ClassBatch::add(std::span<const std::int32_t> ids, Index length) {
  words.add(source.tokens(), length > 0 ? static_cast<Index>(ids.size()) : 0);
  source.add(ids);
  source.fill(length);
}

void ClassBatch::skip(std::span<const std::int32_t> ids, Index length) {
  const Index count = static_cast<Index>(ids.size());
  words.skip(length > 0 ? count : 0);
  source.skip(std::max(count, length));
}

void ClassBatch::finish(const BatchPart& part) {
  source.finish(part);
  words.finish(part);
  rows.assign(part);
}

}  // namespace headwater
