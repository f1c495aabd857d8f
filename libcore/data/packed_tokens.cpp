#include "data/packed_tokens.hpp"

#include <numeric>

namespace headwater {

void PackedTokens::clear() {
  ids.clear();
  position_of.clear();
  offsets.assign(1, 0);
  first_token = 0;
}

void PackedTokens::add(std::span<const std::int32_t> sequence) {
  if (offsets.empty()) offsets.push_back(0);
  offsets.push_back(tokens());
  append(sequence);
}

void PackedTokens::append(std::span<const std::int32_t> more) {
  const std::int32_t place = static_cast<std::int32_t>(tokens() - offsets[offsets.size() - 2]);
  ids.insert(ids.end(), more.begin(), more.end());
  for (std::size_t i = 0; i < more.size(); ++i) position_of.push_back(place + static_cast<std::int32_t>(i));
  offsets.back() = tokens();
}

void PackedTokens::fill(Index length) {
  for (Index place = tokens() - offsets[offsets.size() - 2]; place < length; ++place) {
    ids.push_back(0);
    position_of.push_back(static_cast<std::int32_t>(place));
  }
  offsets.back() = tokens();
}

void TokenSubset::clear() {
  tokens.clear();
  offsets.assign(1, 0);
  first_token = 0;
}

void TokenSubset::add(Index begin, Index count) {
  for (Index i = 0; i < count; ++i) tokens.push_back(static_cast<std::int32_t>(begin + i));
  offsets.push_back(static_cast<Index>(tokens.size()));
}

void SequenceRows::assign(const BatchPart& part) {
  first_token = part.begin();
  offsets.resize(static_cast<std::size_t>(part.end() - part.begin()) + 1);
  std::iota(offsets.begin(), offsets.end(), Index{0});
  plan.assign(offsets, part);
}

void PairBatch::clear(bool makes_doubled) {
  source.clear();
  target.clear();
  labels.clear();
  is_doubled = makes_doubled;
}

void PairBatch::add(std::span<const std::int32_t> source_ids, std::span<const std::int32_t> target_ids) {
  for (Index copy = 0; copy < copies(); ++copy) {
    source.add(source_ids);
    target.add(target_ids.first(target_ids.size() - 1));
  }
  for (const std::int32_t label : target_ids.subspan(1))
    labels.insert(labels.end(), static_cast<std::size_t>(copies()), label);
}

void PairBatch::skip(std::span<const std::int32_t> source_ids, std::span<const std::int32_t> target_ids) {
  source.skip(copies() * static_cast<Index>(source_ids.size()));
  target.skip(copies() * (static_cast<Index>(target_ids.size()) - 1));
}

void PairBatch::finish(const BatchPart& part) {
  source.finish(part, copies());
  target.finish(part, copies());
}

}  // namespace headwater
