// Batches of texts some of whose tokens are hidden, to be told from the others (Devlin et al. 2019, section
// 3.1): what masked language models learn from.
#pragma once

#include <span>
#include <vector>

#include "data/packed_tokens.hpp"

namespace headwater {

struct MaskedBatch {
  PackedTokens source;                   // as the model reads them: some replaced by [MASK] or by others
  std::vector<std::int32_t> segment_of;  // of pairs of texts: one a token, 0 in the first, 1 in the second
  TokenSubset masked;                    // the tokens of `source` that are to be told
  std::vector<std::int32_t> labels;      // what they were: one a masked token
  // For spans, one a masked token (Joshi et al. 2020, section 3.2): the tokens of `source` before and after
  // its span, and its place in the span, from 0. Empty: tokens are hidden each for itself.
  std::vector<std::int32_t> before, after, place;
  SequenceRows rows;  // one row a sequence
  // For pairs, one a sequence: 0 where the second text follows the first, 1 where it comes from elsewhere.
  std::vector<std::int32_t> is_random;

  void clear();
  // Room for so many tokens, and so many masked ones.
  void reserve(std::size_t tokens, std::size_t masked_tokens);
  // A sequence that an earlier part of the global batch holds, of so many tokens and masked ones: before the
  // first add.
  void skip(Index tokens, Index masked_tokens);
  // The next sequence. `places`: those of its masked tokens, ascending from 0; `were`: one a place. Segments,
  // spans and is_random are the caller's to add.
  void add(std::span<const std::int32_t> ids, std::span<const std::int32_t> places,
           std::span<const std::int32_t> were);
  // After the last add.
  void finish(const BatchPart& part);
  void finish() { finish(BatchPart::whole(source.sequences())); }
};

}  // namespace headwater
