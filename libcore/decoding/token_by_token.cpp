// One sequence a prompt, a token a step.
#include <algorithm>

#include "decoding/decoding_group.hpp"
#include "decoding/length_penalty.hpp"
#include "decoding/token_bans.hpp"

namespace headwater {

namespace {

// What a sequence has read: its prompt and what was made.
void gather_text(const DecodingGroup& group, Index sequence, std::vector<std::int32_t>& text) {
  const std::span<const std::int32_t> prompt = group.prompts.target.sequence(sequence);
  const std::vector<std::int32_t>& made = group.results[static_cast<std::size_t>(sequence)].front().ids;
  text.assign(prompt.begin(), prompt.end());
  text.insert(text.end(), made.begin(), made.end());
}

void finish(const GenerationSettings& settings, Hypothesis& hypothesis) {
  const std::size_t tokens = hypothesis.ids.size() + (hypothesis.is_ended ? 1 : 0);
  if (tokens > 0)
    hypothesis.score =
        hypothesis.log_probability / length_penalty(settings, static_cast<std::int64_t>(tokens));
}

}  // namespace

void decode_token_by_token(const DecodingGroup& group, const NextToken& next_token,
                           std::span<const std::uint64_t> numbers) {
  const GenerationSettings& settings = group.settings;
  TokenBans bans(settings);
  std::vector<Index> active;
  std::vector<std::int32_t> ids, text;
  for (std::size_t s = 0; s < group.results.size(); ++s) {
    group.results[s].resize(1);
    active.push_back(static_cast<Index>(s));
    ids.push_back(group.prompts.target.sequence(static_cast<Index>(s)).back());
  }
  std::vector<std::uint64_t> streams(numbers.begin(), numbers.end());
  std::vector<Chosen> chosen(active.size());
  DecoderState state(group.model, group.context, group.prompts, {.capacity = capacity_of(group)});
  for (std::int64_t made = 0; !active.empty(); ++made) {
    const ArenaScope one_step(group.context.tape.arena());
    chosen.resize(active.size());
    const Variable hidden = state.step(group.context, active, ids);
    check_hidden(group, hidden, active);
    bans.clear();
    for (std::size_t b = 0; b < active.size() && bans.reads_texts(); ++b) {
      gather_text(group, active[b], text);
      bans.add(text);
    }
    next_token.choose(
        group.context,
        {.hidden = hidden, .banned = bans.columns(made), .numbers = streams, .new_tokens = made}, chosen);
    std::size_t kept = 0;
    for (std::size_t b = 0; b < active.size(); ++b) {
      const auto s = static_cast<std::size_t>(active[b]);
      Hypothesis& hypothesis = group.results[s].front();
      const bool is_end = chosen[b].id == settings.end_id, is_none = chosen[b].id < 0;
      hypothesis.is_ended = is_end;
      if (!is_none && settings.wants_scores) {
        hypothesis.token_log_probabilities.push_back(chosen[b].log_probability);
        hypothesis.log_probability += chosen[b].log_probability;
      }
      if (!is_end && !is_none) hypothesis.ids.push_back(chosen[b].id);
      if (is_end || is_none || static_cast<Index>(hypothesis.ids.size()) == group.room[s]) {
        finish(settings, hypothesis);
        continue;
      }
      active[kept] = active[b];
      ids[kept] = chosen[b].id;
      if (!streams.empty()) streams[kept] = streams[b];
      ++kept;
    }
    active.resize(kept);
    ids.resize(kept);
    if (!streams.empty()) streams.resize(kept);
  }
}

}  // namespace headwater
