// Attention (Vaswani et al. 2017, sec. 3.2; tiles as Dao et al. 2022).
// Tq, Tk tokens of the queries and of the keys, H heads, K head width.
#pragma once

#include <span>

#include "support/random.hpp"
#include "tensor/matrix.hpp"

namespace headwater::kernels {

struct AttentionShape {
  std::span<const Index> query_offsets;  // first query token of each sequence, then Tq; n + 1 values
  std::span<const Index> key_offsets;    // the same for keys; equal to query_offsets in self-attention
  Index heads = 1, head_width = 1;
  Real scale = 1;          // of the scores, usually 1/sqrt(head_width)
  bool is_causal = false;  // query i of a sequence sees keys 0..i + (key length - query length)
  // If set, query i sees among these only the keys that are less than `window` away from key i + (key length
  // - query length); 0: all.
  Index window = 0;
  Index sequences() const { return query_offsets.empty() ? 0 : static_cast<Index>(query_offsets.size()) - 1; }
  Index query_length(Index s) const { return query_offsets[s + 1] - query_offsets[s]; }
  Index key_length(Index s) const { return key_offsets[s + 1] - key_offsets[s]; }
  // The probability that a weight is dropped; it draws element ((first_query + query token) · heads + head) ·
  // 2^16 + key position of `stream`.
  Real dropout = 0;
  Index first_query = 0;  // number of the first query token in the global batch
  RandomStream stream = {};
};
// q, out [Tq, H·K]; k, v [Tk, H·K]; head h owns columns [h·K, (h+1)·K). stats [Tq, 2·H]: running maximum m
// and sum l of (query, head) at columns 2h, 2h + 1, kept for backward (may be empty for inference).
void attention(ConstMatrix q, ConstMatrix k, ConstMatrix v, const AttentionShape& shape, Matrix out,
               Matrix stats);
// Overwrites dq, dk, dv.
void attention_backward(ConstMatrix q, ConstMatrix k, ConstMatrix v, ConstMatrix out, ConstMatrix stats,
                        ConstMatrix dout, const AttentionShape& shape, Matrix dq, Matrix dk, Matrix dv);
// Weights of one sequence and head, the same bits that attention() used: weights [query length, key length];
// masked ones are 0.
void attention_weights(ConstMatrix q, ConstMatrix k, const AttentionShape& shape, Index sequence, Index head,
                       Matrix weights);

// Keys and values of sequences that are decoded side by side, a slot each. A head's keys lie in panels of 16:
// component c of key 16·p + lane at keys_of(slot, head)[(p·K + c)·16 + lane]; its values in rows of
// value_width(), filled up with 0.
struct AttentionCache {
  Index heads = 1, head_width = 1;
  Index window = 0;    // of attention; 0: all keys are seen
  Index capacity = 0;  // keys that a slot may hold; with a window those before give way to new ones
  Real* keys = nullptr;
  Real* values = nullptr;

  Index value_width() const { return (head_width + 15) / 16 * 16; }
  // Where a key stands in its slot.
  Index place(Index position) const { return window > 0 ? position % capacity : position; }
  // How many keys of a sequence of so many a slot holds.
  Index held(Index length) const { return length < capacity ? length : capacity; }
  Index key_lanes() const { return (capacity + 15) / 16 * 16; }
  Index key_floats(Index slots) const { return slots * heads * key_lanes() * head_width; }
  Index value_floats(Index slots) const { return slots * heads * capacity * value_width(); }
  Real* keys_of(Index slot, Index head) const {
    return keys + (slot * heads + head) * key_lanes() * head_width;
  }
  Real* values_of(Index slot, Index head) const {
    return values + (slot * heads + head) * capacity * value_width();
  }
};
// The capacity for sequences of at most `length` keys: with a window whole tiles of keys that never meet.
Index cache_capacity(Index length, Index window);
// Row b of keys and values [B, H·K] becomes key positions[b] of slot slots[b]. The positions of a slot are
// given in ascending order without gaps.
void append_to_cache(const AttentionCache& cache, std::span<const Index> slots,
                     std::span<const Index> positions, ConstMatrix keys, ConstMatrix values);
// Query b, out row b [B, H·K]: over the first lengths[b] >= 1 keys of slot slots[b], with a window the last
// of them; the bits of attention().
void attention_over_cache(ConstMatrix q, const AttentionCache& cache, std::span<const Index> slots,
                          std::span<const Index> lengths, Real scale, Matrix out);

}  // namespace headwater::kernels
