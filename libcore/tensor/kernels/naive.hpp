// The naive forms: what a kernel computes, as its equations say it, in double and with no order of sums of
// its own. They are the oracles of the float kernels in tests and the kernels of the double build.
#pragma once

#include <cstdint>
#include <span>

#include "tensor/kernels.hpp"

namespace headwater::naive {

using Matrix = MatrixOf<double>;
using ConstMatrix = MatrixOf<const double>;

using kernels::Activation;

void activate(Activation activation, ConstMatrix x, Matrix y, Matrix slope = {});
void activation_backward(Activation activation, ConstMatrix kept, ConstMatrix dy, Matrix dpre);

void argmax(ConstMatrix x, std::span<const std::int32_t> skip, std::span<std::int32_t> best);

// Query i of sequence s sees the keys from the first visible one on that are among the first visible_keys.
Index first_visible_key(const kernels::AttentionShape& shape, Index s, Index i);
Index visible_keys(const kernels::AttentionShape& shape, Index s, Index i);

// softmax(q·kᵀ·scale)·v of one sequence and head after the other.
void attention(ConstMatrix q, ConstMatrix k, ConstMatrix v, const kernels::AttentionShape& shape, Matrix out,
               Matrix stats);
void attention_backward(ConstMatrix q, ConstMatrix k, ConstMatrix v, ConstMatrix dout,
                        const kernels::AttentionShape& shape, Matrix dq, Matrix dk, Matrix dv);
void attention_weights(ConstMatrix q, ConstMatrix k, const kernels::AttentionShape& shape, Index s,
                       Index head, Matrix weights);

// What an element is multiplied by: 0 where its word is below rate · 2^32, else 1/(1 - rate).
double dropout_factor(Real rate, const RandomStream& stream, std::uint64_t element);
void dropout(ConstMatrix x, Real rate, const RandomStream& stream, std::uint64_t first_element, Matrix y,
             bool accumulate);

void fill(Matrix y, double value);
void add(ConstMatrix a, ConstMatrix b, Matrix y);
void multiply(ConstMatrix a, ConstMatrix b, Matrix y);
void accumulate(ConstMatrix x, Matrix y);
void scale(ConstMatrix x, double factor, Matrix y, bool accumulate);
void copy(ConstMatrix x, Matrix y);
void transpose(ConstMatrix x, Matrix y);

void embed(std::span<const std::int32_t> ids, ConstMatrix table, double scale,
           std::span<const std::int32_t> position_of, ConstMatrix positions, Matrix y);
void embed_backward(std::span<const std::int32_t> ids, ConstMatrix dy, double scale, Matrix dtable,
                    bool accumulate);

void fourier_mix(ConstMatrix x, std::span<const Index> offsets, Matrix y, bool accumulate);

// w is [I, O], or [O, I] if transposed.
void linear(ConstMatrix x, ConstMatrix w, bool is_transposed, const double* bias, Activation activation,
            Matrix y, Matrix slope);
void linear_backward_input(ConstMatrix dy, ConstMatrix w, Matrix dx, bool accumulate);
void linear_backward_weight(ConstMatrix x, ConstMatrix dy, Matrix dw, double* db, bool accumulate);

void softmax(ConstMatrix x, Matrix y);
void softmax_backward(ConstMatrix y, ConstMatrix dy, Matrix dx, bool accumulate);
void log_sum_exp(ConstMatrix x, double* y);

struct CrossEntropyGradients {
  Matrix dh, dw;
  double* db = nullptr;
  bool accumulate_weight = false, accumulate_bias = false;
};
kernels::CrossEntropyTotals linear_cross_entropy(ConstMatrix h, ConstMatrix w, bool is_transposed,
                                                 const double* bias, std::span<const std::int32_t> labels,
                                                 double smoothing, double loss_scale,
                                                 const CrossEntropyGradients* gradients,
                                                 std::span<const double> class_weights = {},
                                                 double r_drop = 0);

using NormRule = kernels::NormRuleOf<double>;
using NormGradients = kernels::NormGradientsOf<double>;

void norm(ConstMatrix x, ConstMatrix residual, const NormRule& rule, Matrix sum, Matrix y, Matrix moments);
void norm_backward(ConstMatrix x, ConstMatrix moments, const NormRule& rule, ConstMatrix dy, Matrix dx,
                   bool accumulate_dx, const NormGradients& to);

void rmsprop(const kernels::RmspropRule& rule, Index n, double* w, double* v, const double* g);
void rmsprop_decay(double rho, Index n, double* v, Index times);
void moving_average(float min_share, Index n, const double* w, double* average, Index begin, Index end);
void adam(const kernels::AdamRule& rule, Index n, double* w, double* m, double* v, const double* g);
void sgd(const kernels::SgdRule& rule, Index n, double* w, double* m, const double* g);

void pool(kernels::Pooling pooling, ConstMatrix x, std::span<const Index> offsets, Matrix y,
          std::int32_t* winners);
void pool_backward(kernels::Pooling pooling, ConstMatrix dy, std::span<const Index> offsets,
                   const std::int32_t* winners, Matrix dx, bool accumulate);
void take_rows(ConstMatrix x, std::span<const std::int32_t> rows, Matrix y);
void take_rows_backward(ConstMatrix dy, std::span<const std::int32_t> rows, Matrix dx, bool accumulate);

using Recurrence = kernels::RecurrenceOf<double>;
using RecurrentRecord = kernels::RecurrentRecordOf<double>;
using RecurrentGradients = kernels::RecurrentGradientsOf<double>;

void recurrent(const Recurrence& recurrence, ConstMatrix x, Matrix y, const RecurrentRecord& record,
               Matrix final);
void recurrent_backward(const Recurrence& recurrence, ConstMatrix y, const RecurrentRecord& record,
                        ConstMatrix dy, const RecurrentGradients& gradients);

void simple_recurrent(std::span<const Index> offsets, ConstMatrix x, ConstMatrix gate, Matrix f, Matrix c,
                      Matrix h);
void simple_recurrent_backward(std::span<const Index> offsets, ConstMatrix x, ConstMatrix f, ConstMatrix c,
                               ConstMatrix dh, Matrix dx, Matrix dgate);

double sum_of_squares(Index n, const double* x);
Index find_not_finite(Index n, const double* x);

}  // namespace headwater::naive
