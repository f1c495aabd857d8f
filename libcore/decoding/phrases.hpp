// Lexical constraints: phrases that what follows a prompt must contain.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace headwater {

// What a search is asked for.
struct Phrase {
  std::vector<std::vector<std::int32_t>> forms;  // any of them, none empty
  bool is_once = false;                          // no more often than it is asked for
  std::int32_t after = -1;  // the phrase, before this one, that must be met first; -1: none
};

// The phrases of one prompt, at most kMost, and how far a hypothesis is with them. A phrase that is broken
// off begins anew.
class Phrases {
 public:
  static constexpr std::size_t kMost = 64;
  struct State {
    std::uint64_t met = 0;      // a bit a phrase
    std::int32_t begun = -1;    // the form whose first ids were the last ones; -1: none
    std::uint32_t matched = 0;  // so many of them
  };

  Phrases() = default;
  explicit Phrases(const std::vector<Phrase>& phrases);
  bool empty() const { return all_ == 0; }

  State next(const State& state, std::int32_t id) const;
  bool is_complete(const State& state) const { return state.met == all_; }
  std::int64_t missing(const State& state) const;  // ids, at the least
  // 2 for each phrase that is met, and 1 for one that is begun: hypotheses of one stage compete.
  std::int64_t stage(const State& state) const;
  void add_ids(std::vector<std::int32_t>& ids) const;  // of all forms
  // The ids that bring a hypothesis on, each once.
  void advancing(const State& state, std::vector<std::int32_t>& ids) const;
  // Whether `id` would complete a phrase once more than it is asked for now; back(k): the id k places before
  // it, from 1, or -1.
  bool repeats(const State& state, std::int32_t id,
               const std::function<std::int32_t(std::size_t)>& back) const;

  // Where phrases stand in `ids`, in this order.
  struct Span {
    std::size_t phrase, begin, end;
  };
  std::vector<Span> spans(std::span<const std::int32_t> ids) const;

 private:
  struct Form {
    std::size_t phrase;
    std::vector<std::int32_t> ids;
    bool is_once;
    std::int32_t after;
  };
  static bool is_met(const State& state, std::size_t phrase) { return (state.met >> phrase & 1) != 0; }
  static bool is_wanted(const State& state, const Form& form) {
    return !is_met(state, form.phrase) &&
           (form.after < 0 || is_met(state, static_cast<std::size_t>(form.after)));
  }

  std::vector<Form> forms_;  // by phrases
  std::uint64_t all_ = 0;
};

}  // namespace headwater
