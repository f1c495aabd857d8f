// Sequences of ids one after the other, without padding, and batches of pairs of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tensor/reduction_tree.hpp"

namespace headwater {

struct PackedTokens {
  std::vector<std::int32_t> ids;
  std::vector<std::int32_t> position_of;  // place of each token in its sequence, from 0
  std::vector<Index> offsets;             // first token of each sequence, then the number of tokens
  ReductionTree plan;                     // how gradients over these tokens are summed
  Index first_token = 0;                  // in the global batch, of which this may be a part

  Index tokens() const { return static_cast<Index>(ids.size()); }
  Index sequences() const { return offsets.empty() ? 0 : static_cast<Index>(offsets.size()) - 1; }
  std::span<const std::int32_t> sequence(Index s) const {
    return std::span(ids).subspan(offsets[s], offsets[s + 1] - offsets[s]);
  }

  void clear();
  // A sequence that an earlier part of the global batch holds: before the first add.
  void skip(Index count) { first_token += count; }
  void add(std::span<const std::int32_t> sequence);
  // More of the sequence that was added last.
  void append(std::span<const std::int32_t> more);
  // Fills the sequence that was added last up to `length` tokens with padding (id 0).
  void fill(Index length);
  // After the last add. `copies` sequences in a row are one of the part's.
  void finish(const BatchPart& part, Index copies = 1) { plan.assign(offsets, part, copies); }
  void finish() { plan.assign(offsets); }
};

// Some of the tokens of packed sequences, packed themselves.
struct TokenSubset {
  std::vector<std::int32_t> tokens;  // which ones, ascending
  std::vector<Index> offsets;        // as of PackedTokens
  ReductionTree plan;
  Index first_token = 0;

  void clear();
  void skip(Index count) { first_token += count; }
  // The next sequence: `count` tokens from `begin` on.
  void add(Index begin, Index count);
  void finish(const BatchPart& part) { plan.assign(offsets, part); }
  void finish() { plan.assign(offsets); }
};

// One row for each sequence, as pooling makes them: packed like sequences of one token.
struct SequenceRows {
  std::vector<Index> offsets;  // 0, 1, 2, ..., count
  ReductionTree plan;
  Index first_token = 0;

  void assign(const BatchPart& part);  // reuses the vectors' memory
  void assign(Index count) { assign(BatchPart::whole(count)); }
};

// A batch for an encoder-decoder. A target line holds the start token, the words and the end token: the
// decoder reads all but the last id and predicts all but the first (teacher forcing). A doubled batch has
// each pair twice in a row, for two passes under different dropout (R-Drop): its labels are those of
// ops::interleave_copies.
struct PairBatch {
  PackedTokens source, target;       // target: what the decoder reads
  std::vector<std::int32_t> labels;  // what it predicts, one a target token
  bool is_doubled = false;

  void clear(bool makes_doubled = false);
  // target has at least two ids.
  void add(std::span<const std::int32_t> source_ids, std::span<const std::int32_t> target_ids);
  // A pair that an earlier part of the global batch holds: before the first add.
  void skip(std::span<const std::int32_t> source_ids, std::span<const std::int32_t> target_ids);
  // After the last add.
  void finish(const BatchPart& part);
  void finish() { finish(BatchPart::whole(source.sequences() / copies())); }
  Index copies() const { return is_doubled ? 2 : 1; }
};

}  // namespace headwater
