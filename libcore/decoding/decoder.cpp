#include "decoding/decoder.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "decoding/decoding_group.hpp"
#include "support/error.hpp"
#include "support/math_functions.hpp"
#include "support/numbers.hpp"
#include "support/parallel.hpp"
#include "tensor/arena.hpp"

namespace headwater {

namespace {

// Rows of a step that one thread computes: enough that a product is worth the weights it reads, few enough
// that a batch of 64 keeps two threads busy. Weights that stay in the caches are cheap to read: then the keys
// and values of the rows should stay near the processor, too.
Index group_rows_of(const DecodingModels& models, Index rows) {
  constexpr Index kLeast = 16, kMost = 64, kCachedWeights = Index{1} << 22;
  Index weights = 0;
  for (const auto& model : models) weights += model->packed.size();
  return std::clamp(rows / 4, kLeast, weights <= kCachedWeights ? kLeast : kMost);
}

// How many ids may follow each prompt.
std::vector<Index> room_of(Index model_length, const Prompts& prompts, const GenerationSettings& settings) {
  std::vector<Index> room;
  for (Index s = 0; s < prompts.sequences(); ++s) {
    const Index length = static_cast<Index>(prompts.target.sequence(s).size()),
                left = model_length - length + 1;  // nothing reads the last id
    if (length == 0) throw Error("decoding: prompt " + std::to_string(s) + " has no token");
    if (left < 1 && !settings.slides) {
      throw Error("decoding: a prompt of " + std::to_string(length) +
                  " tokens, more than the model's length " + std::to_string(model_length));
    }
    Index most = left;
    if (settings.search.max_new_tokens > 0)
      most = settings.slides ? settings.search.max_new_tokens
                             : std::min<Index>(settings.search.max_new_tokens, left);
    if (settings.max_length > 0) {
      if (settings.max_length <= length)
        throw LineError(static_cast<std::size_t>(s),
                        "max_length of the model's files is " + std::to_string(settings.max_length) +
                            ", and the text begins with " + counted(length, "token") +
                            ", special ones counted (give --max-new-tokens)");
      most = std::min<Index>(settings.slides ? settings.max_length : most, settings.max_length - length);
    }
    if (settings.search.max_length_ratio > 0) {
      // 1.1 times 50 is a little above 55, as doubles have it, and means 55.
      constexpr double kOfRounding = 1 - 1e-12;
      const double tokens = std::ceil(settings.search.max_length_ratio * kOfRounding *
                                      static_cast<double>(prompts.source.sequence(s).size()));
      if (tokens < static_cast<double>(most)) most = std::max<Index>(1, static_cast<Index>(tokens));
    }
    room.push_back(most);
  }
  return room;
}

}  // namespace

Decoder::Decoder(const CachedModel& model, ComputeType compute_type) {
  models_.push_back(std::make_unique<const DecodingModel>(model, compute_type));
}

std::vector<Hypotheses> Decoder::decode(const Prompts& prompts, const GenerationSettings& settings,
                                        std::span<const Phrases> phrases) {
  if (settings.search.num_beams == 1 && phrases.empty())
    return decode(prompts, settings, {Greedy(settings.wants_scores)});
  return decode_groups(prompts, settings, phrases, [&](DecodingGroup group, std::size_t) {
    std::vector<Phrases> fitting;
    for (std::size_t i = 0; i < group.phrases.size(); ++i) {
      const std::int64_t room = group.room[i] - (settings.forces_end ? 1 : 0);
      fitting.push_back(group.phrases[i].missing({}) <= room ? group.phrases[i] : Phrases());
    }
    group.phrases = fitting;
    decode_with_beams(group);
  });
}

std::vector<Hypotheses> Decoder::decode(const Prompts& prompts, const GenerationSettings& settings,
                                        const TokenByToken& how) {
  return decode_groups(prompts, settings, {}, [&](const DecodingGroup& group, std::size_t first) {
    decode_token_by_token(group, how, first);
  });
}

std::vector<CandidateColumns> Decoder::candidates(const Prompts& prompts, const GenerationSettings& settings,
                                                  std::span<const Phrases> phrases, Arena& arena) const {
  std::vector<CandidateColumns> found;
  for (Index s = 0; s < prompts.sequences() && settings.shortlist; ++s) {
    std::vector<std::int32_t> ids = settings.shortlist->tokens_for(prompts.source.sequence(s));
    if (!phrases.empty()) phrases[s].add_ids(ids);
    std::ranges::sort(ids);
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    found.emplace_back(models_, std::move(ids), arena);
  }
  return found;
}

template <class F>
std::vector<Hypotheses> Decoder::decode_groups(const Prompts& prompts, const GenerationSettings& settings,
                                               std::span<const Phrases> phrases, const F& decode_group) {
  const Index sequences = prompts.sequences(), beams = settings.search.num_beams;
  const Index group_size = std::max<Index>(1, group_rows_of(models_, sequences * beams) / beams);
  const Index groups = (sequences + group_size - 1) / group_size;
  const std::vector<Index> room = room_of(models_.front()->model.length(), prompts, settings);
  std::vector<Hypotheses> results(sequences);
  // The prompts from `begin` on.
  const auto decode = [&](Arena& arena, const Prompts& part, Index begin) {
    const ArenaScope all(arena);
    Tape tape(arena, Tape::Mode::inference);
    const auto first = static_cast<std::size_t>(begin), count = static_cast<std::size_t>(part.sequences());
    const std::span<const Phrases> of_part = phrases.empty() ? phrases : phrases.subspan(first, count);
    const std::vector<CandidateColumns> chosen_among = candidates(part, settings, of_part, arena);
    const DecodingGroup group{models_,
                              tape,
                              settings,
                              part,
                              std::span(room).subspan(first, count),
                              std::span(results).subspan(first, count),
                              of_part,
                              chosen_among};
    try {
      decode_group(group, first);
    } catch (const LineError& error) {
      throw LineError(first + error.line, error.what());
    }
  };
  if (groups <= 1) {
    if (groups == 1) with_hot_team([&] { decode(arena_, prompts, 0); });
    return results;
  }
  const ArenaScope all(arena_);
  Arenas arenas(arena_, static_cast<std::size_t>(std::min<Index>(groups, parallel_threads())));
  parallel_for(groups, [&](Index group) {
    const Index begin = group * sequences / groups, end = (group + 1) * sequences / groups;
    const Prompts part = prompts.part(begin, end);
    Arena& own = arenas.acquire();
    isolate([&] { decode(own, part, begin); });
    arenas.release(own);
  });
  return results;
}

namespace {

// base > 0; exact for the exponents 0 and 1.
double real_power(double base, double exponent) {
  if (exponent >= 0 && exponent == std::floor(exponent) && exponent <= 64)
    return power(base, static_cast<std::int64_t>(exponent));
  return exponential(exponent * natural_logarithm(base));
}

}  // namespace

double length_penalty(const GenerationSettings& settings, std::int64_t tokens) {
  const double n = static_cast<double>(tokens);
  const double alpha = settings.search.length_penalty;
  return settings.search.length_penalty_kind == LengthPenaltyKind::gnmt ? real_power((5 + n) / 6, alpha)
                                                                        : real_power(n, alpha);
}

}  // namespace headwater
