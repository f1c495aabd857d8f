#include "decoding/greedy.hpp"

#include <algorithm>
#include <deque>
#include <mutex>

#include "support/parallel.hpp"

namespace headwater {

namespace {

using Sequences = std::vector<std::vector<std::int32_t>>;

// Sequences that one thread decodes side by side: enough that a product is worth the weights it reads, few
// enough that a batch of 64 keeps two threads busy.
constexpr Index kGroup = 16;

// The caches of all decoder layers for the sequences of one group.
class DecoderState {
 public:
  DecoderState(const EncoderDecoder& model, const StepContext& context, const PackedTokens& source,
               Index capacity)
      : model_(model), source_(source) {
    const Variable memory = model.encode(context, source);
    std::vector<Index> slot_of, position_of(source.position_of.begin(), source.position_of.end());
    Index longest = 0;
    for (Index s = 0; s < source.sequences(); ++s) {
      const auto length = static_cast<Index>(source.sequence(s).size());
      slot_of.insert(slot_of.end(), static_cast<std::size_t>(length), s);
      longest = std::max(longest, length);
    }
    Arena& arena = context.tape.arena();
    for (const DecoderBlock& block : model.decoder()) {
      const DecoderCache cache{block.self_attention().new_cache(arena, source.sequences(), capacity),
                               block.cross_attention().new_cache(arena, source.sequences(), longest)};
      block.cross_attention().remember(context, memory, cache.cross, slot_of, position_of);
      caches_.push_back(cache);
    }
  }

  // What the output layer reads for the next token of the sequences `active`, whose newest token ids[b]
  // stands at `position`: [B, D].
  Variable step(const StepContext& context, std::span<const Index> active, std::span<const std::int32_t> ids,
                Index position) {
    const std::size_t count = active.size();
    offsets_.resize(count + 1);
    positions_.assign(count, position);
    ids_at_.assign(count, static_cast<std::int32_t>(position));
    self_lengths_.assign(count, position + 1);
    cross_lengths_.resize(count);
    for (std::size_t b = 0; b < count; ++b) {
      offsets_[b + 1] = static_cast<Index>(b) + 1;
      cross_lengths_[b] = static_cast<Index>(source_.sequence(active[b]).size());
    }
    const Packing packing{offsets_, nullptr};
    Variable x = model_.embed_target(context, packing, ids, ids_at_);
    for (std::size_t layer = 0; layer < caches_.size(); ++layer) {
      x = model_.decoder()[layer].step(context, x, caches_[layer], positions_, {active, self_lengths_},
                                       {active, cross_lengths_});
    }
    return model_.finish_decoder(context, x);
  }

 private:
  const EncoderDecoder& model_;
  const PackedTokens& source_;
  std::vector<DecoderCache> caches_;
  std::vector<Index> offsets_{0}, positions_, self_lengths_, cross_lengths_;
  std::vector<std::int32_t> ids_at_;
};

struct Decoding {
  const EncoderDecoder& model;
  const PackedWeights& packed;
  const GreedySettings& settings;
};

// One result a sequence of `source`, into results.
void decode_group(const Decoding& decoding, Arena& arena, const PackedTokens& source,
                  std::span<std::vector<std::int32_t>> results) {
  const EncoderDecoder& model = decoding.model;
  const GreedySettings& settings = decoding.settings;
  const Index length = model.length(), words = model.target_vocabulary();
  const Index most = settings.most_tokens > 0 ? std::min<Index>(settings.most_tokens, length) : length;
  const Index choices = settings.choices > 0 ? std::min<Index>(settings.choices, words) : words;
  const ArenaScope all(arena);
  Tape tape(arena, Tape::Mode::inference);
  const StepContext context{.tape = tape, .packed = &decoding.packed};
  DecoderState state(model, context, source, most);

  std::vector<Index> active(results.size());
  for (std::size_t s = 0; s < active.size(); ++s) active[s] = static_cast<Index>(s);
  std::vector<std::int32_t> ids(results.size(), settings.start_id), best(results.size());
  for (Index position = 0; position < most && !active.empty(); ++position) {
    const ArenaScope one_step(arena);
    model.choose(context, state.step(context, active, ids, position), choices, settings.never, best);
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
}

// Memory for groups that run at the same time, lent one by one.
class Arenas {
 public:
  Arenas(Arena& parent, std::size_t count) {
    constexpr std::size_t kUnit = std::size_t{1} << 21;  // large pages begin at its multiples
    parent.allocate(kUnit - parent.used() % kUnit);
    const std::size_t bytes = parent.available() / (count + 1) / kUnit * kUnit;
    for (std::size_t i = 0; i < count; ++i) free_.push_back(&arenas_.emplace_back(parent, bytes));
  }
  Arena& take() {
    const std::lock_guard lock(mutex_);
    Arena* const arena = free_.back();
    free_.pop_back();
    return *arena;
  }
  void give_back(Arena& arena) {
    const std::lock_guard lock(mutex_);
    free_.push_back(&arena);
  }

 private:
  std::deque<Arena> arenas_;
  std::vector<Arena*> free_;
  std::mutex mutex_;
};

}  // namespace

GreedyDecoder::GreedyDecoder(const EncoderDecoder& model)
    : model_(model), packed_(model.parameters(), model.output_weight()) {}

Sequences GreedyDecoder::decode(const PackedTokens& source, const GreedySettings& settings) {
  const Decoding decoding{model_, packed_, settings};
  const Index sequences = source.sequences(), groups = (sequences + kGroup - 1) / kGroup;
  Sequences results(static_cast<std::size_t>(sequences));
  if (groups <= 1) {
    if (groups == 1) with_team([&] { decode_group(decoding, arena_, source, results); });
    return results;
  }
  const ArenaScope all(arena_);
  Arenas arenas(arena_, static_cast<std::size_t>(std::min<Index>(groups, parallel_threads())));
  parallel_for(groups, [&](Index group) {
    const Index begin = group * sequences / groups, end = (group + 1) * sequences / groups;
    PackedTokens part;
    part.clear();
    for (Index s = begin; s < end; ++s) part.add(source.sequence(s));
    part.finish();
    Arena& own = arenas.take();
    undisturbed([&] {
      decode_group(
          decoding, own, part,
          std::span(results).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
    });
    arenas.give_back(own);
  });
  return results;
}

Sequences decode_greedily(const EncoderDecoder& model, const PackedTokens& source,
                          const GreedySettings& settings) {
  return GreedyDecoder(model).decode(source, settings);
}

}  // namespace headwater
