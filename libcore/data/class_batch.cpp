#include "data/class_batch.hpp"

#include <algorithm>

namespace headwater {

void ClassBatch::clear() {
  source.clear();
  words.clear();
  segment_of.clear();
  values.clear();
  labels.clear();
}

void ClassBatch::add(std::span<const std::int32_t> ids, Index length) {
  words.add(source.tokens(), length > 0 ? static_cast<Index>(ids.size()) : 0);
  source.add(ids);
  source.fill(length);
}

void ClassBatch::add_pair(std::span<const std::int32_t> ids, Index second, Index length) {
  const std::size_t begin = source.ids.size();
  add(ids, length);
  segment_of.resize(begin + static_cast<std::size_t>(second), 0);
  segment_of.resize(begin + ids.size(), 1);
  segment_of.resize(source.ids.size(), 0);  // padding
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
