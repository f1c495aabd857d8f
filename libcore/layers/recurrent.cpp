#include "layers/recurrent.hpp"

#include <algorithm>
#include <new>
#include <numeric>
#include <optional>

#include "layers/packed_weights.hpp"

namespace headwater {

RecurrentLayer::RecurrentLayer(LayerBuilder& builder, const std::string& name, const Settings& settings)
    : settings_(settings),
      input_(builder, name + ".input", settings.inputs, kernels::gates_of(settings.cell) * settings.width),
      w_(builder.parameters.declare(
          name + ".recurrent.weight", {settings.width, kernels::gates_of(settings.cell) * settings.width},
          settings.width, kernels::gates_of(settings.cell) * settings.width, Initializer::orthogonal)),
      b_(nullptr) {
  w_->panels = WeightPanels::floats;  // errors of bytes would go from state to state
  const Index outputs = kernels::gates_of(settings.cell) * settings.width;
  if (settings.cell == kernels::Cell::lstm) input_.bias()->initializer = Initializer::unit_forget;
  if (settings.cell == kernels::Cell::gru) {
    b_ = builder.parameters.declare(name + ".recurrent.bias", {outputs}, 1, outputs, Initializer::zeros);
  }
}

Variable RecurrentLayer::operator()(const ForwardContext& context, const Variable& x, const Variable& initial,
                                    const Matrix& final) const {
  return ops::recurrent(context.tape, input_(context, x),
                        {.cell = settings_.cell,
                         .w = w_,
                         .b = b_,
                         .is_backward = settings_.direction == ReadingDirection::backward,
                         .initial = initial,
                         .final = final},
                        ops::Use::donate);
}

Variable RecurrentLayer::step(const ForwardContext& context, const Variable& x, const Matrix& states,
                              std::span<const Index> slots) const {
  Tape& tape = context.tape;
  const Matrix of_rows = tape.arena().matrix(x.rows(), states.cols);
  for (Index b = 0; b < x.rows(); ++b)
    std::copy_n(states.row(slots[static_cast<std::size_t>(b)]), states.cols, of_rows.row(b));
  const kernels::Recurrence recurrence{.cell = settings_.cell,
                                       .is_backward = false,
                                       .offsets = x.packing().offsets,
                                       .w = w_->value,
                                       .b = b_ != nullptr ? b_->value.data : nullptr,
                                       .initial = of_rows};
  std::optional<kernels::PackedRecurrent> packed;
  if (context.packed != nullptr) packed = kernels::split_panels(settings_.cell, context.packed->of(*w_));
  const Variable y = tape.variable(x.rows(), settings_.width, x.packing_or_null(), false);
  kernels::recurrent(recurrence, input_(context, x).value(), y.value(), {}, of_rows,
                     packed ? &*packed : nullptr);
  for (Index b = 0; b < x.rows(); ++b)
    std::copy_n(of_rows.row(b), states.cols, states.row(slots[static_cast<std::size_t>(b)]));
  return y;
}

RecurrentMixing::RecurrentMixing(LayerBuilder& builder, const std::string& name,
                                 const RecurrentMixingSettings& settings, Index width)
    : gives_last_(settings.gives_last),
      forward_(builder, name + ".forward",
               {.cell = settings.cell,
                .inputs = settings.inputs > 0 ? settings.inputs : width,
                .width = width,
                .direction = ReadingDirection::forward}) {
  if (!settings.is_bidirectional) return;
  backward_.emplace(builder, name + ".backward",
                    RecurrentLayer::Settings{.cell = settings.cell,
                                             .inputs = settings.inputs > 0 ? settings.inputs : width,
                                             .width = width,
                                             .direction = ReadingDirection::backward});
}

// A row a sequence.
static const Packing& sequence_rows(Tape& tape, Index sequences) {
  Arena& arena = tape.arena();
  const std::span<Index> offsets(arena.allocate_array<Index>(sequences + 1),
                                 static_cast<std::size_t>(sequences) + 1);
  std::iota(offsets.begin(), offsets.end(), Index{0});
  return *new (arena.allocate(sizeof(Packing))) Packing{offsets};  // no weight is multiplied with these rows
}

RecurrentMixing::Output RecurrentMixing::operator()(const ForwardContext& context, const Variable& x,
                                                    const Variable& initial, const Matrix& final) const {
  Tape& tape = context.tape;
  const Variable forward = forward_(context, x, initial, final);
  if (!backward_ && !gives_last_) return {forward};
  const Packing* const rows = gives_last_ ? &sequence_rows(tape, x.packing().sequences()) : nullptr;
  Variable last = gives_last_ ? ops::pool(tape, forward, ops::Pooling::last, *rows) : Variable{};
  if (!backward_) return {forward, last};
  const Variable backward = (*backward_)(context, x);
  if (gives_last_) last = ops::add(tape, last, ops::pool(tape, backward, ops::Pooling::first, *rows));
  return {ops::add(tape, forward, backward), last};
}

}  // namespace headwater
