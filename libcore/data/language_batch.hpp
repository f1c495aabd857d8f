// Batches for language models: texts whose next token is predicted at each place.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/packed_tokens.hpp"

namespace headwater {

// The model reads all ids of a text but the last and predicts all but the first.
struct TokenBatch {
  PackedTokens tokens;               // what is read
  std::vector<std::int32_t> labels;  // what is predicted, one a token

  void clear();
  void add(std::span<const std::int32_t> ids);  // at least two
  // A text that an earlier part of the global batch holds: before the first add.
  void skip(std::span<const std::int32_t> ids) { tokens.skip(static_cast<Index>(ids.size()) - 1); }
  // After the last add.
  void finish(const BatchPart& part) { tokens.finish(part); }
  void finish() { tokens.finish(); }
};

}  // namespace headwater
