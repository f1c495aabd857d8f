// Pooling over sequences: comparisons and sums column by column, which the compiler vectorises; nothing is
// summed across columns, so vector width cannot show.
#ifndef HEADWATER_DOUBLE

#include "tensor/kernels/pooling/pooling.hpp"

#include <algorithm>

#include "support/parallel.hpp"
#include "tensor/kernels/row_blocks.hpp"

namespace headwater::kernels {

namespace {

constexpr Index kColumns = 256;  // of a task

struct Block {
  Index sequence, begin, end, column, count;
};

// body(Block) for each sequence and block of columns.
template <class Body>
void for_each_block(std::span<const Index> offsets, Index cols, const Body& body) {
  const Index sequences = offsets.empty() ? 0 : static_cast<Index>(offsets.size()) - 1;
  const Index blocks = (cols + kColumns - 1) / kColumns;
  parallel_for(sequences * blocks, [&](Index task) {
    const Index s = task / blocks, column = task % blocks * kColumns;
    body(Block{s, offsets[s], offsets[s + 1], column, std::min(kColumns, cols - column)});
  });
}

void pool_max(ConstMatrix x, const Block& block, float* y, std::int32_t* winners) {
  std::copy_n(x.row(block.begin) + block.column, block.count, y);
  std::fill_n(winners, block.count, static_cast<std::int32_t>(block.begin));
  for (Index t = block.begin + 1; t < block.end; ++t) {
    const float* const row = x.row(t) + block.column;
    for (Index c = 0; c < block.count; ++c) {
      const bool is_larger = row[c] > y[c];
      y[c] = is_larger ? row[c] : y[c];
      winners[c] = is_larger ? static_cast<std::int32_t>(t) : winners[c];
    }
  }
}

void pool_mean(ConstMatrix x, const Block& block, float* y) {
  std::copy_n(x.row(block.begin) + block.column, block.count, y);
  for (Index t = block.begin + 1; t < block.end; ++t) {
    const float* const row = x.row(t) + block.column;
    for (Index c = 0; c < block.count; ++c) y[c] += row[c];
  }
  const float length = static_cast<float>(block.end - block.begin);
  for (Index c = 0; c < block.count; ++c) y[c] /= length;
}

void write(const float* share, Index count, float* dx, bool accumulate) {
  if (accumulate) {
    for (Index c = 0; c < count; ++c) dx[c] += share[c];
  } else {
    std::copy_n(share, count, dx);
  }
}

}  // namespace

void pool(Pooling pooling, ConstMatrix x, std::span<const Index> offsets, Matrix y, std::int32_t* winners) {
  for_each_block(offsets, x.cols, [&](const Block& block) {
    float sums[kColumns];
    std::int32_t rows[kColumns];
    float* const to = y.row(block.sequence) + block.column;
    if (block.begin == block.end) {
      std::fill_n(sums, block.count, 0.0f);
      std::fill_n(rows, block.count, -1);
    } else if (pooling == Pooling::max) {
      pool_max(x, block, sums, rows);
    } else if (pooling == Pooling::mean) {
      pool_mean(x, block, sums);
    } else {
      const Index row = pooling == Pooling::first ? block.begin : block.end - 1;
      std::copy_n(x.row(row) + block.column, block.count, sums);
    }
    std::copy_n(sums, block.count, to);
    if (winners && pooling == Pooling::max)
      std::copy_n(rows, block.count, winners + block.sequence * x.cols + block.column);
  });
}

void pool_backward(Pooling pooling, ConstMatrix dy, std::span<const Index> offsets,
                   const std::int32_t* winners, Matrix dx, bool accumulate) {
  for_each_block(offsets, dx.cols, [&](const Block& block) {
    float share[kColumns] = {};
    const float* const from = dy.row(block.sequence) + block.column;
    if (pooling == Pooling::mean) {
      const float length = static_cast<float>(block.end - block.begin);
      for (Index c = 0; c < block.count; ++c) share[c] = from[c] / length;
    }
    for (Index t = block.begin; t < block.end; ++t) {
      float* const to = dx.row(t) + block.column;
      if (pooling == Pooling::mean) {
        write(share, block.count, to, accumulate);
      } else if ((pooling == Pooling::first && t == block.begin) ||
                 (pooling == Pooling::last && t + 1 == block.end)) {
        write(from, block.count, to, accumulate);
      } else if (!accumulate) {
        std::fill_n(to, block.count, 0.0f);
      }
    }
    if (pooling != Pooling::max || block.begin == block.end) return;
    const std::int32_t* const row = winners + block.sequence * dx.cols + block.column;
    for (Index c = 0; c < block.count; ++c) dx.row(row[c])[block.column + c] += from[c];
  });
}

// Some rows of a matrix, and their gradients back to their places.
void take_rows(ConstMatrix x, std::span<const std::int32_t> rows, Matrix y) {
  for_each_row_block(y.rows, y.cols, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) std::copy_n(x.row(rows[i]), y.cols, y.row(i));
  });
}

void take_rows_backward(ConstMatrix dy, std::span<const std::int32_t> rows, Matrix dx, bool accumulate) {
  const auto row_at = [&](Index i) { return static_cast<Index>(rows[i]); };
  const auto clear = [&](Index begin, Index end) {
    for (Index t = begin; t < end; ++t) std::fill_n(dx.row(t), dx.cols, Real(0));
  };
  if (!accumulate) clear(dy.rows == 0 ? 0 : row_at(dy.rows - 1) + 1, dx.rows);
  for_each_row_block(dy.rows, dy.cols, [&](Index begin, Index end) {
    // A row that is taken several times belongs to the block in which it is taken first.
    const auto is_first = [&](Index i) { return i == 0 || row_at(i - 1) != row_at(i); };
    while (begin < end && !is_first(begin)) ++begin;
    if (begin == end) return;
    while (end < dy.rows && !is_first(end)) ++end;
    for (Index i = begin; i < end; ++i) {
      Real* const to = dx.row(row_at(i));
      const Real* const from = dy.row(i);
      if (accumulate || !is_first(i)) {
        for (Index c = 0; c < dy.cols; ++c) to[c] += from[c];
        continue;
      }
      clear(i == 0 ? 0 : row_at(i - 1) + 1, row_at(i));
      std::copy_n(from, dy.cols, to);
    }
  });
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
