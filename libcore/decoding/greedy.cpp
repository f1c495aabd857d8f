#include "decoding/greedy.hpp"

#include <algorithm>

namespace headwater {

namespace {

// The caches of all decoder layers for the sequences of one batch.
class DecoderState {
 public:
  DecoderState(const EncoderDecoder& model, const StepContext& context, const PackedTokens& source,
               Index capacity)
      : model_(model), capacity_(capacity), source_(source) {
    Arena& arena = context.tape.arena();
    const Variable memory = model.encode(context, source);
    const Index sequences = source.sequences();
    for (const DecoderBlock& block : model.decoder()) {
      const Index inner = block.self_attention().inner_width();
      DecoderCache cache;
      cache.self = {arena.matrix(sequences * capacity, inner), arena.matrix(sequences * capacity, inner),
                    capacity};
      cache.cross = {arena.matrix(memory.rows(), inner), arena.matrix(memory.rows(), inner), 0};
      block.cross_attention().project_memory(context, memory, cache.cross.keys, cache.cross.values);
      caches_.push_back(cache);
    }
  }

  // Logits [B, V] for the next token of the sequences `active`, whose newest token ids[b] stands at
  // `position`.
  Variable step(const StepContext& context, std::span<const Index> active, std::span<const std::int32_t> ids,
                Index position) {
    const std::size_t count = active.size();
    query_offsets_.resize(count + 1);
    self_offsets_.resize(count);
    self_lengths_.assign(count, position + 1);
    cross_offsets_.resize(count);
    cross_lengths_.resize(count);
    rows_.resize(count);
    positions_.assign(count, static_cast<std::int32_t>(position));
    for (std::size_t b = 0; b < count; ++b) {
      const auto s = static_cast<std::size_t>(active[b]);
      query_offsets_[b] = static_cast<Index>(b);
      self_offsets_[b] = active[b] * capacity_;
      rows_[b] = active[b] * capacity_ + position;
      cross_offsets_[b] = source_.offsets[s];
      cross_lengths_[b] = source_.offsets[s + 1] - source_.offsets[s];
    }
    query_offsets_[count] = static_cast<Index>(count);
    const Packing packing{query_offsets_, nullptr};
    Variable x = model_.embed_target(context, packing, ids, positions_);
    const CacheView self_view{query_offsets_, self_offsets_, self_lengths_};
    const CacheView cross_view{query_offsets_, cross_offsets_, cross_lengths_};
    for (std::size_t layer = 0; layer < caches_.size(); ++layer) {
      x = model_.decoder()[layer].step(context, x, caches_[layer], rows_, self_view, cross_view);
    }
    return model_.logits(context, model_.finish_decoder(context, x));
  }

 private:
  const EncoderDecoder& model_;
  Index capacity_;
  const PackedTokens& source_;
  std::vector<DecoderCache> caches_;
  std::vector<Index> query_offsets_, self_offsets_, self_lengths_, cross_offsets_, cross_lengths_, rows_;
  std::vector<std::int32_t> positions_;
};

}  // namespace

std::vector<std::vector<std::int32_t>> decode_greedily(const EncoderDecoder& model, Arena& arena,
                                                       const PackedTokens& source,
                                                       const GreedySettings& settings) {
  std::vector<std::vector<std::int32_t>> results(static_cast<std::size_t>(source.sequences()));
  if (results.empty()) return results;
  const Index length = model.settings().length;
  const Index most = settings.most_tokens > 0 ? std::min<Index>(settings.most_tokens, length) : length;
  const ArenaScope all(arena);
  Tape tape(arena, Tape::Mode::inference);
  const StepContext context{tape};
  DecoderState state(model, context, source, most);

  std::vector<Index> active(results.size());
  for (std::size_t s = 0; s < active.size(); ++s) active[s] = static_cast<Index>(s);
  std::vector<std::int32_t> ids(results.size(), settings.start_id), best(results.size());
  for (Index position = 0; position < most && !active.empty(); ++position) {
    const ArenaScope one_step(arena);
    const Variable logits = state.step(context, active, ids, position);
    const Matrix& all_logits = logits.value();
    const Index choices =
        settings.choices > 0 ? std::min<Index>(settings.choices, all_logits.cols) : all_logits.cols;
    kernels::argmax(ConstMatrix(all_logits.data, all_logits.rows, choices, all_logits.stride), settings.never,
                    best);
    std::size_t kept = 0;
    for (std::size_t b = 0; b < active.size(); ++b) {
      if (best[b] == settings.end_id) continue;
      results[static_cast<std::size_t>(active[b])].push_back(best[b]);
      active[kept] = active[b];
      ids[kept] = best[b];
      ++kept;
    }
    active.resize(kept);
    ids.resize(kept);
    best.resize(kept);
  }
  return results;
}

}  // namespace headwater
