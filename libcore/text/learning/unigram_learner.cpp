#include "text/learning/unigram_learner.hpp"

#include <algorithm>

#include "support/best_of.hpp"
#include "support/error.hpp"
#include "support/math_functions.hpp"
#include "support/suffix_array.hpp"
#include "text/learning/piece_counts.hpp"
#include "text/learning/unigram_lattice.hpp"
#include "text/tokenizer/word_cuts.hpp"

namespace headwater {
namespace {

// Candidates to begin with, for each token of the vocabulary.
constexpr std::size_t kCandidates = 20;
constexpr std::size_t kMostCandidates = 1'000'000;
constexpr double kKeptShare = 0.75;      // of the pieces that a round of pruning leaves
constexpr double kFewestExpected = 0.5;  // a piece that is expected less often goes
constexpr int kEstimates = 2;            // rounds of EM between prunings

// ln x - 1/(2x) - ..., the asymptotic series of the digamma function, above 6 by recurrence.
double digamma(double x) {
  double shift = 0;
  while (x < 7) {
    shift -= 1 / x;
    x += 1;
  }
  x -= 0.5;
  const double square = 1 / (x * x);
  const double series =
      square * (1.0 / 24 - square * (7.0 / 960 - square * (31.0 / 8064 - square * (127.0 / 30720))));
  return shift + natural_logarithm(x) + series;
}

bool is_score_before(const LearnedPiece& a, const LearnedPiece& b) {
  return a.score != b.score ? a.score > b.score : a.surface < b.surface;
}

// Whole numbers as logarithms of shares.
void make_scores(std::vector<LearnedPiece>& pieces) {
  double total = 0;
  for (const LearnedPiece& piece : pieces) total += piece.score;
  const double log_total = natural_logarithm(total);
  for (LearnedPiece& piece : pieces) piece.score = natural_logarithm(piece.score) - log_total;
}

class Learner {
 public:
  Learner(const WordTable& counts, const UnigramLearnerSettings& settings) : settings_(settings) {
    for (const WordTable::Entry& entry : by_bytes(counts)) {
      if (entry.value > 0 && entry.length > 0) words_.push_back({entry.word(), entry.value});
    }
    if (words_.empty()) throw Error("no tokens to learn from (the input is empty)");
    find_characters();
    const auto fixed = static_cast<std::int64_t>(settings_.special_tokens.size() + characters_.size());
    if (settings_.size < fixed) {
      throw Error("size: " + std::to_string(settings_.size) + " is less than the " + std::to_string(fixed) +
                  " tokens that are special or single characters (take a larger one)");
    }
    wanted_ = static_cast<std::size_t>(settings_.size) - settings_.special_tokens.size();
  }

  std::vector<UnigramPiece> learn() {
    std::vector<LearnedPiece> pieces = seed();
    // Somewhat more than is wanted, so that the last choice is by score.
    const std::size_t enough = wanted_ + wanted_ / 10;
    for (;;) {
      for (int i = 0; i < kEstimates; ++i) pieces = estimate(pieces);
      if (pieces.size() <= enough) break;
      pieces = prune(pieces, enough);
    }
    return finish(pieces);
  }

 private:
  // The characters that make the coverage, most frequent first.
  void find_characters() {
    WordTable table;
    std::uint64_t total = 0;
    for (const LearnedWord& word : words_) {
      for (std::size_t at = 0; at < word.text.size();) {
        const std::size_t length = character_bytes(word.text, at);
        table.value(word.text.substr(at, length)) += word.count;
        total += word.count;
        at += length;
      }
    }
    double covered = 0;
    for (const WordTable::Entry& entry : most_frequent(table, table.size())) {
      if (covered >= settings_.character_coverage * static_cast<double>(total)) break;
      covered += static_cast<double>(entry.value);
      if (is_special(std::string(entry.word()))) continue;
      characters_.push_back({std::string(entry.word()), static_cast<double>(entry.value)});
      is_character_.value(entry.word()) = characters_.size();
    }
  }

  // Substrings of words that occur twice at least, by how many characters they cover in all.
  std::vector<LearnedPiece> seed() const {
    struct Candidate {
      std::string_view surface;
      double covers;
    };
    const auto is_before = [](const Candidate& a, const Candidate& b) {
      return a.covers != b.covers ? a.covers > b.covers : a.surface < b.surface;
    };
    const Characters characters = this->characters();
    BestOf<Candidate, decltype(is_before)> best(
        std::min(kMostCandidates, std::max<std::size_t>(kCandidates * wanted_, 20'000)), is_before);
    const std::size_t longest = settings_.max_piece_characters;
    SuffixArray(characters.symbols, longest)
        .for_each_run([&](std::span<const std::uint32_t> places, std::size_t length) {
          if (length < 2) return;
          std::uint64_t count = 0;
          for (const std::uint32_t place : places) count += words_[characters.words[place]].count;
          if (count < 2) return;
          const std::uint32_t first = places.front(), last = first + static_cast<std::uint32_t>(length) - 1;
          const std::string_view word = words_[characters.words[first]].text;
          const std::size_t begin = characters.begins[first],
                            end = characters.begins[last] + character_bytes(word, characters.begins[last]);
          best.add(
              {word.substr(begin, end - begin), static_cast<double>(count) * static_cast<double>(length)});
        });
    std::vector<LearnedPiece> pieces = characters_;
    for (const Candidate& found : best.finish()) pieces.push_back({std::string(found.surface), found.covers});
    make_scores(pieces);
    return pieces;
  }

  // The words' characters that have a piece, by its number from 1, with a 0 for what lies between them.
  struct Characters {
    std::vector<std::uint32_t> symbols, words, begins;  // number of the piece, of the word; bytes before it
  };
  Characters characters() const {
    Characters found;
    const auto add = [&](std::uint64_t symbol, std::size_t word, std::size_t begin) {
      if (symbol == 0 && (found.symbols.empty() || found.symbols.back() == 0)) return;
      found.symbols.push_back(static_cast<std::uint32_t>(symbol));
      found.words.push_back(static_cast<std::uint32_t>(word));
      found.begins.push_back(static_cast<std::uint32_t>(begin));
    };
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const std::string_view text = words_[i].text;
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = character_bytes(text, at);
        const WordTable::Entry* const piece = is_character_.find(text.substr(at, length));
        add(piece == nullptr ? 0 : piece->value, i, at);
        at += length;
      }
      add(0, i, text.size());
    }
    return found;
  }

  bool must_stay(const LearnedPiece& piece) const { return is_character_.find(piece.surface) != nullptr; }

  // Expected counts, then the digamma of them in place of the logarithm: a prior that prefers few pieces.
  std::vector<LearnedPiece> estimate(const std::vector<LearnedPiece>& pieces) const {
    const std::vector<double> expected = UnigramLattice(pieces).expected_counts(words_);
    std::vector<LearnedPiece> next;
    double total = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      if (expected[i] < kFewestExpected && !must_stay(pieces[i])) continue;
      next.push_back({pieces[i].surface, std::max(expected[i], kFewestExpected)});
      total += next.back().score;
    }
    const double log_total = digamma(total);
    for (LearnedPiece& piece : next) piece.score = digamma(piece.score) - log_total;
    return next;
  }

  // Keeps the pieces whose loss would cost most: what their texts would cost as the best cut without them.
  std::vector<LearnedPiece> prune(const std::vector<LearnedPiece>& pieces, std::size_t enough) const {
    const UnigramLattice lattice(pieces);
    const std::vector<double> used = lattice.best_counts(words_);
    double total = 0;
    for (const double count : used) total += count;
    struct Loss {
      std::size_t piece;
      double loss;
    };
    std::vector<Loss> losses;
    std::vector<bool> stays(pieces.size());
    std::size_t staying = 0;
    std::vector<std::int32_t> parts;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      lattice.second_best(pieces[i].surface, static_cast<std::int32_t>(i), parts);
      if (must_stay(pieces[i]) || parts.empty()) {
        stays[i] = true;
        ++staying;
        continue;
      }
      if (used[i] == 0) continue;
      // Its count goes to its parts: log shares before and after.
      const double before = natural_logarithm(used[i]) - natural_logarithm(total);
      const double log_after = natural_logarithm(total + used[i] * static_cast<double>(parts.size() - 1));
      double after = 0;
      for (const std::int32_t part : parts) after += natural_logarithm(used[part] + used[i]) - log_after;
      losses.push_back({i, used[i] / total * (before - after)});
    }
    const auto share = static_cast<std::size_t>(kKeptShare * static_cast<double>(pieces.size()));
    const std::size_t target = std::max(enough, share);
    const std::size_t kept = std::min(losses.size(), target > staying ? target - staying : 0);
    std::partial_sort(losses.begin(), losses.begin() + static_cast<std::ptrdiff_t>(kept), losses.end(),
                      [&](const Loss& a, const Loss& b) {
                        return a.loss != b.loss ? a.loss > b.loss
                                                : pieces[a.piece].surface < pieces[b.piece].surface;
                      });
    for (std::size_t i = 0; i < kept; ++i) stays[losses[i].piece] = true;
    std::vector<LearnedPiece> next;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      if (stays[i]) next.push_back(pieces[i]);
    }
    return next;
  }

  // All characters and the best others.
  std::vector<UnigramPiece> finish(std::vector<LearnedPiece> pieces) const {
    std::stable_sort(pieces.begin(), pieces.end(), is_score_before);
    std::vector<LearnedPiece> chosen;
    std::size_t others = wanted_ - characters_.size();
    for (LearnedPiece& piece : pieces) {
      if (!must_stay(piece)) {
        if (others == 0 || is_special(piece.surface)) continue;
        --others;
      }
      chosen.push_back(std::move(piece));
    }
    std::vector<UnigramPiece> result;
    for (const std::string& token : settings_.special_tokens) result.push_back({token, 0, PieceKind::hidden});
    for (LearnedPiece& piece : chosen) result.push_back({std::move(piece.surface), piece.score});
    return result;
  }

  bool is_special(const std::string& surface) const {
    const std::vector<std::string>& special = settings_.special_tokens;
    return std::find(special.begin(), special.end(), surface) != special.end();
  }

  UnigramLearnerSettings settings_;
  std::vector<LearnedWord> words_;  // by bytes
  std::vector<LearnedPiece> characters_;
  WordTable is_character_;  // value: number in characters_, from 1
  std::size_t wanted_ = 0;
};

}  // namespace

std::vector<UnigramPiece> learn_unigram(const WordTable& counts, const UnigramLearnerSettings& settings) {
  return Learner(counts, settings).learn();
}

}  // namespace headwater
