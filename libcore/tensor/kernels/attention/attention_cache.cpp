// Attention of decoding steps: one task is a bundle of sequences.
#include "tensor/kernels/attention/attention.hpp"

#include <algorithm>

#include "support/parallel.hpp"
#include "tensor/kernels/attention/attention_table.hpp"
#include "tensor/kernels/kernel_table.hpp"

namespace headwater::kernels {

Index cache_capacity(Index length, Index window) {
  if (window == 0) return length;
  const Index tiles = (window - 1 + kKeyTile - 1) / kKeyTile + 1;  // that the keys of a window can lie in
  return std::min(tiles * kKeyTile, padded_width(length));
}

#ifndef HEADWATER_DOUBLE

void append_to_cache(const AttentionCache& cache, std::span<const Index> slots,
                     std::span<const Index> positions, ConstMatrix keys, ConstMatrix values) {
  const AttentionCacheTable& table = *kernel_table().attention_cache;
  for (Index b = 0; b < keys.rows; ++b) {
    const std::size_t i = b;
    table.append(cache, slots[i], positions[i], keys.row(b), values.row(b));
  }
}

void attention_over_cache(ConstMatrix q, const AttentionCache& cache, std::span<const Index> slots,
                          std::span<const Index> lengths, Real scale, Matrix out) {
  if (q.rows == 0) return;
  const AttentionCacheTable& table = *kernel_table().attention_cache;
  constexpr Index kTaskProducts = 200'000;  // some ten microseconds
  const Index most = *std::max_element(lengths.begin(), lengths.begin() + q.rows),
              longest = std::min(most, cache.capacity);
  const Index bundle = std::clamp<Index>(kTaskProducts / ((longest + 1) * q.cols), 1, q.rows);
  parallel_for((q.rows + bundle - 1) / bundle, [&](Index task) {
    const Index begin = task * bundle, end = std::min(q.rows, begin + bundle);
    table.attend(cache, {q.rows_between(begin, end), slots.data() + begin, lengths.data() + begin, scale},
                 out.rows_between(begin, end));
  });
}

#endif  // HEADWATER_DOUBLE

}  // namespace headwater::kernels
