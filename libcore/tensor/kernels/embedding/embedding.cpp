// Embedding look-up by blocks of tokens; its gradient by the rows that occur, after a stable counting sort of
// the ids.
#ifndef HEADWATER_DOUBLE

#include "tensor/kernels/embedding/embedding.hpp"

#include <algorithm>
#include <utility>

#include "support/parallel.hpp"
#include "tensor/kernels/kernel_table.hpp"
#include "tensor/kernels/reduction_blocks.hpp"
#include "tensor/kernels/row_blocks.hpp"

namespace headwater::kernels {

void embed(std::span<const std::int32_t> ids, ConstMatrix table, Real scale,
           std::span<const std::int32_t> position_of, ConstMatrix positions, Matrix y) {
  const EmbeddingTable& functions = *kernel_table().embedding;
  for_each_row_block(y.rows, y.cols, [&](Index begin, Index end) {
    functions.forward(
        {ids.data() + begin, table, scale, positions ? position_of.data() + begin : nullptr, positions},
        y.rows_between(begin, end));
  });
}

void embed_backward(std::span<const std::int32_t> ids, ConstMatrix dy, Real scale, const ReductionTree& plan,
                    Matrix dtable, bool accumulate, std::span<std::int32_t> order,
                    std::span<std::int32_t> starts) {
  const EmbeddingTable& functions = *kernel_table().embedding;
  check_depth(plan);
  const Leaves leaves{plan.leaves.data(), static_cast<Index>(plan.leaves.size())};
  const Index tokens = dy.rows;
  // starts[r + 1] counts row r, then becomes the first place of row r in the order, then (as tokens are put
  // there) its end.
  std::fill_n(starts.begin(), dtable.rows + 1, 0);
  for (Index t = 0; t < tokens; ++t) ++starts[ids[t] + 1];
  std::int32_t place = 0;
  for (Index r = 0; r < dtable.rows; ++r) place += std::exchange(starts[r + 1], place);
  for (Index t = 0; t < tokens; ++t) order[starts[ids[t] + 1]++] = static_cast<std::int32_t>(t);
  // A task takes the rows whose first place lies in its part of the order.
  constexpr Index kPlaces = 32;
  parallel_for((tokens + kPlaces - 1) / kPlaces, [&](Index task) {
    for (Index at = task * kPlaces; at < std::min(tokens, (task + 1) * kPlaces); ++at) {
      const std::int32_t id = ids[order[at]];
      if (at != starts[id]) continue;
      const Index count = starts[id + 1] - starts[id];
      functions.backward({dy, &order[at], count, scale, dtable.row(id), accumulate}, leaves);
    }
  });
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
