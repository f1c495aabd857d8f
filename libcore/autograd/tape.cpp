#include "autograd/tape.hpp"

#include <algorithm>
#include <limits>
#include <new>  // IWYU pragma: keep
#include <string>

#include "autograd/ops.hpp"
#include "support/error.hpp"
#include "tensor/kernels/activation/activation.hpp"
#include "tensor/kernels/elementwise/elementwise.hpp"

namespace headwater {

namespace {

// What the arena sets aside for a matrix.
std::size_t bytes_of(Index rows, Index cols) {
  return (static_cast<std::size_t>(rows * cols) * sizeof(Real) + 63) / 64 * 64;
}

constexpr std::size_t kTemporaryHead = 64;  // keeps the values aligned
Real* values_of(void* temporary) {
  return reinterpret_cast<Real*>(static_cast<char*>(temporary) + kTemporaryHead);
}

}  // namespace

void GradientSlot::put(ConstMatrix contribution) const {
  if (accumulate) {
    kernels::accumulate(contribution, matrix);
  } else {
    kernels::copy(contribution, matrix);
  }
}

Variable::Node* Tape::node(Matrix value, const Packing* packing, bool needs_gradient) {
  return new (arena_.allocate(sizeof(Variable::Node)))
      Variable::Node{value, Matrix(), packing, needs_gradient && is_recording()};
}

void Variable::throw_given_away() {
  throw Error("tape: a value is read whose memory was given away (its operand was passed with Use::donate)");
}

Variable Tape::variable(Index rows, Index cols, const Packing* packing, bool needs_gradient) {
  return result(arena_.matrix(rows, cols), packing, needs_gradient);
}

Matrix Tape::memory_like(const Variable& v, Use use) {
  const bool takes_over = use == Use::donate && v.node_->is_spare;
#ifdef HEADWATER_CHECKS
  if (takes_over) consumed_ = v.node_;
  return arena_.matrix(v.rows(), v.cols());
#else
  return takes_over ? v.value() : arena_.matrix(v.rows(), v.cols());
#endif
}

Variable Tape::result(Matrix value, const Packing* packing, bool needs_gradient) {
  const Variable made(node(value, packing, needs_gradient));
  made.node_->previous_result = last_result_;
  last_result_ = made.node_;
  return made;
}

Variable Tape::wrap(Matrix value, const Packing* packing, bool needs_gradient) {
  const Variable wrapped(node(value, packing, needs_gradient));
  mark_ = arena_.used();  // it stays when the operation that is recorded next is undone
  return wrapped;
}

void Tape::set_activation(const Variable& y, const kernels::UndoneActivation& last) {
  if (last.activation == kernels::Activation::none) return;
  void* const memory = arena_.allocate(sizeof(last));
  y.node_->activation = new (memory) kernels::UndoneActivation(last);
}

void Tape::push(std::string_view operation, void* closure, bool reads_value, Variable::Node* y, Run run) {
  if (std::find(std::begin(kOperationNames), std::end(kOperationNames), operation) ==
      std::end(kOperationNames)) {
    throw Error("tape: operation " + quote(operation) +
                " is not in the list of autograd/ops.hpp (add it there and to the gradient checks)");
  }
  if (consumed_ != nullptr) {
    kernels::fill(consumed_->value, std::numeric_limits<Real>::quiet_NaN());
    consumed_->is_given_away = true;
    consumed_ = nullptr;
  }
  for (Variable::Node* made = last_result_; made != nullptr; made = made->previous_result) {
    const bool undoes_by_value = made->activation && made->activation->kept.data == made->value.data;
    made->is_spare = !reads_value && !undoes_by_value;
  }
  void* const memory = arena_.allocate(sizeof(Entry));
  last_ = new (memory) Entry{closure, run, y, last_, last_result_, mark_, arena_.used()};
  last_result_ = nullptr;
  mark_ = arena_.used();
}

void* Tape::allocate(std::size_t bytes) {
  void* const block = free_.take(bytes);
  return block != nullptr ? block : arena_.allocate(bytes);
}

Matrix Tape::temporary(Index rows, Index cols) {
  static_assert(sizeof(Temporary) <= kTemporaryHead);
  const std::size_t bytes = kTemporaryHead + bytes_of(rows, cols);
  void* const block = allocate(bytes);
  auto* const made = new (block) Temporary{bytes, nullptr, nullptr};
  (last_temporary_ != nullptr ? last_temporary_->next : first_temporary_) = made;
  last_temporary_ = made;
  return {values_of(made), rows, cols};
}

GradientSlot Tape::slot(const Variable& v) {
  Matrix& gradient = v.node_->gradient;
  if (gradient.data != nullptr) return {gradient, true};
  gradient = Matrix(static_cast<Real*>(allocate(bytes_of(v.rows(), v.cols()))), v.rows(), v.cols());
  return {gradient, false};
}

GradientSlot Tape::slot(const Variable& v, Use use_of_v) {
  GradientSlot s = slot(v);
  if (use_of_v == Use::donate && !s.accumulate && v.node_->activation)
    s.undone = *std::exchange(v.node_->activation, nullptr);
  return s;
}

GradientSlot Tape::slot_in_place(const Variable& v) {
  const Variable::Node& y = *running_->y;
  if (has_incoming(v) || y.other_term != nullptr) return slot(v);
  accumulate(v, y.gradient);
  return {v.gradient(), false};
}

Matrix Tape::overwritten(const Variable& v) {
  if (!has_incoming(v)) return slot(v).matrix;
  const Matrix values = temporary(v.rows(), v.cols());
  last_temporary_->v = v.node_;
  return values;
}

GradientSlot Tape::slot(Parameter& p) {
  Gradient& gradient = p.next_use();
  return {gradient.values, gradient.begin_dense()};
}

Tape::PairSlot Tape::slot(Parameter& weight, Parameter* bias) {
  const GradientSlot first = slot(weight), second = bias ? slot(*bias) : first;
  if (first.accumulate != second.accumulate) {
    throw Error("tape: " + quote(weight.name) + " and " + quote(bias->name) +
                " must be shared together or not at all");
  }
  return {first.matrix, bias ? second.matrix.data : nullptr, first.accumulate};
}

void Tape::accumulate(const Variable& v, Matrix contribution) {
  Matrix& gradient = v.node_->gradient;
  if (gradient.data != nullptr) {
    kernels::accumulate(contribution, gradient);
    return;
  }
  gradient = contribution;
  if (running_ == nullptr) return;
  for (Variable::Node* made = running_->last_result; made != nullptr; made = made->previous_result) {
    if (made->gradient.data != contribution.data) continue;
    made->gradient = Matrix();  // it is v's now
    return;
  }
  keeps_memory_ = true;
}

void Tape::accumulate(const Variable& a, const Variable& b, Use use_of_b, Matrix contribution) {
  if (use_of_b == Use::donate && share_gradient(a, b)) return accumulate(b, contribution);
  if (b.needs_gradient()) slot(b).put(contribution);
  if (a.needs_gradient()) accumulate(a, contribution);
}

bool Tape::share_gradient(const Variable& a, const Variable& b) {
  if (!a.needs_gradient() || !b.needs_gradient() || has_incoming(b)) return false;
  if (!b.node_->only_reads_gradient || b.node_->activation) return false;
  // What is older was made before, and stands before it in the arena: its gradient is read later.
  if (!std::less<>()(a.node_, b.node_)) return false;
  b.node_->other_term = a.node_;
  return true;
}

void Tape::release_after(const Entry& entry) {
  const std::size_t begin = entry.begin, end = entry.end;
  for (Temporary* block = first_temporary_; block != nullptr; block = block->next) {
    if (const auto* v = block->v)
      kernels::accumulate(Matrix(values_of(block), v->value.rows, v->value.cols), v->gradient);
  }
  for (Variable::Node* made = entry.last_result; made != nullptr; made = made->previous_result) {
    if (made->other_term != nullptr) accumulate(Variable(made->other_term), made->gradient);
  }
  for (Variable::Node* made = entry.last_result; made != nullptr; made = made->previous_result) {
    if (made->gradient.data != nullptr)
      free_.add(made->gradient.data, bytes_of(made->gradient.rows, made->gradient.cols));
  }
  while (first_temporary_ != nullptr) {
    Temporary* const block = first_temporary_;
    first_temporary_ = block->next;
    free_.add(block, (block->bytes + 63) / 64 * 64);
  }
  last_temporary_ = nullptr;
  if (!keeps_memory_) free_.add(arena_.at(begin), end - begin);
  keeps_memory_ = false;
}

const Matrix& Tape::incoming(const Variable& v) const {
  if (v.node_->gradient.data == nullptr)
    throw Error("tape: a result has no gradient; nothing that the loss depends on uses it");
  return v.node_->gradient;
}

void Tape::undo(const Entry& entry) {
  if (entry.y == nullptr) return entry.run(entry.closure, {}, {});
  if (!entry.y->needs_gradient || entry.y->gradient.data == nullptr) return;
  const Matrix dy = entry.y->gradient;
  // In place: the gradient has no other reader.
  if (const auto* last = entry.y->activation)
    kernels::activation_backward(last->activation, last->kept, dy, dy);
  entry.run(entry.closure, dy, entry.y->value);
}

void Tape::backward(const std::function<void()>& after_operation) {
  while (last_ != nullptr) {
    running_ = last_;
    last_ = running_->previous;
    undo(*running_);
    release_after(*running_);
    if (after_operation) after_operation();
  }
  running_ = nullptr;
}

void Tape::seed(const Variable& v, ConstMatrix cotangent) { slot(v).put(cotangent); }

}  // namespace headwater
