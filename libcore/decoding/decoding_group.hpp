// Prompts that one thread decodes side by side, and what every way of choosing their tokens needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "decoding/generation_settings.hpp"
#include "decoding/hypothesis.hpp"
#include "decoding/next_token.hpp"
#include "models/cached_model.hpp"

namespace headwater {

struct DecodingGroup {
  const CachedModel& model;
  const ForwardContext& context;  // with packed weights; its tape does not record
  const GenerationSettings& settings;
  double largest_hidden;
  const Prompts& prompts;
  std::span<const Index> room;    // how many ids may follow each prompt
  std::span<Hypotheses> results;  // of each prompt, empty at first
};

// The ids that the caches of these prompts must hold.
Index capacity_of(const DecodingGroup& group);
// Throws LineError with sequence[row], the prompt of each row, where a row's logits may not be finite.
void check_hidden(const DecodingGroup& group, const Variable& hidden, std::span<const Index> sequence);

// Where texts slide: slots[row], if it is full, reads the end of texts[row] anew, but for the last id, which
// the next step reads.
void slide(const DecodingGroup& group, DecoderState& state, std::span<const Index> slots,
           std::span<const std::span<const std::int32_t>> texts);

// What a model reads of a text that is longer than it was trained for: where the ids begin that a model of
// `length` positions reads of a text of `tokens` ids, to choose the next. A text that is too long loses its
// first half-length, as often as it must: the rest is read anew, at the positions from 0 on. So for half a
// length of new ids nothing is read twice, and it is a function of the text alone, however much of it was the
// prompt.
Index window_begin(Index tokens, Index length);

// What is read of each prompt at first.
Prompts windows_of(const Prompts& prompts, Index length);

// Beam search (Sutskever et al. 2014): num_beams hypotheses of each prompt side by side, n_best of those that
// ended.
void decode_with_beams(const DecodingGroup& group);

// A token a step, one hypothesis a prompt; `first`: the number of the group's first one.
void decode_token_by_token(const DecodingGroup& group, const TokenByToken& how, std::size_t first);

}  // namespace headwater
