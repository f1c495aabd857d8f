#include "decoding/decoding_group.hpp"

#include <algorithm>
#include <cmath>

#include "support/error.hpp"
#include "tensor/kernels/reduction/reduction.hpp"

namespace headwater {

namespace {

// The ids that the caches of these prompts must hold.
Index capacity_of(const DecodingGroup& group) {
  Index capacity = 0;
  for (Index s = 0; s < group.prompts.sequences(); ++s)
    capacity =
        std::max(capacity, static_cast<Index>(group.prompts.target.sequence(s).size()) - 1 + group.room[s]);
  return group.settings.slides ? std::min(capacity, group.length()) : capacity;
}

// What is read of each prompt at first.
Prompts windows_of(const Prompts& prompts, Index length) {
  Prompts windows;
  windows.clear();
  for (Index s = 0; s < prompts.sequences(); ++s) {
    const std::span<const std::int32_t> text = prompts.target.sequence(s);
    const Index begin = window_begin(static_cast<Index>(text.size()), length);
    windows.add(prompts.source.sequence(s), text.subspan(begin));
  }
  windows.finish();
  return windows;
}

void check_hidden(ConstMatrix hidden, double largest, std::span<const Index> prompts) {
  for (Index row = 0; row < hidden.rows; ++row) {
    const double length = std::sqrt(kernels::sum_of_squares(hidden.cols, hidden.row(row)));
    if (length <= largest) continue;  // false of what is not a number
    throw LineError(static_cast<std::size_t>(prompts[row]), kOutputNotFinite);
  }
}

}  // namespace

GroupState::GroupState(const DecodingGroup& group, Index slots_per_prompt) : group_(group) {
  const bool slides = group.settings.slides;
  if (slides) windows_ = windows_of(group.prompts, group.length());
  const DecoderState::Size size{.capacity = capacity_of(group), .slots_per_prompt = slots_per_prompt};
  for (const auto& model : group.models)
    states_.emplace_back(model->model, context_of(*model), slides ? windows_ : group.prompts, size);
  hidden_.resize(states_.size());
}

ForwardContext GroupState::context_of(const DecodingModel& model) const {
  return {.tape = group_.tape, .packed = &model.packed};
}

StepOutput GroupState::step(const StepInput& input) {
  if (group_.settings.slides) slide(input);
  for (std::size_t m = 0; m < states_.size(); ++m) {
    const DecodingModel& model = *group_.models[m];
    hidden_[m] = states_[m].step(context_of(model), input.slots, input.ids).value();
    check_hidden(hidden_[m], model.largest_hidden, input.prompts);
  }
  return {group_.models, hidden_, group_.tape.arena()};
}

// A slot that is full reads the end of its text anew, but for the last id, which the step reads.
void GroupState::slide(const StepInput& input) {
  std::vector<Index> full;
  PackedTokens windows;
  windows.clear();
  for (std::size_t row = 0; row < input.slots.size(); ++row) {
    if (states_.front().length(input.slots[row]) < group_.length()) continue;
    const std::span<const std::int32_t> text = input.texts[row];
    const Index begin = window_begin(static_cast<Index>(text.size()), group_.length());
    windows.add(text.first(text.size() - 1).subspan(begin));
    full.push_back(input.slots[row]);
  }
  if (full.empty()) return;
  windows.finish();
  for (std::size_t m = 0; m < states_.size(); ++m)
    states_[m].reread(context_of(*group_.models[m]), full, windows);
}

void GroupState::reorder(std::span<const Index> from) {
  for (DecoderState& state : states_) state.reorder(from);
}

Index window_begin(Index tokens, Index length) {
  const Index shift = std::max<Index>(1, length / 2);
  return tokens <= length ? 0 : (tokens - length + shift - 1) / shift * shift;
}

}  // namespace headwater
