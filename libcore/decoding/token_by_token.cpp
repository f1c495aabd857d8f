#include "decoding/decoding_group.hpp"
#include "decoding/next_token.hpp"

namespace headwater {

namespace {

void finish(const GenerationSettings& settings, Hypothesis& hypothesis) {
  const std::size_t tokens = hypothesis.ids.size() + (hypothesis.is_ended ? 1 : 0);
  if (tokens > 0)
    hypothesis.score =
        hypothesis.log_probability / length_penalty(settings, static_cast<std::int64_t>(tokens));
}

// What the sequences of a group have read, where anything asks for it.
class GroupTexts {
 public:
  GroupTexts(const DecodingGroup& group, bool are_read) {
    if (!are_read) return;
    for (Index s = 0; s < group.prompts.sequences(); ++s) {
      const std::span<const std::int32_t> prompt = group.prompts.target.sequence(s);
      texts_.emplace_back(prompt.begin(), prompt.end());
    }
  }
  void add(Index sequence, std::int32_t id) {
    if (!texts_.empty()) texts_[sequence].push_back(id);
  }
  // Valid until the next call of either.
  std::span<const std::span<const std::int32_t>> of(std::span<const Index> sequences) {
    rows_.clear();
    for (const Index s : sequences) {
      if (!texts_.empty()) rows_.emplace_back(texts_[s]);
    }
    return rows_;
  }

 private:
  std::vector<std::vector<std::int32_t>> texts_;
  std::vector<std::span<const std::int32_t>> rows_;
};

// A row whose token would break a character chooses again, among the tokens that do not.
class WholeCharacters {
 public:
  WholeCharacters(const CharacterGuard* guard, std::size_t sequences)
      : guard_(guard), states_(guard == nullptr ? 0 : sequences) {}

  void repair(const NextToken& next_token, StepRows rows, TokenBans& bans, std::span<const Index> active,
              std::span<Chosen> chosen) {
    if (guard_ == nullptr) return;
    std::vector<std::size_t> broken;
    bans.clear(rows.new_tokens);
    for (std::size_t b = 0; b < active.size(); ++b) {
      const CharacterGuard::State state = states_[active[b]];
      const bool breaks =
          chosen[b].id >= 0 && guard_->next(state, chosen[b].id) == CharacterGuard::State::broken;
      if (breaks) broken.push_back(b);
      const std::span<const std::int32_t> text =
          rows.texts.empty() ? std::span<const std::int32_t>() : rows.texts[b];
      bans.add(text, breaks ? guard_->banned(state) : std::span<const std::int32_t>());
    }
    if (!broken.empty()) {
      rows.banned = bans.columns();
      std::vector<Chosen> others(chosen.size());
      next_token.choose(rows, others);
      for (const std::size_t b : broken) {
        if (others[b].id >= 0) chosen[b] = others[b];
      }
    }
    for (std::size_t b = 0; b < active.size(); ++b) {
      CharacterGuard::State& state = states_[active[b]];
      if (chosen[b].id >= 0) state = guard_->next(state, chosen[b].id);
      if (state == CharacterGuard::State::broken) state = CharacterGuard::State::whole;
    }
  }

 private:
  const CharacterGuard* guard_;
  std::vector<CharacterGuard::State> states_;  // of each sequence
};

}  // namespace

void decode_token_by_token(const DecodingGroup& group, const TokenByToken& how, std::size_t first) {
  const GenerationSettings& settings = group.settings;
  TokenBans bans(settings);
  GroupTexts texts(group, settings.slides || bans.reads_texts() || how.next_token.reads_texts());
  WholeCharacters characters(settings.characters.get(), group.results.size());
  std::vector<Index> active;
  std::vector<const CandidateColumns*> candidates;  // of each that is active
  std::vector<std::int32_t> ids;
  std::vector<std::uint64_t> streams;
  for (std::size_t s = 0; s < group.results.size(); ++s) {
    group.results[s].resize(1);
    active.push_back(static_cast<Index>(s));
    ids.push_back(group.prompts.target.sequence(static_cast<Index>(s)).back());
    if (!how.numbers.empty()) streams.push_back(how.numbers[first + s]);
  }
  std::vector<Chosen> chosen(active.size());
  GroupState state(group);
  for (std::int64_t made = 0; !active.empty(); ++made) {
    const ArenaScope one_step(group.tape.arena());
    chosen.resize(active.size());
    const std::span<const std::span<const std::int32_t>> read = texts.of(active);
    const StepOutput output = state.step({.slots = active, .ids = ids, .prompts = active, .texts = read});
    bans.clear(made);
    if (bans.reads_texts()) {
      for (const std::span<const std::int32_t> text : read) bans.add(text);
    }
    candidates.clear();
    for (std::size_t b = 0; b < active.size() && !group.candidates.empty(); ++b)
      candidates.push_back(&group.candidates[active[b]]);
    const StepRows rows{.output = output,
                        .banned = bans.columns(),
                        .candidates = candidates,
                        .numbers = streams,
                        .texts = read,
                        .new_tokens = made};
    how.next_token.choose(rows, chosen);
    const auto force = [&] {
      for (std::size_t b = 0; b < active.size(); ++b) {
        const auto prompt = static_cast<std::int64_t>(group.prompts.target.sequence(active[b]).size());
        const std::int32_t id = settings.forced(prompt, made, group.room[active[b]]);
        if (id >= 0) chosen[b] = {.id = id};
      }
    };
    force();
    characters.repair(how.next_token, rows, bans, active, chosen);
    force();  // an end may be forced inside a character
    std::size_t remaining = 0;
    for (std::size_t b = 0; b < active.size(); ++b) {
      const std::size_t s = active[b];
      Hypothesis& hypothesis = group.results[s].front();
      const bool is_none = chosen[b].id < 0, is_end = settings.is_end(chosen[b].id);
      hypothesis.is_ended = is_end;
      if (is_end) hypothesis.end_id = chosen[b].id;
      if (!is_none && settings.wants_scores) {
        hypothesis.token_log_probabilities.push_back(chosen[b].log_probability);
        hypothesis.log_probability += chosen[b].log_probability;
      }
      bool goes_on = !is_end && !is_none;
      if (goes_on) {
        hypothesis.ids.push_back(chosen[b].id);
        texts.add(active[b], chosen[b].id);
        if (how.listener != nullptr) goes_on = how.listener->goes_on(first + s, hypothesis.ids);
      }
      if (!goes_on || static_cast<Index>(hypothesis.ids.size()) == group.room[s]) {
        finish(settings, hypothesis);
        continue;
      }
      active[remaining] = active[b];
      ids[remaining] = chosen[b].id;
      if (!streams.empty()) streams[remaining] = streams[b];
      ++remaining;
    }
    active.resize(remaining);
    ids.resize(remaining);
    if (!streams.empty()) streams.resize(remaining);
  }
}

}  // namespace headwater
