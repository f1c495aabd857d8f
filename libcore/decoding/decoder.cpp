#include "decoding/decoder.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <mutex>

#include "support/error.hpp"
#include "support/line_error.hpp"
#include "support/parallel.hpp"
#include "tensor/kernels/optimizer/optimizer.hpp"

namespace headwater {

namespace {

using Sequences = std::vector<std::vector<std::int32_t>>;

// Sequences that one thread decodes side by side: enough that a product is worth the weights it reads, few
// enough that a batch of 64 keeps two threads busy.
constexpr Index kGroup = 16;

struct Decoding {
  const CachedModel& model;
  const PackedWeights& packed;
  const NextToken& next_token;
  const GenerationSettings& settings;
  double largest_hidden;
};

// How many ids may follow each prompt.
std::vector<Index> room_of(const Decoding& decoding, const PackedTokens& prompts) {
  std::vector<Index> room;
  for (Index s = 0; s < prompts.sequences(); ++s) {
    const Index length = static_cast<Index>(prompts.sequence(s).size()),
                left = decoding.model.length() - length + 1;  // nothing reads the last id
    if (length == 0) throw Error("decoding: prompt " + std::to_string(s) + " has no token");
    if (left < 1) {
      throw Error("decoding: a prompt of " + std::to_string(length) +
                  " tokens, more than the model's length " + std::to_string(decoding.model.length()));
    }
    const std::int64_t most = decoding.settings.max_new_tokens;
    room.push_back(most > 0 ? std::min<Index>(most, left) : left);
  }
  return room;
}

// By Cauchy and Schwarz no logit, and no sum on the way to it, exceeds the length of a row times that of the
// weights: a tenth of the largest float leaves room for the bias and for rounding.
double largest_hidden_of(const OutputLayer& output) {
  const Matrix& weight = output.weight().value;
  const double length = std::sqrt(kernels::sum_of_squares(output.weight().size(), weight.data));
  return 0.1 * static_cast<double>(std::numeric_limits<float>::max()) / std::max(length, 1.0);
}

void check_hidden(const Decoding& decoding, const Variable& hidden, std::span<const Index> sequence) {
  for (Index row = 0; row < hidden.rows(); ++row) {
    const double length = std::sqrt(kernels::sum_of_squares(hidden.cols(), hidden.value().row(row)));
    if (length <= decoding.largest_hidden) continue;  // false of what is not a number
    throw LineError(static_cast<std::size_t>(sequence[static_cast<std::size_t>(row)]), kOutputNotFinite);
  }
}

// One result a prompt, into results; each has room for so many ids.
void decode_group(const Decoding& decoding, Arena& arena, const Prompts& prompts, std::span<const Index> room,
                  std::span<std::vector<std::int32_t>> results) {
  const ArenaScope all(arena);
  Tape tape(arena, Tape::Mode::inference);
  const ForwardContext context{.tape = tape, .packed = &decoding.packed};
  std::vector<Index> active;
  std::vector<std::int32_t> ids;
  Index capacity = 0;
  for (std::size_t s = 0; s < results.size(); ++s) {
    const std::span<const std::int32_t> prompt = prompts.target.sequence(static_cast<Index>(s));
    active.push_back(static_cast<Index>(s));
    ids.push_back(prompt.back());
    capacity = std::max(capacity, static_cast<Index>(prompt.size()) - 1 + room[s]);
  }
  DecoderState state(decoding.model, context, prompts, {.capacity = capacity});
  std::vector<std::int32_t> next(results.size());
  while (!active.empty()) {
    const ArenaScope one_step(arena);
    next.resize(active.size());
    const Variable hidden = state.step(context, active, ids);
    check_hidden(decoding, hidden, active);
    decoding.next_token.choose(context, hidden, next);
    std::size_t kept = 0;
    for (std::size_t b = 0; b < active.size(); ++b) {
      if (next[b] == decoding.settings.end_id) continue;
      const auto s = static_cast<std::size_t>(active[b]);
      results[s].push_back(next[b]);
      if (static_cast<Index>(results[s].size()) == room[s]) continue;
      active[kept] = active[b];
      ids[kept] = next[b];
      ++kept;
    }
    active.resize(kept);
    ids.resize(kept);
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

Decoder::Decoder(const CachedModel& model)
    : model_(model),
      packed_(model.parameters(), model.output_layer()),
      largest_hidden_(largest_hidden_of(model.output_layer())) {}

Sequences Decoder::decode(const Prompts& prompts, const NextToken& next_token,
                          const GenerationSettings& settings) {
  const Decoding decoding{model_, packed_, next_token, settings, largest_hidden_};
  const Index sequences = prompts.sequences(), groups = (sequences + kGroup - 1) / kGroup;
  const std::vector<Index> room = room_of(decoding, prompts.target);
  Sequences results(static_cast<std::size_t>(sequences));
  if (groups <= 1) {
    if (groups == 1) with_hot_team([&] { decode_group(decoding, arena_, prompts, room, results); });
    return results;
  }
  const ArenaScope all(arena_);
  Arenas arenas(arena_, static_cast<std::size_t>(std::min<Index>(groups, parallel_threads())));
  parallel_for(groups, [&](Index group) {
    const Index begin = group * sequences / groups, end = (group + 1) * sequences / groups;
    const Prompts part = prompts.part(begin, end);
    Arena& own = arenas.take();
    isolate([&] {
      const auto first = static_cast<std::size_t>(begin), count = static_cast<std::size_t>(end - begin);
      try {
        decode_group(decoding, own, part, std::span(room).subspan(first, count),
                     std::span(results).subspan(first, count));
      } catch (const LineError& error) {
        throw LineError(first + error.line, error.what());
      }
    });
    arenas.give_back(own);
  });
  return results;
}

Prompts start_prompts(const PackedTokens& source, std::int32_t start_id) {
  Prompts prompts;
  prompts.clear();
  for (Index s = 0; s < source.sequences(); ++s) prompts.add(source.sequence(s), {&start_id, 1});
  prompts.finish();
  return prompts;
}

}  // namespace headwater
