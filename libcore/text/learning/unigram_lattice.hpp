// All cuts of words into pieces with scores: what the learner of Unigram vocabularies sums over.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/models/piece_trie.hpp"

namespace headwater {

struct LearnedPiece {
  std::string surface;
  double score = 0;  // the logarithm of its probability
};
struct LearnedWord {
  std::string_view text;
  std::uint64_t count = 0;
};

// Sums are taken in blocks of words and over the blocks in their order, whoever computes them. A character
// without a piece costs as much as in Unigram.
class UnigramLattice {
 public:
  explicit UnigramLattice(const std::vector<LearnedPiece>& pieces);

  // How often each piece is expected in the words, over all cuts by their probability.
  std::vector<double> expected_counts(const std::vector<LearnedWord>& words) const;
  // How often each stands in the words' best cuts.
  std::vector<double> best_counts(const std::vector<LearnedWord>& words) const;
  // The best cut of a text without `piece`; empty where there is none of pieces alone.
  void second_best(std::string_view text, std::int32_t piece, std::vector<std::int32_t>& parts) const;

 private:
  struct Step {
    double score = 0;
    std::uint32_t begin = 0;
    std::int32_t piece = kNothing;
  };
  struct Edge {
    std::uint32_t begin = 0, end = 0;
    std::int32_t piece = 0;
    double weight = 0;
  };
  struct Scratch {
    std::vector<Step> steps;
    std::vector<Edge> edges;
    std::vector<double> forward, backward;
  };
  static constexpr std::int32_t kNothing = -2, kUnknown = -1;

  template <class Use>
  void for_each_edge(std::string_view text, std::size_t begin, const Use& use) const;
  void find_best(std::string_view text, std::int32_t without, std::vector<Step>& steps) const;
  void add_expected(const LearnedWord& word, Scratch& scratch, std::vector<double>& counts) const;
  void add_best(const LearnedWord& word, Scratch& scratch, std::vector<double>& counts) const;
  template <class Add>
  std::vector<double> sum_of_blocks(const std::vector<LearnedWord>& words, const Add& add) const;

  PieceTrie trie_;
  std::vector<double> scores_, weights_;  // weights are e to the scores
  double unknown_score_ = 0, unknown_weight_ = 0;
};

}  // namespace headwater
