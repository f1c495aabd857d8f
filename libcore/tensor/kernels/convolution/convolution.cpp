// Plain arithmetic, which needs no form of its own for doubles.
#include "tensor/kernels/convolution/convolution.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "support/error.hpp"
#include "support/parallel.hpp"
#include "tensor/kernels/row_blocks.hpp"

namespace headwater::kernels {

namespace {

// Columns that are computed at once: a known number of them becomes vectors.
constexpr Index kBlock = 32;
using Block = std::array<Real, kBlock>;

void check_rows(std::span<const Index> offsets, Index columns) {
  if (columns == 0) return;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    const Index length = offsets[s + 1] - offsets[s];
    if (length % columns == 0) continue;
    throw Error("convolution: a sequence of " + std::to_string(length) + " tokens in rows of " +
                std::to_string(columns));
  }
}

// The tokens of a packed batch one after the other, each with its place in its sequence.
class Places {
 public:
  Places(std::span<const Index> offsets, Index columns, Index token)
      : offsets_(offsets),
        columns_(columns),
        after_(std::ranges::upper_bound(offsets, token) - offsets.begin()),
        token_(token) {
    skip_empty();
    if (columns_ > 0 && after_ < std::ssize(offsets_)) column_ = (token_ - begin()) % columns_;
  }
  void next() {
    ++token_;
    if (columns_ > 0 && ++column_ == columns_) column_ = 0;  // sequences are of whole rows
    skip_empty();
  }
  Index token() const { return token_; }
  // The token that is so many rows and columns away; -1 where the sequence has none there.
  Index neighbor(Index row, Index column) const {
    const Index at = column_ + column, token = token_ + row * columns_ + column;
    const bool is_in_row = columns_ == 0 || (at >= 0 && at < columns_);
    return is_in_row && token >= begin() && token < offsets_[after_] ? token : -1;
  }

 private:
  Index begin() const { return offsets_[after_ - 1]; }
  void skip_empty() {
    while (after_ + 1 < std::ssize(offsets_) && token_ >= offsets_[after_]) ++after_;
  }

  std::span<const Index> offsets_;
  Index columns_;  // of an image; 0: a line
  Index after_;    // of the offsets the first that lies after the token
  Index token_;
  Index column_ = 0;  // of the token in its image
};

// f(tap, row, column) for the neighbours in their order.
template <class F>
void for_each_tap(const Neighborhood& hood, const F& f) {
  const Index rows = hood.columns == 0 ? 0 : hood.reach;
  Index tap = 0;
  for (Index row = -rows; row <= rows; ++row) {
    for (Index column = 0; column < hood.side(); ++column) f(tap++, row, hood.first() + column);
  }
}

void add_products(const Real* w, const Real* x, Index count, Block& sums) {
  if (count == kBlock) {
    for (std::size_t i = 0; i < kBlock; ++i) sums[i] += w[i] * x[i];
  } else {
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) sums[i] += w[i] * x[i];
  }
}

void put(const Block& sums, Index count, bool accumulate, Real* to) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
    to[i] = accumulate ? to[i] + sums[i] : sums[i];
}

}  // namespace

void depthwise_convolution(Convolution direction, ConstMatrix x, std::span<const Index> offsets,
                           const Neighborhood& neighborhood, ConstMatrix w, Matrix y, bool accumulate) {
  check_rows(offsets, neighborhood.columns);
  const Index sign = direction == Convolution::forward ? 1 : -1;
  for_each_row_block(x.rows, x.cols, [&](Index begin, Index end) {
    for (Places at(offsets, neighborhood.columns, begin); at.token() < end; at.next()) {
      for (Index column = 0; column < x.cols; column += kBlock) {
        const Index count = std::min(kBlock, x.cols - column);
        Block sums{};
        for_each_tap(neighborhood, [&](Index tap, Index row, Index beside) {
          const Index token = at.neighbor(sign * row, sign * beside);
          if (token >= 0) add_products(w.row(tap) + column, x.row(token) + column, count, sums);
        });
        put(sums, count, accumulate, y.row(at.token()) + column);
      }
    }
  });
}

void depthwise_convolution_weights(ConstMatrix x, std::span<const Index> offsets,
                                   const Neighborhood& neighborhood, ConstMatrix dy,
                                   const ReductionTree& plan, Matrix dw, bool accumulate) {
  check_rows(offsets, neighborhood.columns);
  if (plan.depth > kMaxPartialSums)
    throw Error("convolution: " + std::to_string(plan.depth) + " partial sums (use smaller batches)");
  const Index blocks = (x.cols + kBlock - 1) / kBlock;
  const Index rows = neighborhood.columns == 0 ? 1 : neighborhood.side();
  // A task has the taps of one row of neighbours and a block of columns.
  parallel_for(rows * blocks, [&](Index task) {
    const Index row = task / blocks, column = task % blocks * kBlock,
                count = std::min(kBlock, x.cols - column);
    for (Index beside = 0; beside < neighborhood.side(); ++beside) {
      std::array<Block, kMaxPartialSums + 1> sums;  // those that wait for others, as TreeSum has them
      std::size_t alive = 0;
      for (const ReductionLeaf& leaf : plan.leaves) {
        Block& chain = sums[alive++];
        chain = {};
        for (Places at(offsets, neighborhood.columns, leaf.begin); at.token() < leaf.end; at.next()) {
          const Index token = at.neighbor(neighborhood.columns == 0 ? 0 : row - neighborhood.reach,
                                          neighborhood.first() + beside);
          if (token >= 0) add_products(dy.row(at.token()) + column, x.row(token) + column, count, chain);
        }
        for (int merge = 0; merge < leaf.merges; ++merge) {
          --alive;
          for (std::size_t i = 0; i < kBlock; ++i) sums[alive - 1][i] += sums[alive][i];
        }
      }
      if (alive == 0) sums[0] = {};
      put(sums[0], count, accumulate, dw.row(row * neighborhood.side() + beside) + column);
    }
  });
}

void append_to_cache(const RowCache& cache, std::span<const Index> slots, std::span<const Index> positions,
                     ConstMatrix x) {
  for (std::size_t b = 0; b < slots.size(); ++b)
    std::copy_n(x.row(static_cast<Index>(b)), x.cols, cache.at(slots[b], positions[b]));
}

void depthwise_convolution_over_cache(const RowCache& cache, std::span<const Index> slots,
                                      std::span<const Index> lengths, ConstMatrix w, Matrix y) {
  for_each_row_block(y.rows, y.cols, [&](Index begin, Index end) {
    for (Index b = begin; b < end; ++b) {
      const std::size_t i = b;
      const Index first = lengths[i] - w.rows;  // the first neighbour, which may lie before the sequence
      for (Index column = 0; column < y.cols; column += kBlock) {
        const Index count = std::min(kBlock, y.cols - column);
        Block sums{};
        for (Index tap = std::max<Index>(0, -first); tap < w.rows; ++tap)
          add_products(w.row(tap) + column, cache.at(slots[i], first + tap) + column, count, sums);
        put(sums, count, false, y.row(b) + column);
      }
    }
  });
}

}  // namespace headwater::kernels
