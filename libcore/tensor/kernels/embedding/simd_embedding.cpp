// Rows of an embedding table: looked up, and their gradients gathered.
#include "tensor/kernels/embedding/embedding_table.hpp"
#include "tensor/simd.hpp"

namespace headwater::kernels::HEADWATER_ISA {

namespace {

// The row of one token; its last group of columns has `lanes`.
template <bool HasPosition>
HEADWATER_INLINE void look_up(const float* word, f32x16 scale, const float* position, Index groups,
                              Index lanes, float* y) {
  const auto value = [&](Index c, auto load) __attribute__((always_inline)) {
    const f32x16 scaled = load(word + c) * scale;
    return HasPosition ? scaled + load(position + c) : scaled;
  };
  const auto whole = [](const float* p) { return f32x16::load(p); };
  Index c = 0;
  for (Index g = 1; g < groups; ++g, c += 16) value(c, whole).store(y + c);
  if (lanes == 16) return value(c, whole).store(y + c);
  value(c, [=](const float* p) { return f32x16::load_partial(p, lanes); }).store_partial(y + c, lanes);
}

template <bool HasPosition>
void look_up_all(const EmbeddingLookup& lookup, MatrixOf<float> y) {
  const f32x16 scale = f32x16::broadcast(lookup.scale);
  const Index groups = (y.cols + 15) / 16, lanes = y.cols - 16 * (groups - 1);
  for (Index t = 0; t < y.rows; ++t) {
    const float* const position = HasPosition ? lookup.positions.row(lookup.position_of[t]) : nullptr;
    look_up<HasPosition>(lookup.table.row(lookup.ids[t]), scale, position, groups, lanes, y.row(t));
  }
}

void forward(const EmbeddingLookup& lookup, MatrixOf<float> y) {
  if (y.cols == 0) return;
  if (lookup.positions) {
    look_up_all<true>(lookup, y);
  } else {
    look_up_all<false>(lookup, y);
  }
}

// Columns [first, first + 16·P) of one row's gradient: a chain over its tokens in each leaf, reduced by the
// plan; a missing half is not added as 0.
template <int P>
void gather_columns(const EmbeddingRow& row, const Leaves& leaves, Index first, Index lanes) {
  f32x16 sums[kMaxPartialSums][P];
  bool present[kMaxPartialSums];
  int top = 0;
  Index at = 0;
  for (Index leaf = 0; leaf < leaves.count; ++leaf, ++top) {
    const Index end = leaves.first[leaf].end;
    bool is_present = at < row.count && row.tokens[at] < end;
    f32x16 sum[P];
    for (int p = 0; p < P; ++p) sum[p] = f32x16::zero();
    for (; at < row.count && row.tokens[at] < end; ++at) {
      const float* dy = row.dy.row(row.tokens[at]) + first;
      for (int p = 0; p < P; ++p) {
        sum[p] = sum[p] + (p < P - 1 || lanes == 16 ? f32x16::load(dy + 16 * p)
                                                    : f32x16::load_partial(dy + 16 * p, lanes));
      }
    }
    for (int merge = 0; merge < leaves.first[leaf].merges; ++merge) {
      --top;
      // Merges have their leaves. NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Branch)
      if (!present[top]) continue;
      for (int p = 0; p < P; ++p) sum[p] = is_present ? sums[top][p] + sum[p] : sums[top][p];
      is_present = true;
    }
    present[top] = is_present;
    for (int p = 0; p < P; ++p) sums[top][p] = sum[p];
  }
  const f32x16 factor = f32x16::broadcast(row.scale);
  for (int p = 0; p < P; ++p) {
    float* to = row.to + first + 16 * p;
    f32x16 gradient = factor * sums[0][p];
    if (p < P - 1 || lanes == 16) {
      if (row.accumulate) gradient = f32x16::load(to) + gradient;
      gradient.store(to);
    } else {
      if (row.accumulate) gradient = f32x16::load_partial(to, lanes) + gradient;
      gradient.store_partial(to, lanes);
    }
  }
}

void backward(const EmbeddingRow& row, const Leaves& leaves) {
  const Index cols = row.dy.cols;
  Index c = 0;
  for (; c + 64 <= cols; c += 64) gather_columns<4>(row, leaves, c, 16);
  for (; c < cols; c += 16) gather_columns<1>(row, leaves, c, cols - c < 16 ? cols - c : 16);
}

}  // namespace

extern const EmbeddingTable embedding_functions;
const EmbeddingTable embedding_functions{forward, backward};

}  // namespace headwater::kernels::HEADWATER_ISA
