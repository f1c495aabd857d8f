#include "text/learning/unigram_lattice.hpp"

#include <algorithm>

#include "support/math_functions.hpp"
#include "support/parallel.hpp"
#include "text/tokenizer/word_cuts.hpp"

namespace headwater {
namespace {

constexpr std::size_t kBlocks = 16;  // of words; sums have this form on any number of threads
// Where probabilities are multiplied, words are cut after so many bytes and no factor is below this, so that
// no product becomes 0.
constexpr std::size_t kMostBytes = 32;
constexpr double kLeastWeight = 1e-9;

}  // namespace

UnigramLattice::UnigramLattice(const std::vector<LearnedPiece>& pieces) {
  std::vector<PieceTrie::Key> keys;
  keys.reserve(pieces.size());
  for (const LearnedPiece& piece : pieces) {
    keys.push_back({piece.surface, static_cast<std::int32_t>(scores_.size())});
    scores_.push_back(piece.score);
    weights_.push_back(std::max(exponential(std::min(0.0, piece.score)), kLeastWeight));
    unknown_score_ = std::min(unknown_score_, piece.score);
  }
  unknown_score_ -= 10;
  unknown_weight_ = std::max(exponential(unknown_score_), kLeastWeight);
  trie_ = PieceTrie(std::move(keys));
}

template <class Use>
void UnigramLattice::for_each_edge(std::string_view text, std::size_t begin, const Use& use) const {
  const std::size_t one = character_bytes(text, begin);
  bool has_character = false;
  trie_.for_each_prefix(text.substr(begin), [&](std::size_t length, std::int32_t piece) {
    has_character = has_character || length == one;
    use(begin + length, piece);
  });
  if (!has_character) use(begin + one, kUnknown);
}

void UnigramLattice::find_best(std::string_view text, std::int32_t without, std::vector<Step>& steps) const {
  steps.assign(text.size() + 1, Step());
  for (std::size_t begin = 0; begin < text.size(); begin += character_bytes(text, begin)) {
    if (begin > 0 && steps[begin].piece == kNothing) continue;
    const double here = steps[begin].score;
    for_each_edge(text, begin, [&](std::size_t end, std::int32_t piece) {
      if (piece == without) return;
      const double sum = here + (piece == kUnknown ? unknown_score_ : scores_[piece]);
      Step& step = steps[end];
      if (step.piece != kNothing && !(sum > step.score)) return;
      step = {sum, static_cast<std::uint32_t>(begin), piece};
    });
  }
}

void UnigramLattice::second_best(std::string_view text, std::int32_t piece,
                                 std::vector<std::int32_t>& parts) const {
  std::vector<Step> steps;
  find_best(text, piece, steps);
  parts.clear();
  if (steps[text.size()].piece == kNothing) return;
  for (std::size_t end = text.size(); end > 0; end = steps[end].begin) {
    if (steps[end].piece < 0) {
      parts.clear();
      return;
    }
    parts.push_back(steps[end].piece);
  }
}

void UnigramLattice::add_best(const LearnedWord& word, Scratch& scratch, std::vector<double>& counts) const {
  find_best(word.text, kNothing, scratch.steps);
  for (std::size_t end = word.text.size(); end > 0; end = scratch.steps[end].begin) {
    const std::int32_t piece = scratch.steps[end].piece;
    if (piece >= 0) counts[piece] += static_cast<double>(word.count);
  }
}

void UnigramLattice::add_expected(const LearnedWord& word, Scratch& scratch,
                                  std::vector<double>& counts) const {
  for (std::size_t from = 0; from < word.text.size();) {
    std::size_t to = from;
    while (to < word.text.size() && to - from < kMostBytes) to += character_bytes(word.text, to);
    const std::string_view text = word.text.substr(from, to - from);
    from = to;
    scratch.edges.clear();
    scratch.forward.assign(text.size() + 1, 0.0);
    scratch.backward.assign(text.size() + 1, 0.0);
    scratch.forward[0] = 1;
    scratch.backward[text.size()] = 1;
    for (std::size_t begin = 0; begin < text.size(); begin += character_bytes(text, begin)) {
      const double here = scratch.forward[begin];
      for_each_edge(text, begin, [&](std::size_t end, std::int32_t piece) {
        const double weight = piece == kUnknown ? unknown_weight_ : weights_[piece];
        scratch.forward[end] += here * weight;
        scratch.edges.push_back(
            {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), piece, weight});
      });
    }
    for (auto edge = scratch.edges.rbegin(); edge != scratch.edges.rend(); ++edge)
      scratch.backward[edge->begin] += edge->weight * scratch.backward[edge->end];
    const double scale = static_cast<double>(word.count) / scratch.forward[text.size()];
    for (const Edge& edge : scratch.edges) {
      if (edge.piece < 0) continue;
      counts[edge.piece] += scratch.forward[edge.begin] * edge.weight * scratch.backward[edge.end] * scale;
    }
  }
}

template <class Add>
std::vector<double> UnigramLattice::sum_of_blocks(const std::vector<LearnedWord>& words,
                                                  const Add& add) const {
  std::vector<std::vector<double>> parts(kBlocks);
  parallel_for(kBlocks, [&](std::int64_t index) {
    const std::size_t block = index;
    std::vector<double>& counts = parts[block];
    counts.assign(scores_.size(), 0.0);
    Scratch scratch;
    for (std::size_t i = words.size() * block / kBlocks; i < words.size() * (block + 1) / kBlocks; ++i)
      add(words[i], scratch, counts);
  });
  std::vector<double> total(scores_.size());
  for (const std::vector<double>& part : parts) {
    for (std::size_t i = 0; i < total.size(); ++i) total[i] += part[i];
  }
  return total;
}

std::vector<double> UnigramLattice::expected_counts(const std::vector<LearnedWord>& words) const {
  return sum_of_blocks(words, [this](const LearnedWord& word, Scratch& scratch, std::vector<double>& counts) {
    add_expected(word, scratch, counts);
  });
}

std::vector<double> UnigramLattice::best_counts(const std::vector<LearnedWord>& words) const {
  return sum_of_blocks(words, [this](const LearnedWord& word, Scratch& scratch, std::vector<double>& counts) {
    add_best(word, scratch, counts);
  });
}

}  // namespace headwater
