#include "decoding/phrases.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "support/error.hpp"

namespace headwater {

Phrases::Phrases(std::vector<Phrase> phrases) : phrases_(std::move(phrases)) {
  if (size() > kMost) throw Error("more than " + std::to_string(kMost) + " phrases");
  for (std::size_t i = 0; i < size(); ++i) all_ |= std::uint64_t{1} << i;
}

Phrases::State Phrases::next(State state, std::int32_t id) const {
  const std::uint32_t matched = state.begun < 0 ? 0 : state.matched;
  const std::span<const std::int32_t> before =
      matched == 0 ? std::span<const std::int32_t>() : std::span(phrases_[state.begun].ids).first(matched);
  // The phrase that is begun, or another one with the same first ids; else one that begins here.
  const auto find = [&](std::span<const std::int32_t> begin) -> std::int32_t {
    const auto goes_on = [&](std::size_t i) {
      const std::vector<std::int32_t>& ids = phrases_[i].ids;
      return !is_met(state, i) && ids.size() > begin.size() && ids[begin.size()] == id &&
             std::ranges::equal(begin, std::span(ids).first(begin.size()));
    };
    if (!begin.empty() && goes_on(state.begun)) return state.begun;
    for (std::size_t i = 0; i < size(); ++i) {
      if (goes_on(i)) return static_cast<std::int32_t>(i);
    }
    return -1;
  };
  State after{.met = state.met, .begun = find(before), .matched = matched + 1};
  if (after.begun < 0 && matched > 0) after = {.met = state.met, .begun = find({}), .matched = 1};
  if (after.begun < 0) return {.met = state.met};
  if (after.matched == phrases_[after.begun].ids.size())
    return {.met = after.met | std::uint64_t{1} << after.begun};
  return after;
}

std::int64_t Phrases::missing(const State& state) const {
  std::int64_t ids = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    if (!is_met(state, i)) ids += std::ssize(phrases_[i].ids);
  }
  return ids - (state.begun < 0 ? 0 : static_cast<std::int64_t>(state.matched));
}

std::int64_t Phrases::stage(const State& state) const {
  return 2 * std::int64_t{std::popcount(state.met)} + (state.begun < 0 ? 0 : 1);
}

void Phrases::advancing(const State& state, std::vector<std::int32_t>& ids) const {
  ids.clear();
  if (state.begun >= 0) {
    ids.push_back(phrases_[state.begun].ids[state.matched]);
    return;
  }
  for (std::size_t i = 0; i < size(); ++i) {
    const std::int32_t first = phrases_[i].ids.front();
    if (!is_met(state, i) && std::ranges::find(ids, first) == ids.end()) ids.push_back(first);
  }
}

bool Phrases::repeats(const State& state, std::int32_t id,
                      const std::function<std::int32_t(std::size_t)>& back) const {
  for (std::size_t i = 0; i < size(); ++i) {
    const Phrase& phrase = phrases_[i];
    if (!phrase.is_once || phrase.ids.back() != id) continue;
    const auto is_waiting = [&](std::size_t k) { return !is_met(state, k) && phrases_[k].ids == phrase.ids; };
    bool is_asked_for = false;
    for (std::size_t k = 0; k < size(); ++k) is_asked_for |= is_waiting(k);
    if (is_asked_for) continue;
    std::size_t same = 1;
    while (same < phrase.ids.size() && back(same) == phrase.ids[phrase.ids.size() - 1 - same]) ++same;
    if (same == phrase.ids.size()) return true;
  }
  return false;
}

std::vector<Phrases::Span> Phrases::spans(std::span<const std::int32_t> ids) const {
  std::vector<Span> spans(size(), {ids.size(), ids.size()});
  State state;
  for (std::size_t at = 0; at < ids.size(); ++at) {
    const State after = next(state, ids[at]);
    if (const std::uint64_t now = after.met & ~state.met; now != 0) {
      const auto phrase = static_cast<std::size_t>(std::countr_zero(now));
      spans[phrase] = {at + 1 - phrases_[phrase].ids.size(), at + 1};
    }
    state = after;
  }
  return spans;
}

}  // namespace headwater
