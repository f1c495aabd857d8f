// Batches of sequences with one label each.
#pragma once

#include <span>
#include <vector>

#include "data/packed_tokens.hpp"

namespace headwater {

struct ClassBatch {
  PackedTokens source;
  std::vector<std::int32_t> segment_of;  // of pairs of texts: one a token, 0 in the first, 1 in the second
  std::vector<Real> values;              // of bags of words: one a token of `source`, how much it counts
  SequenceRows rows;                     // one row a sequence
  TokenSubset words;                     // of the sequences that were filled: the tokens that are not padding
  std::vector<std::int32_t> labels;      // one a sequence; empty where they are to be found

  void clear();
  // `length` > 0: ids are filled up to so many with padding (id 0).
  void add(std::span<const std::int32_t> ids, Index length = 0);
  // The same of a pair, whose second text begins with the token at `second`. All sequences or none.
  void add_pair(std::span<const std::int32_t> ids, Index second, Index length = 0);
  // A sequence that an earlier part of the global batch holds: before the first add.
  void skip(std::span<const std::int32_t> ids, Index length = 0);
  // After the last add.
  void finish(const BatchPart& part);
  void finish() { finish(BatchPart::whole(source.sequences())); }
};

}  // namespace headwater
