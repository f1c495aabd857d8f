// How likely each token of a source becomes each token of its translation, learned from pairs alone: IBM
// Model 1 (Brown et al. 1993, section 4), whose likelihood has one maximum.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace headwater {

class WordTranslations {
 public:
  struct Candidate {
    std::int32_t target = 0;
    float probability = 0;  // of the target token, given the source token
  };

  // Ids lie below these sizes.
  WordTranslations(std::int64_t source_tokens, std::int64_t target_tokens);

  // A sentence and its translation. Every source has the empty word besides, from which come the target
  // tokens that no other token explains.
  void add(std::span<const std::int32_t> source, std::span<const std::int32_t> target);

  // Expectation maximization over all pairs, from equal probabilities. Memory: eight bytes for each distinct
  // token of a sentence and for each two tokens that occur in one pair. Sums are of doubles in the order of
  // the pairs: the same bits with any number of threads.
  void learn(std::int64_t iterations);

  // The target tokens that occurred with a source token, ascending; their probabilities have the sum 1.
  std::vector<Candidate> of(std::int64_t source) const;
  std::int64_t empty_word() const { return static_cast<std::int64_t>(rows_.size()) - 1; }
  // The likeliest of them, at most `most`; of equals those with the smaller id.
  std::vector<std::int32_t> best_of(std::int64_t source, std::size_t most) const;

 private:
  struct Count {
    std::int32_t token = 0, times = 0;
  };
  // The distinct tokens of each sentence, ascending.
  struct Side {
    std::vector<Count> counts;
    std::vector<std::size_t> ends{0};
    void add(std::span<const std::int32_t> ids);
    std::span<const Count> operator[](std::size_t sentence) const {
      return std::span(counts).subspan(ends[sentence], ends[sentence + 1] - ends[sentence]);
    }
  };
  struct Place {
    std::uint32_t sentence = 0;
    std::int32_t times = 0;
  };

  // The probabilities of `targets`, ascending, or of all target tokens where a quarter of them occurred.
  struct Row {
    std::vector<std::int32_t> targets;
    std::vector<float> probabilities;
    std::int32_t target(std::size_t i) const {
      return targets.empty() ? static_cast<std::int32_t>(i) : targets[i];
    }
  };

  void find_places();
  void divide_targets(std::size_t sentence, std::vector<double>& sums);
  void begin_row(Row& row, const std::vector<double>& sums) const;
  void update(std::size_t source, std::vector<double>& sums);

  std::size_t target_tokens_;
  Side sources_, targets_;
  std::vector<std::size_t> place_ends_;  // of each source token
  std::vector<Place> places_;            // where it occurs
  std::vector<float> shares_;            // of targets_.counts: times, divided by what explains the token
  std::vector<Row> rows_;                // of each source token, at last of the empty word
};

}  // namespace headwater
