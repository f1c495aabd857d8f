#include "data/masked_batch.hpp"

namespace headwater {

void MaskedBatch::clear() {
  source.clear();
  segment_of.clear();
  masked.clear();
  labels.clear();
  before.clear();
  after.clear();
  place.clear();
  is_random.clear();
}

void MaskedBatch::reserve(std::size_t tokens, std::size_t masked_tokens) {
  for (std::vector<std::int32_t>* of_tokens : {&source.ids, &source.position_of, &segment_of})
    of_tokens->reserve(tokens);
  for (std::vector<std::int32_t>* of_masked : {&masked.tokens, &labels, &before, &after, &place})
    of_masked->reserve(masked_tokens);
}

void MaskedBatch::skip(Index tokens, Index masked_tokens) {
  source.skip(tokens);
  masked.skip(masked_tokens);
}

void MaskedBatch::add(std::span<const std::int32_t> ids, std::span<const std::int32_t> places,
                      std::span<const std::int32_t> were) {
  const auto begin = static_cast<std::int32_t>(source.tokens());
  source.add(ids);
  for (const std::int32_t at : places) masked.tokens.push_back(begin + at);
  masked.offsets.push_back(static_cast<Index>(masked.tokens.size()));
  labels.insert(labels.end(), were.begin(), were.end());
}

void MaskedBatch::finish(const BatchPart& part) {
  source.finish(part);
  masked.finish(part);
  rows.assign(part);
}

}  // namespace headwater
