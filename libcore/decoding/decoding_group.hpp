// Prompts that one thread decodes side by side, and what every way of choosing their tokens needs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decoding/decoder.hpp"
#include "decoding/step_output.hpp"

namespace headwater {

struct DecodingGroup {
  const DecodingModels& models;
  Tape& tape;  // does not record
  const GenerationSettings& settings;
  const Prompts& prompts;
  std::span<const Index> room;                        // how many ids may follow each prompt
  std::span<Hypotheses> results;                      // of each prompt, empty at first
  std::span<const Phrases> phrases = {};              // of each prompt, where one has some; for beam search
  std::span<const CandidateColumns> candidates = {};  // for each prompt; empty: all tokens

  Index length() const { return models.front()->model.length(); }
};

// What a step reads: a row for each sequence that goes on.
struct StepInput {
  std::span<const Index> slots;
  std::span<const std::int32_t> ids;
  std::span<const Index> prompts;  // of each row
  // What each row has read, where texts slide.
  std::span<const std::span<const std::int32_t>> texts;
};

// What the models have read of the group's prompts and of what follows them.
class GroupState {
 public:
  explicit GroupState(const DecodingGroup& group, Index slots_per_prompt = 1);
  // DecoderState::step of each model; what is given is valid until the next call. Throws LineError with the
  // prompt of a row whose logits may not be finite.
  StepOutput step(const StepInput& input);
  // DecoderState::reorder of each.
  void reorder(std::span<const Index> from);

 private:
  ForwardContext context_of(const DecodingModel& model) const;
  void slide(const StepInput& input);

  const DecodingGroup& group_;
  Prompts windows_;
  std::vector<DecoderState> states_;  // of each model
  std::vector<ConstMatrix> hidden_;   // of each
};

// What a model reads of a text that is longer than it was trained for: where the ids begin that a model of
// `length` positions reads of a text of `tokens` ids, to choose the next. A text that is too long loses its
// first half-length, as often as it must: the rest is read anew, at the positions from 0 on. So for half a
// length of new ids nothing is read twice, and it is a function of the text alone, however much of it was the
// prompt.
Index window_begin(Index tokens, Index length);

// Beam search (Sutskever et al. 2014): num_beams hypotheses of each prompt side by side, n_best of those that
// ended.
void decode_with_beams(const DecodingGroup& group);

// A token a step, one hypothesis a prompt; `first`: the number of the group's first one.
void decode_token_by_token(const DecodingGroup& group, const TokenByToken& how, std::size_t first);

}  // namespace headwater
