#include "decoding/decoder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "support/error.hpp"
#include "support/math_functions.hpp"
#include "support/numbers.hpp"
#include "support/parallel.hpp"
#include "tensor/arena.hpp"
#include "tensor/kernels/reduction/reduction.hpp"

namespace headwater {

namespace {

// Rows of a step that one thread computes: enough that a product is worth the weights it reads, few enough
// that a batch of 64 keeps two threads busy. Weights that stay in the caches are cheap to read: then the keys
// and values of the rows should stay near the processor, too.
Index group_rows_of(const PackedWeights& weights, Index rows) {
  constexpr Index kLeast = 16, kMost = 64, kCachedWeights = Index{1} << 22;
  return std::clamp(rows / 4, kLeast, weights.size() <= kCachedWeights ? kLeast : kMost);
}

// How many ids may follow each prompt.
std::vector<Index> room_of(const CachedModel& model, const Prompts& prompts,
                           const GenerationSettings& settings) {
  std::vector<Index> room;
  for (Index s = 0; s < prompts.sequences(); ++s) {
    const Index length = static_cast<Index>(prompts.target.sequence(s).size()),
                left = model.length() - length + 1;  // nothing reads the last id
    if (length == 0) throw Error("decoding: prompt " + std::to_string(s) + " has no token");
    if (left < 1 && !settings.slides) {
      throw Error("decoding: a prompt of " + std::to_string(length) +
                  " tokens, more than the model's length " + std::to_string(model.length()));
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

double sum_of_squares(const Parameter& weight) {
  if (weight.value.data != nullptr) return kernels::sum_of_squares(weight.size(), weight.value.data);
  double sum = 0;
  for (Index k = 0, i = 0; k < weight.value.rows; ++k) {
    for (Index output = 0; output < weight.value.cols; ++output, ++i) {
      const double number = static_cast<double>(weight.int8.scales[output]) * weight.int8.bytes[i];
      sum += number * number;
    }
  }
  return sum;
}

// By Cauchy and Schwarz no logit, and no sum on the way to it, exceeds the length of a row times that of the
// weights: a tenth of the largest float leaves room for the bias and for rounding.
double largest_hidden_of(const OutputLayer& output) {
  const double length = std::sqrt(sum_of_squares(output.weight()));
  return 0.1 * static_cast<double>(std::numeric_limits<float>::max()) / std::max(length, 1.0);
}

}  // namespace

Decoder::Decoder(const CachedModel& model, ComputeType compute_type)
    : model_(model),
      packed_(model.parameters(), model.output_layer(), compute_type),
      largest_hidden_(largest_hidden_of(model.output_layer())) {}

std::vector<Hypotheses> Decoder::decode(const Prompts& prompts, const GenerationSettings& settings,
                                        std::span<const Phrases> phrases) {
  if (settings.search.num_beams == 1 && phrases.empty())
    return decode(prompts, settings, {Greedy(model_.output_layer(), settings.wants_scores)});
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
                                                  std::span<const Phrases> phrases) const {
  std::vector<CandidateColumns> found;
  for (Index s = 0; s < prompts.sequences() && settings.shortlist; ++s) {
    std::vector<std::int32_t> ids = settings.shortlist->tokens_for(prompts.source.sequence(s));
    if (!phrases.empty()) phrases[s].add_ids(ids);
    std::ranges::sort(ids);
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    found.emplace_back(model_.output_layer(), packed_, std::move(ids));
  }
  return found;
}

template <class F>
std::vector<Hypotheses> Decoder::decode_groups(const Prompts& prompts, const GenerationSettings& settings,
                                               std::span<const Phrases> phrases, const F& decode_group) {
  const Index sequences = prompts.sequences(), beams = settings.search.num_beams;
  const Index group_size = std::max<Index>(1, group_rows_of(packed_, sequences * beams) / beams);
  const Index groups = (sequences + group_size - 1) / group_size;
  const std::vector<Index> room = room_of(model_, prompts, settings);
  std::vector<Hypotheses> results(static_cast<std::size_t>(sequences));
  // The prompts from `begin` on.
  const auto decode = [&](Arena& arena, const Prompts& part, Index begin) {
    const ArenaScope all(arena);
    Tape tape(arena, Tape::Mode::inference);
    const ForwardContext context{.tape = tape, .packed = &packed_};
    const auto first = static_cast<std::size_t>(begin), count = static_cast<std::size_t>(part.sequences());
    const std::span<const Phrases> of_part = phrases.empty() ? phrases : phrases.subspan(first, count);
    const std::vector<CandidateColumns> chosen_among = candidates(part, settings, of_part);
    const DecodingGroup group{model_,
                              context,
                              settings,
                              largest_hidden_,
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

Index capacity_of(const DecodingGroup& group) {
  Index capacity = 0;
  for (Index s = 0; s < group.prompts.sequences(); ++s)
    capacity =
        std::max(capacity, static_cast<Index>(group.prompts.target.sequence(s).size()) - 1 + group.room[s]);
  return group.settings.slides ? std::min(capacity, group.model.length()) : capacity;
}

void check_hidden(const DecodingGroup& group, const Variable& hidden, std::span<const Index> sequence) {
  for (Index row = 0; row < hidden.rows(); ++row) {
    const double length = std::sqrt(kernels::sum_of_squares(hidden.cols(), hidden.value().row(row)));
    if (length <= group.largest_hidden) continue;  // false of what is not a number
    throw LineError(static_cast<std::size_t>(sequence[row]), kOutputNotFinite);
  }
}

void slide(const DecodingGroup& group, DecoderState& state, std::span<const Index> slots,
           std::span<const std::span<const std::int32_t>> texts) {
  std::vector<Index> full;
  PackedTokens windows;
  windows.clear();
  for (std::size_t row = 0; row < slots.size(); ++row) {
    if (state.length(slots[row]) < group.model.length()) continue;
    const std::span<const std::int32_t> text = texts[row];
    const Index begin = window_begin(static_cast<Index>(text.size()), group.model.length());
    windows.add(text.first(text.size() - 1).subspan(begin));
    full.push_back(slots[row]);
  }
  if (full.empty()) return;
  windows.finish();
  state.reread(group.context, full, windows);
}

Index window_begin(Index tokens, Index length) {
  const Index shift = std::max<Index>(1, length / 2);
  return tokens <= length ? 0 : (tokens - length + shift - 1) / shift * shift;
}

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

}  // namespace headwater
