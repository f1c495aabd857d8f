// Cross-entropy of one row of logits and its gradient; maximum and sums by the 16-lane rule.
#include "tensor/kernels/loss/loss_table.hpp"
#include "tensor/simd_math.hpp"

namespace headwater::kernels::HEADWATER_ISA {

namespace {

constexpr float kInfinity = __builtin_inff();

// The last, shorter group filled with `missing`.
f32x16 load_tail(const float* x, Index lanes, float missing) {
  return first_lanes(lanes, f32x16::load_partial(x, lanes), f32x16::broadcast(missing));
}

float maximum(const float* x, Index n) {
  f32x16 most = f32x16::broadcast(-kInfinity);
  Index i = 0;
  for (; i + 16 <= n; i += 16) most = max(f32x16::load(x + i), most);
  if (i < n) most = max(load_tail(x + i, n - i, -kInfinity), most);
  return reduce_max(most);
}

float sum_of(const float* x, Index n) {
  f32x16 sum = f32x16::zero();
  Index i = 0;
  for (; i + 16 <= n; i += 16) sum = sum + f32x16::load(x + i);
  if (i < n) sum = sum + f32x16::load_partial(x + i, n - i);
  return reduce_add(sum);
}

// Σ exp(x - shift); with `to` the terms are kept.
float sum_of_exponentials(const float* x, Index n, float shift, float* to) {
  const f32x16 s = f32x16::broadcast(shift);
  f32x16 sum = f32x16::zero();
  Index i = 0;
  for (; i + 16 <= n; i += 16) {
    const f32x16 e = exp(f32x16::load(x + i) - s);
    if (to) e.store(to + i);
    sum = sum + e;
  }
  if (i < n) {
    const f32x16 e = exp(load_tail(x + i, n - i, -kInfinity) - s);
    if (to) e.store_partial(to + i, n - i);
    sum = sum + e;
  }
  return reduce_add(sum);
}

bool is_first_largest(const float* x, Index label, float largest) {
  if (!(x[label] == largest)) return false;
  for (Index i = 0; i < label; ++i) {
    if (x[i] == largest) return false;
  }
  return true;
}

// q = (1 - smoothing)·onehot + smoothing/V; loss = ln Σ exp(x) - Σ q x; gradient (softmax(x) - q)·scale.
CrossEntropyValue cross_entropy(const CrossEntropyRow& row) {
  float* x = row.logits;
  const float largest = maximum(x, row.count), of_label = x[row.label];
  const float spread = row.smoothing / static_cast<float>(row.count);
  const double mean =
      row.smoothing > 0 ? static_cast<double>(sum_of(x, row.count)) / static_cast<double>(row.count) : 0;
  const bool is_correct = is_first_largest(x, row.label, largest);
  const float sum = sum_of_exponentials(x, row.count, largest, row.wants_gradient ? x : nullptr);
  const double log_sum =
      static_cast<double>(largest) + static_cast<double>(first_lane(log(f32x16::broadcast(sum))));
  const double smoothing = static_cast<double>(row.smoothing);
  const double loss = log_sum - (1 - smoothing) * static_cast<double>(of_label) - smoothing * mean;
  if (row.wants_gradient) {
    const float rate = row.scale / sum, from_all = spread * row.scale;
    const float own = x[row.label];
    const f32x16 factor = f32x16::broadcast(rate), less_all = f32x16::broadcast(-from_all);
    Index i = 0;
    for (; i + 16 <= row.count; i += 16) fma(f32x16::load(x + i), factor, less_all).store(x + i);
    if (i < row.count) {
      fma(f32x16::load_partial(x + i, row.count - i), factor, less_all).store_partial(x + i, row.count - i);
    }
    x[row.label] = (own / sum - (1 - row.smoothing) - spread) * row.scale;
  }
  return {loss, is_correct};
}

// What a row's distribution needs: p = exp(x - log_sum).
struct RowSums {
  float log_sum;
  CrossEntropyValue value;
};

RowSums sums_of(const float* x, const RDropRows& rows) {
  const float largest = maximum(x, rows.count);
  const double mean =
      rows.smoothing > 0 ? static_cast<double>(sum_of(x, rows.count)) / static_cast<double>(rows.count) : 0;
  const float sum = sum_of_exponentials(x, rows.count, largest, nullptr);
  const double log_sum =
      static_cast<double>(largest) + static_cast<double>(first_lane(log(f32x16::broadcast(sum))));
  const double smoothing = static_cast<double>(rows.smoothing);
  return {static_cast<float>(log_sum),
          {log_sum - (1 - smoothing) * static_cast<double>(x[rows.label]) - smoothing * mean,
           is_first_largest(x, rows.label, largest)}};
}

// Sixteen columns: log p and log q of both rows. Lanes past the end have p = q = 0.
struct LogProbabilities {
  f32x16 p, q;
};
constexpr float kNoLogit = -1e30f;

template <class F>
void for_each_group(const RDropRows& rows, const RowSums (&sums)[2], const F& f) {
  const f32x16 shift[2] = {f32x16::broadcast(sums[0].log_sum), f32x16::broadcast(sums[1].log_sum)};
  const float *a = rows.logits[0], *b = rows.logits[1];
  Index i = 0;
  for (; i + 16 <= rows.count; i += 16)
    f(i, Index{16}, LogProbabilities{f32x16::load(a + i) - shift[0], f32x16::load(b + i) - shift[1]});
  if (i == rows.count) return;
  const Index lanes = rows.count - i;
  f(i, lanes,
    LogProbabilities{load_tail(a + i, lanes, kNoLogit) - shift[0],
                     load_tail(b + i, lanes, kNoLogit) - shift[1]});
}

// J = (KL(p || q) + KL(q || p)) / 2, the divergences summed as Σ p u and -Σ q u of u = log p - log q. For the
// logits of p its gradient is (p (u - KL(p || q)) + p - q) / 2; those of q mirror them.
RDropValue r_drop(const RDropRows& rows) {
  const RowSums sums[2] = {sums_of(rows.logits[0], rows), sums_of(rows.logits[1], rows)};
  f32x16 forward = f32x16::zero(), reverse = f32x16::zero();
  for_each_group(rows, sums, [&](Index, Index, const LogProbabilities& log) {
    const f32x16 u = log.p - log.q;
    forward = fma(exp(log.p), u, forward);
    reverse = fma(exp(log.q), f32x16::zero() - u, reverse);
  });
  const float divergence[2] = {reduce_add(forward), reduce_add(reverse)};
  RDropValue result{{sums[0].value, sums[1].value}};
  for (CrossEntropyValue& value : result.of) {
    value.loss += static_cast<double>(rows.weight) *
                  (static_cast<double>(divergence[0]) + static_cast<double>(divergence[1])) / 4;
  }
  if (!rows.wants_gradient) return result;
  const float spread = rows.smoothing / static_cast<float>(rows.count), half = rows.weight / 2;
  const f32x16 scale = f32x16::broadcast(rows.scale), less_all = f32x16::broadcast(-spread * rows.scale);
  const f32x16 weight = f32x16::broadcast(half * rows.scale);
  const f32x16 of_p = f32x16::broadcast(divergence[0]), of_q = f32x16::broadcast(divergence[1]);
  for_each_group(rows, sums, [&](Index i, Index lanes, const LogProbabilities& log) {
    const f32x16 p = exp(log.p), q = exp(log.q), u = log.p - log.q, apart = p - q;
    const f32x16 slope_p = fma(p, u - of_p, apart), slope_q = fma(q, f32x16::zero() - u - of_q, q - p);
    fma(slope_p, weight, fma(p, scale, less_all)).store_partial(rows.logits[0] + i, lanes);
    fma(slope_q, weight, fma(q, scale, less_all)).store_partial(rows.logits[1] + i, lanes);
  });
  for (float* const logits : rows.logits) logits[rows.label] -= (1 - rows.smoothing) * rows.scale;
  return result;
}

}  // namespace

extern const CrossEntropyTable cross_entropy_functions;
const CrossEntropyTable cross_entropy_functions{cross_entropy, r_drop};

}  // namespace headwater::kernels::HEADWATER_ISA
