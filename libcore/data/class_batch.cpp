#include "data/class_batch.hpp"

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
  for (Index i = static_cast<Index>(ids.size()); i < length; ++i) {
    source.ids.push_back(0);
    source.position_of.push_back(static_cast<std::int32_t>(i));
  }
  source.offsets.back() = source.tokens();
}

void ClassBatch::finish() {
  source.finish();
  words.finish();
  rows.assign(source.sequences());
}

}  // namespace headwater
