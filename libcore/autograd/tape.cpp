#include "autograd/tape.hpp"

#include <algorithm>
#include <new>
#include <string>

#include "autograd/ops.hpp"
#include "support/error.hpp"
#include "tensor/kernels.hpp"

namespace headwater {

Variable Tape::variable(Index rows, Index cols, const Packing* packing, bool needs_gradient) {
  return wrap(arena_.matrix(rows, cols), packing, needs_gradient);
}

Variable Tape::wrap(Matrix value, const Packing* packing, bool needs_gradient) {
  auto* node = new (arena_.allocate(sizeof(Variable::Node)))
      Variable::Node{value, Matrix(), packing, needs_gradient && is_recording()};
  return Variable(node);
}

void Tape::push(std::string_view operation, void* closure, void (*run)(void*)) {
  if (std::find(std::begin(kOperationNames), std::end(kOperationNames), operation) ==
      std::end(kOperationNames)) {
    throw Error("tape: operation " + quote(operation) +
                " is not in the list of autograd/ops.hpp (add it there and to the gradient checks)");
  }
  last_ = new (arena_.allocate(sizeof(Entry))) Entry{closure, run, last_};
}

GradientSlot Tape::slot(const Variable& v) {
  Matrix& gradient = v.node_->gradient;
  if (gradient.data != nullptr) return {gradient, true};
  gradient = arena_.matrix(v.rows(), v.cols());
  return {gradient, false};
}

GradientSlot Tape::slot(Parameter& p) {
  const bool accumulate = p.has_gradient;
  p.has_gradient = true;
  return {p.gradient, accumulate};
}

Tape::PairSlot Tape::slot(Parameter& weight, Parameter* bias) {
  if (bias != nullptr && bias->has_gradient != weight.has_gradient) {
    throw Error("tape: " + quote(weight.name) + " and " + quote(bias->name) +
                " must be shared together or not at all");
  }
  const GradientSlot first = slot(weight);
  return {first.matrix, bias ? slot(*bias).matrix.data : nullptr, first.accumulate};
}

void Tape::give(const Variable& v, Matrix contribution) {
  Matrix& gradient = v.node_->gradient;
  if (gradient.data == nullptr) {
    gradient = contribution;
  } else {
    kernels::accumulate(contribution, gradient);
  }
}

const Matrix& Tape::incoming(const Variable& v) const {
  if (v.node_->gradient.data == nullptr)
    throw Error("tape: a result has no gradient; nothing that the loss depends on uses it");
  return v.node_->gradient;
}

void Tape::backward() {
  for (Entry* entry = last_; entry != nullptr; entry = entry->previous) entry->run(entry->closure);
}

void Tape::seed(const Variable& v, ConstMatrix cotangent) {
  const GradientSlot s = slot(v);
  if (s.accumulate) {
    kernels::accumulate(cotangent, s.matrix);
  } else {
    kernels::copy(cotangent, s.matrix);
  }
}

}  // namespace headwater
