#include "decoding/phrases.hpp"

#include <algorithm>
#include <bit>

#include "support/error.hpp"

namespace headwater {

Phrases::Phrases(const std::vector<Phrase>& phrases) {
  if (phrases.size() > kMost) throw Error("more than " + std::to_string(kMost) + " phrases");
  for (std::size_t i = 0; i < phrases.size(); ++i) {
    all_ |= std::uint64_t{1} << i;
    for (const std::vector<std::int32_t>& ids : phrases[i].forms)
      forms_.push_back({i, ids, phrases[i].is_once, phrases[i].after});
  }
}

Phrases::State Phrases::next(const State& state, std::int32_t id) const {
  const std::uint32_t matched = state.begun < 0 ? 0 : state.matched;
  const std::span<const std::int32_t> before =
      matched == 0 ? std::span<const std::int32_t>() : std::span(forms_[state.begun].ids).first(matched);
  // The form that is begun, or another one with the same first ids; else one that begins here.
  const auto find = [&](std::span<const std::int32_t> begin) -> std::int32_t {
    const auto goes_on = [&](const Form& form) {
      return is_wanted(state, form) && form.ids.size() > begin.size() && form.ids[begin.size()] == id &&
             std::ranges::equal(begin, std::span(form.ids).first(begin.size()));
    };
    if (!begin.empty() && goes_on(forms_[state.begun])) return state.begun;
    const auto found = std::ranges::find_if(forms_, goes_on);
    return found == forms_.end() ? -1 : static_cast<std::int32_t>(found - forms_.begin());
  };
  State after{.met = state.met, .begun = find(before), .matched = matched + 1};
  if (after.begun < 0 && matched > 0) after = {.met = state.met, .begun = find({}), .matched = 1};
  if (after.begun < 0) return {.met = state.met};
  const Form& form = forms_[after.begun];
  if (after.matched == form.ids.size()) return {.met = after.met | std::uint64_t{1} << form.phrase};
  return after;
}

std::int64_t Phrases::missing(const State& state) const {
  std::int64_t ids = 0;
  for (std::size_t i = 0; i < forms_.size();) {
    const std::size_t phrase = forms_[i].phrase;
    std::int64_t least = std::ssize(forms_[i].ids);
    for (; i < forms_.size() && forms_[i].phrase == phrase; ++i)
      least = std::min(least, std::ssize(forms_[i].ids));
    const bool is_begun = state.begun >= 0 && forms_[state.begun].phrase == phrase;
    if (is_begun) least = std::ssize(forms_[state.begun].ids) - static_cast<std::int64_t>(state.matched);
    if (!is_met(state, phrase)) ids += least;
  }
  return ids;
}

std::int64_t Phrases::stage(const State& state) const {
  return 2 * std::int64_t{std::popcount(state.met)} + (state.begun < 0 ? 0 : 1);
}

void Phrases::add_ids(std::vector<std::int32_t>& ids) const {
  for (const Form& form : forms_) ids.insert(ids.end(), form.ids.begin(), form.ids.end());
}

void Phrases::advancing(const State& state, std::vector<std::int32_t>& ids) const {
  ids.clear();
  if (state.begun >= 0) {
    ids.push_back(forms_[state.begun].ids[state.matched]);
    return;
  }
  for (const Form& form : forms_) {
    if (is_wanted(state, form) && std::ranges::find(ids, form.ids.front()) == ids.end())
      ids.push_back(form.ids.front());
  }
}

bool Phrases::repeats(const State& state, std::int32_t id,
                      const std::function<std::int32_t(std::size_t)>& back) const {
  for (const Form& form : forms_) {
    if (!form.is_once || form.ids.back() != id) continue;
    const auto is_wanted_too = [&](const Form& other) {
      return other.ids == form.ids && is_wanted(state, other);
    };
    if (std::ranges::any_of(forms_, is_wanted_too)) continue;
    std::size_t same = 1;
    while (same < form.ids.size() && back(same) == form.ids[form.ids.size() - 1 - same]) ++same;
    if (same == form.ids.size()) return true;
  }
  return false;
}

std::vector<Phrases::Span> Phrases::spans(std::span<const std::int32_t> ids) const {
  std::vector<Span> spans;
  State state;
  for (std::size_t at = 0; at < ids.size(); ++at) {
    const State after = next(state, ids[at]);
    if (const std::uint64_t now = after.met & ~state.met; now != 0) {
      const std::size_t phrase = std::countr_zero(now);
      std::size_t longest = 0;  // of the forms that end here
      for (const Form& form : forms_) {
        const std::size_t size = form.ids.size();
        if (form.phrase == phrase && size <= at + 1 &&
            std::ranges::equal(form.ids, ids.subspan(at + 1 - size, size)))
          longest = std::max(longest, size);
      }
      spans.push_back({phrase, at + 1 - longest, at + 1});
    }
    state = after;
  }
  return spans;
}

}  // namespace headwater
