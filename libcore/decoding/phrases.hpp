// Lexical constraints: phrases that what follows a prompt must contain.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace headwater {

// What a search is asked for; the order of phrases is free.
struct Phrase {
  std::vector<std::int32_t> ids;  // not empty
  bool is_once = false;           // no more often than it is asked for
};

// The phrases of one prompt, at most kMost, and how far a hypothesis is with them. A phrase that is broken
// off begins anew.
class Phrases {
 public:
  static constexpr std::size_t kMost = 64;
  struct State {
    std::uint64_t met = 0;      // a bit a phrase
    std::int32_t begun = -1;    // the phrase whose first ids were the last ones; -1: none
    std::uint32_t matched = 0;  // so many of them
  };

  Phrases() = default;
  explicit Phrases(std::vector<Phrase> phrases);
  bool empty() const { return phrases_.empty(); }
  std::size_t size() const { return phrases_.size(); }
  const Phrase& operator[](std::size_t i) const { return phrases_[i]; }

  State next(State state, std::int32_t id) const;
  bool is_complete(const State& state) const { return state.met == all_; }
  std::int64_t missing(const State& state) const;  // ids, at the least
  // 2 for each phrase that is met, and 1 for one that is begun: hypotheses of one stage compete.
  std::int64_t stage(const State& state) const;
  // The ids that bring a hypothesis on, each once.
  void advancing(const State& state, std::vector<std::int32_t>& ids) const;
  // Whether `id` would complete a phrase once more than it is asked for; back(k): the id k places before it,
  // from 1, or -1.
  bool repeats(const State& state, std::int32_t id,
               const std::function<std::int32_t(std::size_t)>& back) const;

  // Where each phrase stands in `ids`, in the order of phrases; begin is ids.size() where it does not.
  struct Span {
    std::size_t begin, end;
  };
  std::vector<Span> spans(std::span<const std::int32_t> ids) const;

 private:
  bool is_met(const State& state, std::size_t phrase) const { return (state.met >> phrase & 1) != 0; }

  std::vector<Phrase> phrases_;
  std::uint64_t all_ = 0;
};

}  // namespace headwater
