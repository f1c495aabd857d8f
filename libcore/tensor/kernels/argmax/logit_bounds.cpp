// The output layer of decoding in two steps: products of bytes, a quarter of the weights' memory, bound every
// logit; those that may be the largest, mostly one or two panels of 16, are computed as linear() computes
// them. What is chosen is the choice among all logits, bit by bit.
#ifndef HEADWATER_DOUBLE

#include <algorithm>
#include <limits>

#include "support/parallel.hpp"
#include "tensor/kernels/argmax/argmax_parts.hpp"
#include "tensor/kernels/kernel_table.hpp"
#include "tensor/kernels/scratch.hpp"

namespace headwater::kernels {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

}  // namespace

Index logit_bounds_size(Index inputs, Index outputs) { return int8_size(inputs, outputs); }

LogitBounds logit_bounds(const PackedWeight& w, Real* to) {
  const Int8Panels panels = int8_panels(w, kBoundsZeroPoint, 0x1p40f, to);
  return {.bytes = panels.bytes,
          .scales = panels.scales,
          .starts = panels.starts,
          .length = static_cast<float>(panels.length * 1.0001),
          .rest = static_cast<float>(panels.rest * 1.0001)};
}

namespace {

// A product with packed weights whose best column is wanted.
struct Choice {
  ConstMatrix x;
  const PackedWeight& w;
  const LogitBounds& bounds;
  const Real* bias;
  std::span<const std::int32_t> skip;
};

// The bias of a block of columns, and -infinity for those that may not be chosen.
void fill_bias(const Choice& of, Index first, Index last, float* to) {
  const Index there = std::min(last, of.w.outputs);
  if (of.bias != nullptr) {
    std::copy(of.bias + first, of.bias + there, to);
  } else {
    std::fill_n(to, there - first, 0.0f);
  }
  std::fill(to + (there - first), to + (last - first), -kInfinity);
  for (const std::int32_t column : of.skip) {
    if (column >= first && column < last) to[column - first] = -kInfinity;
  }
}

// Rows [begin, end) and columns [first, last), whole groups.
struct Block {
  Index begin, end, first, last;
};
void search_block(const Choice& of, const Block& block, const std::uint8_t* bytes, const BoundsRow* rows,
                  Candidates* found) {
  const Index count = block.end - block.begin, K = of.w.inputs, steps = int8_steps(K);
  const LogitBounds& bounds = of.bounds;
  float bias[kBoundsBlock];
  float* const scratch = thread_scratch(bounds_scratch(count));
  for (Index first = block.first; first < block.last; first += kBoundsBlock) {
    const Index last = std::min(first + kBoundsBlock, block.last);
    fill_bias(of, first, last, bias);
    kernel_table().logit_bounds->search({.x = bytes + block.begin * int8_row_bytes(K),
                                         .row = rows + block.begin,
                                         .rows = count,
                                         .K = K,
                                         .bytes = bounds.bytes + first * 4 * steps,
                                         .scales = bounds.scales + first,
                                         .starts = bounds.starts + first,
                                         .bias = bias,
                                         .first_panel = first / 16,
                                         .groups = (last - first) / kBoundsGroup,
                                         .scratch = scratch,
                                         .found = found});
  }
}

// The largest logit of a panel.
Largest largest_of_panel(const Choice& of, Index row, Index panel) {
  const Index first = 16 * panel, K = of.w.inputs;
  Largest largest{-kInfinity, -1};
  if (first >= of.w.outputs) return largest;
  float logits[16];
  const MatrixOf<float> part(logits, 1, std::min<Index>(16, of.w.outputs - first), 16);
  kernel_table().packed->multiply({.a = of.x.rows_between(row, row + 1),
                                   .panels = of.w.panels + first * K,
                                   .c = part,
                                   .bias = of.bias ? of.bias + first : nullptr});
  search_logits(part, first, of.skip, &largest);
  return largest;
}

// The best column of a row from the candidates of all blocks of columns, `step` apart; false where some that
// were dropped may be better.
bool choose(const Choice& of, Index row, const Candidates* found, Index blocks, Index step,
            std::int32_t& best) {
  float least = -kInfinity;
  Candidate likeliest{-kInfinity, -1};
  for (Index block = 0; block < blocks; ++block) {
    const Candidates& part = found[block * step];
    least = std::max(least, part.least);
    for (int i = 0; i < part.count; ++i) {
      if (likeliest.panel < 0 || part.list[i].upper > likeliest.upper) likeliest = part.list[i];
    }
  }
  if (likeliest.panel < 0) return false;
  const Largest first = largest_of_panel(of, row, likeliest.panel);
  const float reach = bounds_reach(std::max(least, first.value));
  Largest most{-kInfinity, -1};
  for (Index block = 0; block < blocks; ++block) {
    const Candidates& part = found[block * step];
    if (!(part.dropped <= reach)) return false;
    for (int i = 0; i < part.count; ++i) {
      const Candidate& candidate = part.list[i];
      if (candidate.upper <= reach && candidate.panel != likeliest.panel) continue;
      const Largest largest =
          candidate.panel == likeliest.panel ? first : largest_of_panel(of, row, candidate.panel);
      if (largest.value > most.value) most = largest;
    }
  }
  best = most.index;
  return best >= 0;
}

}  // namespace

void argmax_by_bounds(ConstMatrix x, const ArgmaxWeight& weight, const Real* bias,
                      std::span<const std::int32_t> skip, std::span<std::int32_t> best) {
  const PackedWeight& w = weight.packed;
  const Index M = x.rows, K = w.inputs, N = w.outputs;
  if (M == 0 || N == 0) return argmax_of_all(x, w, bias, skip, best);
  // Tasks of some ten microseconds, cut by the shape alone.
  constexpr Index kTaskProducts = 8'000'000, kTaskBytes = 320'000, kMaxTasks = 16, kBlockRows = 112;
  const Index groups = (N + kBoundsGroup - 1) / kBoundsGroup, row_blocks = (M + kBlockRows - 1) / kBlockRows;
  const Index tasks = std::max(M * N * K / kTaskProducts, N * K / kTaskBytes) / row_blocks;
  const Index column_blocks = std::clamp<Index>((tasks + 1) / 2 * 2, 1, std::min(groups, kMaxTasks));
  static_assert(sizeof(Candidates) % sizeof(float) == 0 && sizeof(BoundsRow) == 2 * sizeof(float));
  const SharedScratch prepared(M * (2 + int8_row_bytes(K) / 4)),
      candidates(M * column_blocks * static_cast<Index>(sizeof(Candidates) / sizeof(float)));
  auto* const rows = reinterpret_cast<BoundsRow*>(prepared.data());
  auto* const bytes = reinterpret_cast<std::uint8_t*>(prepared.data() + 2 * M);
  auto* const found = reinterpret_cast<Candidates*>(candidates.data());  // [column blocks][M]
  for (Index r = 0; r < M; ++r)
    rows[r] = kernel_table().logit_bounds->prepare(x.row(r), K, weight.bounds, bytes + r * int8_row_bytes(K));
  const Choice choice{x, w, weight.bounds, bias, skip};
  parallel_for(row_blocks * column_blocks, [&](Index index) {
    const Index part = index % row_blocks, number = index / row_blocks;
    const Block block{part * M / row_blocks, (part + 1) * M / row_blocks,
                      number * groups / column_blocks * kBoundsGroup,
                      (number + 1) * groups / column_blocks * kBoundsGroup};
    Candidates* const own = found + number * M + block.begin;
    for (Index r = 0; r < block.end - block.begin; ++r) {
      own[r].least = own[r].dropped = -kInfinity;
      own[r].count = 0;
    }
    search_block(choice, block, bytes, rows, own);
  });
  for (Index r = 0; r < M; ++r) {
    const std::size_t row = r;
    if (!(rows[r].error < kInfinity) || !choose(choice, r, found + r, column_blocks, M, best[row]))
      argmax_of_all(x.rows_between(r, r + 1), w, bias, skip, best.subspan(row, 1));
  }
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
