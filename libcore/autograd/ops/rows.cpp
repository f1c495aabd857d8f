#include <algorithm>
#include <string>

#include "autograd/ops.hpp"
#include "support/error.hpp"
#include "support/parallel.hpp"

namespace headwater::ops {

Variable take_rows(Tape& tape, const Variable& x, std::span<const std::int32_t> rows,
                   const Packing& packing) {
  const Variable y = tape.variable(packing.tokens(), x.cols(), &packing, x.needs_gradient());
  kernels::take_rows(x.value(), rows, y.value());
  tape.record("take_rows", y, [&tape, x, rows](ConstMatrix dy) {
    const GradientSlot dx = tape.slot(x);
    kernels::take_rows_backward(dy, rows, dx.matrix, dx.accumulate);
  });
  return y;
}

Variable pool(Tape& tape, const Variable& x, Pooling pooling, const Packing& rows) {
  const std::span<const Index> offsets = x.packing().offsets;
  const Variable y = tape.variable(rows.tokens(), x.cols(), &rows, x.needs_gradient());
  const bool keeps_winners = tape.is_recording() && pooling == Pooling::max;
  std::int32_t* const winners =
      keeps_winners ? tape.arena().allocate_array<std::int32_t>(y.rows() * y.cols()) : nullptr;
  kernels::pool(pooling, x.value(), offsets, y.value(), winners);
  tape.record("pool", y, [&tape, x, offsets, pooling, winners](ConstMatrix dy) {
    const GradientSlot dx = tape.slot(x);
    kernels::pool_backward(pooling, dy, offsets, winners, dx.matrix, dx.accumulate);
  });
  return y;
}

Variable concatenate(Tape& tape, std::span<const Variable> parts) {
  Index width = 0;
  bool needs_gradient = false;
  for (const Variable& part : parts) {
    width += part.cols();
    needs_gradient = needs_gradient || part.needs_gradient();
  }
  const Variable y = tape.variable(parts[0].rows(), width, parts[0].packing_or_null(), needs_gradient);
  const auto kept = tape.arena().span<Variable>(static_cast<Index>(parts.size()));
  std::copy(parts.begin(), parts.end(), kept.begin());
  Index column = 0;
  for (const Variable& part : kept) {
    kernels::scale(part.value(), 1, y.value().columns_between(column, column + part.cols()), false);
    column += part.cols();
  }
  tape.record("concatenate", y, [&tape, kept](ConstMatrix dy) {
    Index at = 0;
    for (const Variable& part : kept) {
      if (part.needs_gradient()) {
        const GradientSlot dx = tape.slot(part);
        kernels::scale(dy.columns_between(at, at + part.cols()), 1, dx.matrix, dx.accumulate);
      }
      at += part.cols();
    }
  });
  return y;
}

Variable repeat_heads(Tape& tape, const Variable& x, Index heads) {
  const Index width = x.cols();
  const Variable y = tape.variable(x.rows(), heads * width, x.packing_or_null(), x.needs_gradient());
  for (Index h = 0; h < heads; ++h)
    kernels::scale(x.value(), 1, y.value().columns_between(h * width, (h + 1) * width), false);
  tape.record("repeat_heads", y, [&tape, x, heads, width](ConstMatrix dy) {
    const GradientSlot dx = tape.slot(x);
    for (Index h = 0; h < heads; ++h)
      kernels::scale(dy.columns_between(h * width, (h + 1) * width), 1, dx.matrix, dx.accumulate || h > 0);
  });
  return y;
}

namespace {

// f(row of x, row of y) for all rows.
template <class F>
void for_each_row(const Packing& packing, const F& f) {
  const auto first_row = [&](Index s) { return packing.offsets[s]; };
  parallel_for((static_cast<Index>(packing.offsets.size()) - 1) / 2, [&](Index i) {
    const Index begin = first_row(2 * i), length = first_row(2 * i + 1) - begin;
    for (Index t = 0; t < 2 * length; ++t) f(begin + t, begin + (t < length ? 2 * t : 2 * (t - length) + 1));
  });
}

}  // namespace

Variable interleave_copies(Tape& tape, const Variable& x) {
  const Variable y = tape.variable(x.rows(), x.cols(), x.packing_or_null(), x.needs_gradient());
  for_each_row(x.packing(),
               [&](Index from, Index to) { std::copy_n(x.value().row(from), x.cols(), y.value().row(to)); });
  tape.record("interleave_copies", y, [&tape, x](ConstMatrix dy) {
    const GradientSlot dx = tape.slot(x);
    for_each_row(x.packing(), [&](Index to, Index from) {
      for (Index c = 0; c < x.cols(); ++c)
        dx.matrix.row(to)[c] = dy.row(from)[c] + (dx.accumulate ? dx.matrix.row(to)[c] : Real(0));
    });
  });
  return y;
}

namespace {

// Calls f(rows of the shorter sequence in x, its rows in y after the token) for each sequence.
template <class X, class Y, class F>
void for_each_sequence(const Packing& shorter, const Packing& longer, X x, Y y, const F& f) {
  for (Index s = 0; s < shorter.sequences(); ++s) {
    const std::size_t at = s;
    f(x.rows_between(shorter.offsets[at], shorter.offsets[at + 1]),
      y.rows_between(longer.offsets[at] + 1, longer.offsets[at + 1]));
  }
}

}  // namespace

Variable prepend_token(Tape& tape, const Variable& x, const Packing& packing, Parameter& token) {
  const Variable y = tape.variable(packing.tokens(), x.cols(), &packing, true);
  for (Index s = 0; s < packing.sequences(); ++s)
    std::copy_n(token.value.data, x.cols(), y.value().row(packing.offsets[s]));
  for_each_sequence(x.packing(), packing, x.value(), y.value(),
                    [](Matrix from, Matrix to) { kernels::copy(from, to); });
  // Row 0 of a table that the first token of each sequence reads, so that the gradient is reduced like any
  // other.
  const auto ids = tape.arena().span<std::int32_t>(y.rows());
  std::fill(ids.begin(), ids.end(), 1);
  for (const Index first : packing.offsets.first(packing.offsets.size() - 1)) ids[first] = 0;
  tape.record("prepend_token", y, [=, &tape, &packing, &token](ConstMatrix dy) {
    const Matrix sums = tape.temporary(2, dy.cols);
    const auto order = tape.arena().span<std::int32_t>(dy.rows);
    const auto starts = tape.arena().span<std::int32_t>(3);
    kernels::embed_backward(ids, dy, Real(1), *packing.plan, sums, false, order, starts);
    Tape::slot(token).put(sums.rows_between(0, 1));
    if (!x.needs_gradient()) return;
    const GradientSlot dx = tape.slot(x);
    for_each_sequence(x.packing(), packing, dx.matrix, dy, [&](Matrix to, ConstMatrix from) {
      GradientSlot{to, dx.accumulate}.put(from);
    });
  });
  return y;
}

Variable flatten(Tape& tape, const Variable& x, const Packing& packing) {
  const Packing& of_x = x.packing();
  const Index sequences = of_x.sequences(), length = sequences > 0 ? of_x.tokens() / sequences : 0;
  for (Index s = 0; s < sequences; ++s) {
    const Index here = of_x.offsets[s + 1] - of_x.offsets[s];
    if (here != length) {
      throw Error("flatten: sequence " + std::to_string(s) + " has " + std::to_string(here) +
                  " tokens, the others " + std::to_string(length));
    }
  }
  if (packing.tokens() != sequences) {
    throw Error("flatten: a packing of " + std::to_string(packing.tokens()) + " rows for " +
                std::to_string(sequences) + " sequences");
  }
  const Index width = length * x.cols();
  const Variable y = tape.wrap(Matrix(x.value().data, sequences, width), &packing, x.needs_gradient());
  tape.record("flatten", y,
              [&tape, x](Matrix dy) { tape.accumulate(x, Matrix(dy.data, x.rows(), x.cols())); });
  return y;
}

}  // namespace headwater::ops
