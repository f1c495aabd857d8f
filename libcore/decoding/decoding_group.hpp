// Prompts that one thread decodes side by side, and what every way of choosing their tokens needs.
#pragma once

#include <cstdint>
#include <span>

#include "decoding/generation_settings.hpp"
#include "decoding/hypothesis.hpp"
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

}  // namespace headwater
