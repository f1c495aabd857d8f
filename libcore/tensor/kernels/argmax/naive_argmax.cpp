// The naive form of the search for the largest value, and the kernels of the double build.
#include "tensor/kernels/naive.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tensor/kernels/argmax/argmax.hpp"

namespace headwater {

namespace naive {

void argmax(ConstMatrix x, std::span<const std::int32_t> skip, std::span<std::int32_t> best) {
  for (Index r = 0; r < x.rows; ++r) {
    std::int32_t at = -1;
    for (std::int32_t c = 0; c < x.cols; ++c) {
      const bool is_skipped = std::find(skip.begin(), skip.end(), c) != skip.end();
      if (!is_skipped && (at < 0 || x.row(r)[c] > x.row(r)[at])) at = c;
    }
    best[r] = at;
  }
}

}  // namespace naive

#ifdef HEADWATER_DOUBLE
namespace kernels {

void argmax(ConstMatrix x, std::span<const std::int32_t> skip, std::span<std::int32_t> best) {
  naive::argmax(x, skip, best);
}
Index logit_bounds_size(Index, Index) { return 0; }
LogitBounds logit_bounds(const PackedWeight&, Real*) { return {}; }
void linear_argmax(ConstMatrix x, const ArgmaxWeight& w, const Real* bias, std::span<const std::int32_t> skip,
                   std::span<std::int32_t> best) {
  std::vector<Real> logits(x.rows * w.packed.outputs);
  const Matrix y(logits.data(), x.rows, w.packed.outputs);
  linear_packed(x, w.packed, bias, Activation::none, y);
  naive::argmax(y, skip, best);
}

void top_log_sums(ConstMatrix logits, std::span<Real> log_sums) {
  naive::log_sum_exp(logits, log_sums.data());
}

void top_logits(Matrix logits, const BannedColumns& banned, Index count, std::span<TopLogit> top) {
  const Index limit = banned.limit > 0 ? std::min(banned.limit, logits.cols) : logits.cols;
  for (Index r = 0; r < logits.rows; ++r) {
    const std::size_t row = r;
    std::span<const std::int32_t> own;
    if (!banned.offsets.empty())
      own = banned.columns.subspan(banned.offsets[row], banned.offsets[row + 1] - banned.offsets[row]);
    std::vector<TopLogit> choices;
    for (std::int32_t c = 0; c < logits.cols; ++c) {
      const bool is_banned = c >= limit ||
                             std::find(banned.all.begin(), banned.all.end(), c) != banned.all.end() ||
                             std::find(own.begin(), own.end(), c) != own.end();
      if (is_banned) logits.row(r)[c] = -HUGE_VAL;
      if (logits.row(r)[c] > -HUGE_VAL) choices.push_back({logits.row(r)[c], c});
    }
    std::stable_sort(choices.begin(), choices.end(),
                     [](const TopLogit& a, const TopLogit& b) { return a.value > b.value; });
    choices.resize(count, TopLogit{-HUGE_VAL, -1});
    std::copy(choices.begin(), choices.end(), top.begin() + r * count);
  }
}

void linear_top(ConstMatrix x, const PackedWeight& w, const Real* bias, const BannedColumns& banned,
                Index count, std::span<TopLogit> top, std::span<Real> log_sums) {
  std::vector<Real> logits(x.rows * w.outputs);
  const Matrix y(logits.data(), x.rows, w.outputs);
  linear_packed(x, w, bias, Activation::none, y);
  top_log_sums(y, log_sums);
  top_logits(y, banned, count, top);
}

}  // namespace kernels
#endif  // HEADWATER_DOUBLE

}  // namespace headwater
