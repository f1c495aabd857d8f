// The largest value of each row, and the output layer of decoding: a block of logits is searched as soon as
// it is there, while it is warm.
#ifndef HEADWATER_DOUBLE

#include "tensor/kernels/argmax/argmax.hpp"

#include <algorithm>
#include <limits>

#include "support/parallel.hpp"
#include "tensor/kernels/argmax/argmax_parts.hpp"
#include "tensor/kernels/argmax/argmax_table.hpp"
#include "tensor/kernels/gemm/packed.hpp"
#include "tensor/kernels/kernel_table.hpp"
#include "tensor/kernels/row_blocks.hpp"
#include "tensor/kernels/scratch.hpp"

namespace headwater::kernels {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr Index kWarmColumns = 4 * kGroupColumns;  // columns whose logits are searched at once

}  // namespace

void search_logits(MatrixOf<float> logits, Index first, std::span<const std::int32_t> skip, Largest* found) {
  const ArgmaxTable& table = *kernel_table().argmax;
  for (Index r = 0; r < logits.rows; ++r) {
    float* const row = logits.row(r);
    for (const std::int32_t column : skip) {
      if (column >= first && column < first + logits.cols) row[column - first] = -kInfinity;
    }
    const Largest largest = table.largest(logits.cols, row);
    if (largest.value > found[r].value)
      found[r] = {largest.value, largest.index + static_cast<std::int32_t>(first)};
  }
}

std::int32_t first_choice(Index columns, std::span<const std::int32_t> skip) {
  for (std::int32_t c = 0; c < columns; ++c) {
    if (std::find(skip.begin(), skip.end(), c) == skip.end()) return c;
  }
  return -1;
}

void argmax_of_all(ConstMatrix x, const PackedWeight& w, const Real* bias, std::span<const std::int32_t> skip,
                   std::span<std::int32_t> best) {
  const Index M = x.rows, N = w.outputs, K = w.inputs;
  if (M == 0) return;
  const PackedGrid grid = packed_grid(M, N, K);
  const PackedInput input(x, w);
  static_assert(sizeof(Largest) == 2 * sizeof(float));
  const SharedScratch partial(2 * M * grid.column_blocks);
  auto* const found = reinterpret_cast<Largest*>(partial.data());  // [column blocks][M]
  std::fill_n(found, M * grid.column_blocks, Largest{-kInfinity, -1});
  parallel_for(grid.row_blocks * grid.column_blocks, [&](Index index) {
    const PackedBlock block = grid.block(index, M, N);
    const Index rows = block.row_end - block.row;
    float* const scratch = thread_scratch(rows * kWarmColumns);
    for (Index first = block.first; first < block.last; first += kWarmColumns) {
      const MatrixOf<float> logits(scratch, rows, std::min(kWarmColumns, block.last - first), kWarmColumns);
      input.multiply(block.row, block.row_end, w, bias, first, logits);
      search_logits(logits, first, skip, found + index / grid.row_blocks * M + block.row);
    }
  });
  for (Index r = 0; r < M; ++r) {
    Largest most{-kInfinity, -1};
    for (Index number = 0; number < grid.column_blocks; ++number) {
      const Largest& candidate = found[number * M + r];
      if (candidate.value > most.value) most = candidate;
    }
    best[r] = most.index >= 0 ? most.index : first_choice(N, skip);
  }
}

void linear_argmax(ConstMatrix x, const ArgmaxWeight& w, const Real* bias, std::span<const std::int32_t> skip,
                   std::span<std::int32_t> best) {
  if (w.bounds.bytes != nullptr) {
    argmax_by_bounds(x, w, bias, skip, best);
  } else {
    argmax_of_all(x, w.packed, bias, skip, best);
  }
}

void argmax(ConstMatrix x, std::span<const std::int32_t> skip, std::span<std::int32_t> best) {
  const ArgmaxTable& table = *kernel_table().argmax;
  for_each_row_block(x.rows, x.cols, [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r)
      best[r] = table.argmax(x.cols, x.row(r), skip.data(), static_cast<Index>(skip.size()));
  });
}

// The output layer of beam search: a block of logits is summed and searched as soon as it is there.
namespace {

// Rows of a task, and blocks of columns.
struct TopCut {
  Index row_tasks, column_tasks, blocks;
};

// Tasks of some ten microseconds: of multiplications, or of weights that come from memory. Not many: each
// begins its list of the largest anew.
TopCut cut_of(Index M, Index N, Index K) {
  constexpr Index kTaskProducts = 1'000'000, kTaskWeights = 48'000, kMaxTasks = 4, kTaskRows = 112;
  const Index blocks = (N + kTopBlock - 1) / kTopBlock, row_tasks = (M + kTaskRows - 1) / kTaskRows;
  const Index tasks = std::max(M * N * K / kTaskProducts, N * K / kTaskWeights) / row_tasks;
  return {row_tasks, std::clamp<Index>(tasks, 1, std::min(blocks, kMaxTasks)), blocks};
}

// Banned columns of a row become -infinity: `logits` are those of the columns from `first` on.
void ban(const BannedColumns& banned, Index row, Index first, Index count, float* logits) {
  const auto put = [&](std::int32_t column) {
    if (column >= first && column < first + count) logits[column - first] = -kInfinity;
  };
  for (const std::int32_t column : banned.all) put(column);
  if (banned.offsets.empty()) return;
  const std::size_t r = row;
  for (Index i = banned.offsets[r]; i < banned.offsets[r + 1]; ++i) put(banned.columns[i]);
}

}  // namespace

void linear_top(ConstMatrix x, const PackedWeight& w, const Real* bias, const BannedColumns& banned,
                Index count, std::span<TopLogit> top, std::span<Real> log_sums) {
  const Index M = x.rows, N = w.outputs, K = w.inputs;
  const TopLogitsTable& table = *kernel_table().top_logits;
  const TopCut cut = cut_of(std::max<Index>(M, 1), N, K);
  const PackedInput input(x, w);
  static_assert(sizeof(TopLogit) == 2 * sizeof(float));
  const SharedScratch partial(2 * M * count * cut.column_tasks), sums(2 * M * cut.blocks);
  auto* const found = reinterpret_cast<TopLogit*>(partial.data());  // [column tasks][M][count]
  std::fill_n(found, M * count * cut.column_tasks, TopLogit{-kInfinity, -1});
  float* const block_most = sums.data();  // [M][blocks]
  float* const block_sum = sums.data() + M * cut.blocks;
  const Index limit = banned.limit > 0 ? banned.limit : N;
  parallel_for(cut.row_tasks * cut.column_tasks, [&](Index index) {
    const Index part = index % cut.row_tasks, number = index / cut.row_tasks;
    const Index row = part * M / cut.row_tasks, row_end = (part + 1) * M / cut.row_tasks;
    float* const scratch = thread_scratch((row_end - row) * kTopBlock);
    for (Index block = number * cut.blocks / cut.column_tasks;
         block < (number + 1) * cut.blocks / cut.column_tasks; ++block) {
      const Index first = block * kTopBlock, columns = std::min(kTopBlock, N - first);
      const Index choices = std::min(columns, limit - first);
      const MatrixOf<float> logits(scratch, row_end - row, columns, kTopBlock);
      input.multiply(row, row_end, w, bias, first, logits);
      for (Index r = row; r < row_end; ++r) {
        float* const values = logits.row(r - row);
        TopLogit* const best = found + (number * M + r) * count;
        float& most = block_most[r * cut.blocks + block];
        table.sum(columns, values, &most, &block_sum[r * cut.blocks + block]);
        if (choices <= 0 || !(most > best[count - 1].value)) continue;
        ban(banned, r, first, columns, values);
        table.select(choices, values, static_cast<std::int32_t>(first), count, best);
      }
    }
  });
  for (Index r = 0; r < M; ++r) {
    log_sums[r] = table.log_of_sums(cut.blocks, block_most + r * cut.blocks, block_sum + r * cut.blocks);
    TopLogit* const best = top.data() + r * count;
    std::copy_n(found + r * count, count, best);
    for (Index number = 1; number < cut.column_tasks; ++number) {
      const TopLogit* const part = found + (number * M + r) * count;
      for (Index i = 0; i < count && part[i].value > best[count - 1].value; ++i) {
        Index place = count - 1;
        for (; place > 0 && best[place - 1].value < part[i].value; --place) best[place] = best[place - 1];
        best[place] = part[i];
      }
    }
  }
}

void top_log_sums(ConstMatrix logits, std::span<Real> log_sums) {
  const TopLogitsTable& table = *kernel_table().top_logits;
  const Index blocks = (logits.cols + kTopBlock - 1) / kTopBlock;
  for_each_row_block(logits.rows, logits.cols, [&](Index begin, Index end) {
    float* const most = thread_scratch(2 * blocks);
    float* const sums = most + blocks;
    for (Index r = begin; r < end; ++r) {
      for (Index block = 0; block < blocks; ++block) {
        const Index first = block * kTopBlock;
        table.sum(std::min(kTopBlock, logits.cols - first), logits.row(r) + first, most + block,
                  sums + block);
      }
      log_sums[r] = table.log_of_sums(blocks, most, sums);
    }
  });
}

void top_logits(Matrix logits, const BannedColumns& banned, Index count, std::span<TopLogit> top) {
  const TopLogitsTable& table = *kernel_table().top_logits;
  const Index limit = banned.limit > 0 ? std::min(banned.limit, logits.cols) : logits.cols;
  for_each_row_block(logits.rows, logits.cols, [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r) {
      ban(banned, r, 0, logits.cols, logits.row(r));
      std::fill(logits.row(r) + limit, logits.row(r) + logits.cols, -kInfinity);
      TopLogit* const best = top.data() + r * count;
      std::fill_n(best, count, TopLogit{-kInfinity, -1});
      for (Index first = 0; first < limit; first += kTopBlock)
        table.select(std::min(kTopBlock, limit - first), logits.row(r) + first,
                     static_cast<std::int32_t>(first), count, best);
    }
  });
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
