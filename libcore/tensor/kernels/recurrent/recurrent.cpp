// Recurrent cells of many sequences: a task runs some of them through all their steps, so that no thread
// waits for another between two steps. The sequences of a task are ordered by length, and a step is one
// product for the first of them, those that still have a token.
#ifndef HEADWATER_DOUBLE

#include "tensor/kernels/recurrent/recurrent.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "support/parallel.hpp"
#include "tensor/kernels/kernel_table.hpp"
#include "tensor/kernels/scratch.hpp"

namespace headwater::kernels {

namespace {

ConstMatrix gate_columns(ConstMatrix w, Index first, Index count) {
  return w.columns_between(first * w.rows, (first + count) * w.rows);
}

// Columns of h that one product gives: all, or without those of the candidate.
Index product_gates(Cell cell) { return cell == Cell::gru_reset_before ? 2 : gates_of(cell); }

// wᵀ, for the way back.
PackedRecurrent pack_transposed(Cell cell, ConstMatrix w, Real* to) {
  const Index H = w.rows, gates = product_gates(cell);
  PackedRecurrent packed{.gates = pack_weight_transposed(gate_columns(w, 0, gates), to), .candidate = {}};
  if (cell == Cell::gru_reset_before)
    packed.candidate = pack_weight_transposed(gate_columns(w, 2, 1), to + packed_size(gates * H, H));
  return packed;
}
Index packed_transposed_size(Cell cell, Index H) {
  return packed_size(product_gates(cell) * H, H) + (cell == Cell::gru_reset_before ? packed_size(H, H) : 0);
}

void multiply(ConstMatrix a, const PackedWeight& w, const Real* b, Matrix c) {
  kernel_table().packed->multiply({.a = a, .panels = w.panels, .c = c, .bias = b});
}

// Rows of numbers that no two of are a multiple of a large power of two apart.
Index row_stride(Index columns) { return round_up(columns, 16) + 16; }
class Rows {
 public:
  Rows(float*& scratch, Index rows, Index columns) : all_(scratch, rows, columns, row_stride(columns)) {
    scratch += rows * row_stride(columns);
  }
  static Index size(Index rows, Index columns) { return rows * row_stride(columns); }
  float* row(Index r) const { return all_.row(r); }
  Matrix first(Index rows) const { return all_.rows_between(0, rows); }
  void clear() const {
    for (Index r = 0; r < all_.rows; ++r) std::fill_n(row(r), all_.cols, 0.0f);
  }

 private:
  Matrix all_;
};

// Every `groups`-th sequence of those that have tokens, in the order of `order`, longest first.
class SequenceGroup {
 public:
  SequenceGroup(const Recurrence& recurrence, const std::int32_t* order, Index sequences, Index group,
                Index groups)
      : recurrence_(recurrence),
        order_(order),
        group_(group),
        groups_(groups),
        count_((sequences - group + groups - 1) / groups) {}

  Index count() const { return count_; }
  Index sequence(Index member) const { return order_[group_ + member * groups_]; }
  Index longest() const { return recurrence_.length(sequence(0)); }
  Index token(Index member, Index step) const { return recurrence_.token(sequence(member), step); }
  // Those of the first `most` members that have a token at this step.
  Index active(Index step, Index most) const {
    while (most > 0 && recurrence_.length(sequence(most - 1)) <= step) --most;
    return most;
  }
  // The rows of h and c before the first token; null: 0.
  const float* initial(Index member) const {
    return recurrence_.initial ? recurrence_.initial.row(sequence(member)) : nullptr;
  }

 private:
  const Recurrence& recurrence_;
  const std::int32_t* order_;
  Index group_, groups_, count_;
};

// run(group) in parallel for groups of all sequences that are not empty. Whatever the group, a sequence has
// the same bits.
template <class F>
void for_each_group_of_sequences(const Recurrence& recurrence, const F& run) {
  constexpr Index kMostMembers = 64;  // their rows stay in L2
  const Index all = recurrence.sequences();
  const SharedScratch memory(all);
  auto* const order = reinterpret_cast<std::int32_t*>(memory.data());
  std::iota(order, order + all, 0);
  const auto end = std::partition(order, order + all, [&](Index s) { return recurrence.length(s) > 0; });
  std::sort(order, end, [&](Index a, Index b) {
    const Index length = recurrence.length(a), other = recurrence.length(b);
    return length != other ? length > other : a < b;
  });
  const Index count = end - order, threads = parallel_threads();
  if (count == 0) return;
  const Index groups = std::min(count, round_up((count + kMostMembers - 1) / kMostMembers, threads));
  parallel_for(groups, [&](Index group) { run(SequenceGroup(recurrence, order, count, group, groups)); });
}

// A matrix for each of the values that a member has at a step.
struct StepMemory {
  Rows h, c, inner, product;
  // In the thread's scratch memory.
  StepMemory(const Recurrence& recurrence, const SequenceGroup& group)
      : StepMemory(thread_scratch(size(group.count(), recurrence.width(), gates_of(recurrence.cell))),
                   group.count(), recurrence.width(), gates_of(recurrence.cell)) {}

 private:
  StepMemory(float* scratch, Index members, Index H, Index gates)
      : h(scratch, members, H),
        c(scratch, members, H),
        inner(scratch, members, H),
        product(scratch, members, gates * H) {}
  static Index size(Index members, Index H, Index gates) {
    return 3 * Rows::size(members, H) + Rows::size(members, gates * H);
  }
};

class Forward {
 public:
  Forward(const Recurrence& recurrence, const SequenceGroup& group, const PackedRecurrent& w)
      : r_(recurrence), group_(group), w_(w), H_(recurrence.width()), memory_(recurrence, group) {}

  void run(ConstMatrix x, Matrix y, const RecurrentRecord& record, Matrix final) const {
    begin();
    Index active = group_.count();
    for (Index step = 0; step < group_.longest(); ++step) {
      active = group_.active(step, active);
      multiply(memory_.h.first(active), w_.gates, r_.b, first_columns(active, product_gates(r_.cell)));
      const auto row = [&](Index member) -> GruRow {
        const Index token = group_.token(member, step);
        float* const product = memory_.product.row(member);
        return {.x = x.row(token),
                .product = product,
                .gates = record.gates ? record.gates.row(token) : product,
                .h = memory_.h.row(member),
                .inner = memory_.inner.row(member)};
      };
      run_cells(active, row);
      const Rows& kept = r_.cell == Cell::lstm ? memory_.c : memory_.inner;
      for (Index member = 0; member < active; ++member) {
        const Index token = group_.token(member, step);
        std::copy_n(memory_.h.row(member), H_, y.row(token));
        if (record.inner) std::copy_n(kept.row(member), H_, record.inner.row(token));
      }
    }
    if (final) end(final);
  }

 private:
  template <class F>
  void run_cells(Index active, const F& row_of) const {
    for (Index member = 0; member < active; ++member) {
      const GruRow row = row_of(member);
      switch (r_.cell) {
        case Cell::lstm:
          table_.lstm(H_, {row.x, row.product, row.gates, memory_.c.row(member), row.h});
          break;
        case Cell::gru:
          table_.gru(H_, row);
          break;
        case Cell::gru_reset_before:
          table_.gru_gates(H_, row);
          break;
      }
    }
    if (r_.cell != Cell::gru_reset_before) return;
    Matrix candidate = memory_.product.first(active);
    candidate.data += 2 * H_;
    candidate.cols = H_;
    multiply(memory_.inner.first(active), w_.candidate, nullptr, candidate);
    for (Index member = 0; member < active; ++member) {
      GruRow row = row_of(member);
      row.product += 2 * H_;
      table_.gru_candidate(H_, row);
    }
  }
  Matrix first_columns(Index rows, Index gates) const {
    Matrix columns = memory_.product.first(rows);
    columns.cols = gates * H_;
    return columns;
  }

  void begin() const {
    memory_.h.clear();
    memory_.c.clear();
    for (Index member = 0; member < group_.count(); ++member) {
      const float* const initial = group_.initial(member);
      if (initial == nullptr) continue;
      std::copy_n(initial, H_, memory_.h.row(member));
      if (r_.cell == Cell::lstm) std::copy_n(initial + H_, H_, memory_.c.row(member));
    }
  }
  void end(Matrix final) const {
    for (Index member = 0; member < group_.count(); ++member) {
      float* const to = final.row(group_.sequence(member));
      std::copy_n(memory_.h.row(member), H_, to);
      if (r_.cell == Cell::lstm) std::copy_n(memory_.c.row(member), H_, to + H_);
    }
  }

  const RecurrentTable& table_ = *kernel_table().recurrent;
  const Recurrence& r_;
  const SequenceGroup& group_;
  const PackedRecurrent& w_;
  Index H_;
  StepMemory memory_;
};

// Here h is the gradient that comes back through the products, c what flows past them (of an lstm: that of
// c), inner the gradient of inner and product that of the products.
class Backward {
 public:
  Backward(const Recurrence& recurrence, const SequenceGroup& group, const PackedRecurrent& transposed)
      : r_(recurrence), group_(group), w_(transposed), H_(recurrence.width()), memory_(recurrence, group) {}

  void run(ConstMatrix y, const RecurrentRecord& record, ConstMatrix dy,
           const RecurrentGradients& gradients) const {
    memory_.h.clear();
    memory_.c.clear();
    for (Index step = group_.longest() - 1; step >= 0; --step) {
      const Index active = group_.active(step, group_.count());
      const auto row = [&](Index member) -> GruGradientRow {
        const Index token = group_.token(member, step);
        const float* previous = group_.initial(member);
        if (step > 0) previous = y.row(group_.token(member, step - 1));
        return {.gates = record.gates.row(token),
                .inner = record.inner.row(token),
                .previous = previous,
                .dy = dy.row(token),
                .dproduct = memory_.h.row(member),
                .dh = memory_.c.row(member),
                .dx = gradients.dx.row(token),
                .dgates = memory_.product.row(member)};
      };
      switch (r_.cell) {
        case Cell::lstm:
          lstm(active, step, record, row);
          break;
        case Cell::gru:
          gru(active, step, gradients.dproduct, row);
          break;
        case Cell::gru_reset_before:
          gru_reset_before(active, row);
          break;
      }
      Matrix products = memory_.product.first(active);
      products.cols = product_gates(r_.cell) * H_;
      multiply(products, w_.gates, nullptr, memory_.h.first(active));
    }
    if (gradients.dinitial) end(gradients.dinitial);
  }

 private:
  template <class F>
  void lstm(Index active, Index step, const RecurrentRecord& record, const F& row_of) const {
    for (Index member = 0; member < active; ++member) {
      const GruGradientRow row = row_of(member);
      const float* const initial = group_.initial(member);
      const float* previous_c = initial != nullptr ? initial + H_ : nullptr;
      if (step > 0) previous_c = record.inner.row(group_.token(member, step - 1));
      table_.lstm_backward(H_, {.gates = row.gates,
                                .c = row.inner,
                                .previous_c = previous_c,
                                .dy = row.dy,
                                .dproduct = row.dproduct,
                                .dc = row.dh,
                                .dx = row.dx});
      std::copy_n(row.dx, 4 * H_, row.dgates);
    }
  }
  template <class F>
  void gru(Index active, Index step, Matrix dproduct, const F& row_of) const {
    for (Index member = 0; member < active; ++member) {
      const GruGradientRow row = row_of(member);
      table_.gru_backward(H_, row);
      std::copy_n(row.dgates + 2 * H_, H_, dproduct.row(group_.token(member, step)));
    }
  }
  template <class F>
  void gru_reset_before(Index active, const F& row_of) const {
    for (Index member = 0; member < active; ++member) {
      const GruGradientRow row = row_of(member);
      table_.gru_candidate_backward(H_, row);
      std::copy_n(row.dx + 2 * H_, H_, row.dgates);
    }
    Matrix candidate = memory_.product.first(active);
    candidate.cols = H_;
    multiply(candidate, w_.candidate, nullptr, memory_.inner.first(active));
    for (Index member = 0; member < active; ++member) {
      GruGradientRow row = row_of(member);
      row.dproduct = memory_.inner.row(member);
      table_.gru_gates_backward(H_, row);
      std::copy_n(row.dx, 2 * H_, row.dgates);
    }
  }
  void end(Matrix dinitial) const {
    for (Index member = 0; member < group_.count(); ++member) {
      const float *const dh = memory_.h.row(member), *const past = memory_.c.row(member);
      float* const to = dinitial.row(group_.sequence(member));
      if (r_.cell == Cell::lstm) {
        std::copy_n(dh, H_, to);
        std::copy_n(past, H_, to + H_);
      } else {
        for (Index i = 0; i < H_; ++i) to[i] = dh[i] + past[i];
      }
    }
  }

  const RecurrentTable& table_ = *kernel_table().recurrent;
  const Recurrence& r_;
  const SequenceGroup& group_;
  const PackedRecurrent& w_;
  Index H_;
  StepMemory memory_;
};

// The states of sequences without tokens: nothing happens to them.
void pass_empty(const Recurrence& r, ConstMatrix from, Matrix to) {
  for (Index s = 0; s < r.sequences(); ++s) {
    if (r.length(s) > 0) continue;
    if (from) {
      std::copy_n(from.row(s), to.cols, to.row(s));
    } else {
      std::fill_n(to.row(s), to.cols, 0.0f);
    }
  }
}

}  // namespace

Index packed_recurrent_size(Cell cell, Index H) {
  return packed_size(H, product_gates(cell) * H) + (cell == Cell::gru_reset_before ? packed_size(H, H) : 0);
}

PackedRecurrent pack_recurrent(Cell cell, ConstMatrix w, Real* to) {
  const Index H = w.rows, gates = product_gates(cell);
  PackedRecurrent packed{.gates = pack_weight(gate_columns(w, 0, gates), to), .candidate = {}};
  if (cell == Cell::gru_reset_before)
    packed.candidate = pack_weight(gate_columns(w, 2, 1), to + packed_size(H, gates * H));
  return packed;
}

std::optional<PackedRecurrent> split_panels(Cell cell, const PackedWeight& w) {
  PackedRecurrent packed{.gates = w, .candidate = {}};
  if (cell != Cell::gru_reset_before) return packed;
  const Index H = w.inputs;
  packed.gates.outputs = product_gates(cell) * H;
  const Index size = packed_size(H, packed.gates.outputs);
  if (size != H * packed.gates.outputs) return std::nullopt;
  packed.candidate = {.panels = w.panels + size, .inputs = H, .outputs = H};
  return packed;
}

void recurrent(const Recurrence& recurrence, ConstMatrix x, Matrix y, const RecurrentRecord& record,
               Matrix final, const PackedRecurrent* packed) {
  const Cell cell = recurrence.cell;
  const SharedScratch panels(packed == nullptr ? packed_recurrent_size(cell, recurrence.width()) : 0);
  const PackedRecurrent w = packed != nullptr ? *packed : pack_recurrent(cell, recurrence.w, panels.data());
  if (final) pass_empty(recurrence, recurrence.initial, final);
  for_each_group_of_sequences(recurrence, [&](const SequenceGroup& group) {
    Forward(recurrence, group, w).run(x, y, record, final);
  });
}

void recurrent_backward(const Recurrence& recurrence, ConstMatrix y, const RecurrentRecord& record,
                        ConstMatrix dy, const RecurrentGradients& gradients) {
  const SharedScratch panels(packed_transposed_size(recurrence.cell, recurrence.width()));
  const PackedRecurrent w = pack_transposed(recurrence.cell, recurrence.w, panels.data());
  if (gradients.dinitial) pass_empty(recurrence, {}, gradients.dinitial);
  for_each_group_of_sequences(recurrence, [&](const SequenceGroup& group) {
    Backward(recurrence, group, w).run(y, record, dy, gradients);
  });
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
