#include "models/cached_model.hpp"

#include <algorithm>

namespace headwater {

void Prompts::clear() {
  source.clear();
  target.clear();
}

void Prompts::add(std::span<const std::int32_t> source_ids, std::span<const std::int32_t> target_ids) {
  source.add(source_ids);
  target.add(target_ids);
}

void Prompts::finish() {
  source.finish();
  target.finish();
}

Prompts Prompts::part(Index begin, Index end) const {
  Prompts result;
  result.clear();
  for (Index s = begin; s < end; ++s) result.add(source.sequence(s), target.sequence(s));
  result.finish();
  return result;
}

DecoderState::DecoderState(const CachedModel& model, const ForwardContext& context, const Prompts& prompts,
                           Size size)
    : model_(model), places_(static_cast<std::size_t>(prompts.sequences() * size.slots_per_prompt)) {
  const EncodedSource encoded = model.encode_source(context, prompts.source);
  const auto slots = static_cast<Index>(places_);
  Arena& arena = context.tape.arena();
  for (const TransformerBlock& block : model.decoder().blocks())
    caches_.push_back(block.new_cache(arena, slots, size.capacity));
  for (Index slot = 0; slot < slots; ++slot)
    slots_.push_back({.self = slot, .memory = slot / size.slots_per_prompt, .length = 0});
  memory_lengths_.resize(prompts.sequences());
  if (encoded.memory) cache_memory(context, prompts.source, encoded, size.slots_per_prompt);
  read_prompts(context, prompts.target, encoded, size.slots_per_prompt);
}

void DecoderState::cache_memory(const ForwardContext& context, const PackedTokens& source,
                                const EncodedSource& encoded, Index slots_per_prompt) {
  for (Index s = 0; s < source.sequences(); ++s)
    memory_lengths_[s] = static_cast<Index>(source.sequence(s).size());
  for (std::size_t layer = 0; layer < caches_.size(); ++layer) {
    const TransformerBlock& block = model_.decoder().blocks()[layer];
    block.remember(context, encoded.memory, source.offsets, caches_[layer]);
    if (!encoded.last) continue;
    for (Index slot = 0; slot < slots(); ++slot)
      caches_[layer].mixer->begin(slot, encoded.last.value().row(slot / slots_per_prompt));
  }
}

void DecoderState::read_prompts(const ForwardContext& context, const PackedTokens& prompts,
                                const EncodedSource& encoded, Index slots_per_prompt) {
  PackedTokens begun;  // all but the last ids
  begun.clear();
  std::vector<Index> slots, from;
  for (Index s = 0; s < prompts.sequences(); ++s) {
    const std::span<const std::int32_t> ids = prompts.sequence(s);
    begun.add(ids.first(ids.size() - 1));
    slots.push_back(s * slots_per_prompt);
    from.insert(from.end(), static_cast<std::size_t>(slots_per_prompt), slots.back());
  }
  begun.finish();
  read(context, begun, slots, encoded);
  if (slots_per_prompt > 1) reorder(from);
}

void DecoderState::reread(const ForwardContext& context, std::span<const Index> slots,
                          const PackedTokens& texts) {
  for (const BlockCache& cache : caches_) {
    for (const Index slot : slots) cache.mixer->begin(slots_[slot].self, nullptr);
  }
  read(context, texts, slots, {});
}

void DecoderState::read(const ForwardContext& context, const PackedTokens& texts,
                        std::span<const Index> slots, const EncodedSource& encoded) {
  std::vector<Index> place_of;  // of each token
  for (std::size_t i = 0; i < slots.size(); ++i) {
    Slot& slot = slots_[slots[i]];
    slot.length = static_cast<Index>(texts.sequence(static_cast<Index>(i)).size());
    place_of.insert(place_of.end(), static_cast<std::size_t>(slot.length), slot.self);
  }
  if (texts.tokens() == 0) return;
  const std::vector<Index> position_of(texts.position_of.begin(), texts.position_of.end());
  Variable x = model_.embed_target(context, pack(context.tape, texts), texts.ids, texts.position_of);
  for (std::size_t layer = 0; layer < caches_.size(); ++layer) {
    x = model_.decoder().blocks()[layer].read(context, x, {.memory = encoded.memory, .initial = encoded.last},
                                              caches_[layer], {place_of, position_of});
  }
}

Variable DecoderState::step(const ForwardContext& context, std::span<const Index> slots,
                            std::span<const std::int32_t> ids) {
  const std::size_t count = slots.size();
  offsets_.resize(count + 1);
  for (std::vector<Index>* of : {&positions_, &self_slots_, &self_ends_, &memory_slots_, &memory_ends_})
    of->resize(count);
  ids_at_.resize(count);
  for (std::size_t b = 0; b < count; ++b) {
    Slot& slot = slots_[slots[b]];
    offsets_[b + 1] = static_cast<Index>(b) + 1;
    positions_[b] = slot.length;
    ids_at_[b] = static_cast<std::int32_t>(slot.length);
    self_slots_[b] = slot.self;
    self_ends_[b] = ++slot.length;
    memory_slots_[b] = slot.memory;
    memory_ends_[b] = memory_lengths_[slot.memory];
  }
  const Packing packing{offsets_, nullptr};
  Variable x = model_.embed_target(context, packing, ids, ids_at_);
  const CachedStep at{positions_, {self_slots_, self_ends_}, {memory_slots_, memory_ends_}};
  for (std::size_t layer = 0; layer < caches_.size(); ++layer)
    x = model_.decoder().blocks()[layer].step(context, x, caches_[layer], at);
  return model_.decoder().norm(context, x);
}

void DecoderState::reorder(std::span<const Index> from) {
  next_.clear();
  uses_.assign(places_, 0);
  for (const Index slot : from) {
    next_.push_back(slots_[slot]);
    ++uses_[next_.back().self];
  }
  std::size_t unused = 0;  // places before it are taken
  for (Slot& slot : next_) {
    Index& uses = uses_[slot.self];
    if (uses == 1) continue;  // the last one that goes on from there keeps the place
    --uses;
    while (uses_[unused] > 0) ++unused;
    const auto to = static_cast<Index>(unused);
    for (const BlockCache& cache : caches_) cache.mixer->copy_slot(slot.self, to, slot.length);
    slot.self = to;
    uses_[unused] = 1;
  }
  std::swap(slots_, next_);
}

}  // namespace headwater
