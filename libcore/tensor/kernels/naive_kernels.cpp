// The double build's kernels of tensor/naive.hpp.
#ifdef HEADWATER_DOUBLE

#include "tensor/naive.hpp"
#include "tensor/naive_pooling.hpp"

namespace headwater::kernels {

void attention(ConstMatrix q, ConstMatrix k, ConstMatrix v, const AttentionShape& shape, Matrix out,
               Matrix stats) {
  naive::attention<Real>(q, k, v, shape, out, stats);
}
void attention_backward(ConstMatrix q, ConstMatrix k, ConstMatrix v, ConstMatrix, ConstMatrix,
                        ConstMatrix dout, const AttentionShape& shape, Matrix dq, Matrix dk, Matrix dv) {
  naive::attention_backward<Real>(q, k, v, dout, shape, dq, dk, dv);
}
void attention_weights(ConstMatrix q, ConstMatrix k, const AttentionShape& shape, Index sequence, Index head,
                       Matrix weights) {
  naive::attention_weights<Real>(q, k, shape, sequence, head, weights);
}

void append_to_cache(const AttentionCache& cache, std::span<const Index> slots,
                     std::span<const Index> positions, ConstMatrix keys, ConstMatrix values) {
  naive::append_to_cache(cache, slots, positions, keys, values);
}
void attention_over_cache(ConstMatrix q, const AttentionCache& cache, std::span<const Index> slots,
                          std::span<const Index> lengths, Real scale, Matrix out) {
  naive::attention_over_cache(q, cache, slots, lengths, scale, out);
}

void layer_norm(ConstMatrix x, ConstMatrix residual, const Real* gamma, const Real* beta, Real epsilon,
                Matrix sum, Matrix y, Matrix moments) {
  naive::layer_norm<Real>(x, residual, gamma, beta, epsilon, sum, y, moments);
}
void layer_norm_backward(ConstMatrix x, ConstMatrix moments, const Real* gamma, ConstMatrix dy,
                         const FoldPlan&, Matrix dx, bool accumulate_dx, Real* dgamma, Real* dbeta,
                         bool accumulate_parameters) {
  naive::layer_norm_backward<Real>(x, moments, gamma, dy, dx, accumulate_dx, dgamma, dbeta,
                                   accumulate_parameters);
}

void embed(std::span<const std::int32_t> ids, ConstMatrix table, Real scale,
           std::span<const std::int32_t> position_of, ConstMatrix positions, Matrix y) {
  naive::embed<Real>(ids, table, scale, position_of, positions, y);
}
void embed_backward(std::span<const std::int32_t> ids, ConstMatrix dy, Real scale, const FoldPlan&,
                    Matrix dtable, bool accumulate, std::span<std::int32_t>, std::span<std::int32_t>) {
  naive::embed_backward<Real>(ids, dy, scale, dtable, accumulate);
}

void pool(Pooling pooling, ConstMatrix x, std::span<const Index> offsets, Matrix y, std::int32_t* winners) {
  naive::pool<Real>(pooling, x, offsets, y, winners);
}
void take_rows(ConstMatrix x, std::span<const std::int32_t> rows, Matrix y) {
  naive::take_rows<Real>(x, rows, y);
}
void take_rows_backward(ConstMatrix dy, std::span<const std::int32_t> rows, Matrix dx, bool accumulate) {
  naive::take_rows_backward<Real>(dy, rows, dx, accumulate);
}
void pool_backward(Pooling pooling, ConstMatrix dy, std::span<const Index> offsets,
                   const std::int32_t* winners, Matrix dx, bool accumulate) {
  naive::pool_backward<Real>(pooling, dy, offsets, winners, dx, accumulate);
}
void fourier_mix(ConstMatrix x, std::span<const Index> offsets, Matrix y, bool accumulate) {
  naive::fourier_mix<Real>(x, offsets, y, accumulate);
}

void fill(Matrix y, Real value) {
  naive::each(y, [&](Index, Index) { return value; });
}
void add(ConstMatrix a, ConstMatrix b, Matrix y) {
  naive::each(y, [&](Index r, Index c) { return a.row(r)[c] + b.row(r)[c]; });
}
void accumulate(ConstMatrix x, Matrix y) {
  naive::each(y, [&](Index r, Index c) { return y.row(r)[c] + x.row(r)[c]; });
}
void scale(ConstMatrix x, Real factor, Matrix y, bool accumulate) {
  naive::each(y,
              [&](Index r, Index c) { return factor * x.row(r)[c] + (accumulate ? y.row(r)[c] : Real(0)); });
}
void copy(ConstMatrix x, Matrix y) {
  naive::each(y, [&](Index r, Index c) { return x.row(r)[c]; });
}
void transpose(ConstMatrix x, Matrix y) {
  naive::each(y, [&](Index r, Index c) { return x.row(c)[r]; });
}
void dropout(ConstMatrix x, Real rate, const RandomStream& stream, std::uint64_t first_element, Matrix y,
             bool accumulate) {
  naive::dropout<Real>(x, rate, stream, first_element, y, accumulate);
}
void softmax(ConstMatrix x, Matrix y) { naive::softmax<Real>(x, y); }
void softmax_backward(ConstMatrix y, ConstMatrix dy, Matrix dx, bool accumulate) {
  naive::softmax_backward<Real>(y, dy, dx, accumulate);
}
void argmax(ConstMatrix x, std::span<const std::int32_t> skip, std::span<std::int32_t> best) {
  naive::argmax<Real>(x, skip, best);
}
void log_sum_exp(ConstMatrix x, Real* y) { naive::log_sum_exp<Real>(x, y); }

void rmsprop(const RmspropRule& rule, Index n, Real* w, Real* v, const Real* g) {
  naive::rmsprop<Real>(rule, n, w, v, g);
}
void rmsprop_decay(float rho, Index n, Real* v, Index times) { naive::rmsprop_decay<Real>(rho, n, v, times); }
void moving_average(float least_share, Index n, const Real* w, Real* average, Index begin, Index end) {
  naive::moving_average<Real>(least_share, n, w, average, begin, end);
}
void adam(const AdamRule& rule, Index n, Real* w, Real* m, Real* v, const Real* g) {
  naive::adam<Real>(rule, n, w, m, v, g);
}
void sgd(const SgdRule& rule, Index n, Real* w, Real* m, const Real* g) {
  naive::sgd<Real>(rule, n, w, m, g);
}
double sum_of_squares(Index n, const Real* g) { return naive::sum_of_squares<Real>(n, g); }
Index find_not_finite(Index n, const Real* x) { return naive::find_not_finite<Real>(n, x); }

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
