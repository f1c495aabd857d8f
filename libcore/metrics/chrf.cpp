#include "metrics/chrf.hpp"

#include <array>

#include "metrics/ngram_overlap.hpp"
#include "metrics/parallel_text.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/utf8.hpp"
#include "text/unicode/unicode_properties.hpp"

namespace headwater {

namespace {

struct OrderCounts {
  std::int64_t hypothesis = 0, reference = 0, matched = 0;
};
// Characters 1 .. character_order, then words 1 .. word_order.
using ChrfStatistics = std::array<OrderCounts, 2 * kMaxNgramOrders>;

void add(ChrfStatistics& sum, const ChrfStatistics& other) {
  for (std::size_t i = 0; i < sum.size(); ++i) {
    sum[i].hypothesis += other[i].hypothesis;
    sum[i].reference += other[i].reference;
    sum[i].matched += other[i].matched;
  }
}

// Orders that one side is too short for are left out of both means.
double f_score(const ChrfStatistics& statistics, const ChrfSettings& settings) {
  const double factor = settings.beta * settings.beta;
  double precision = 0, recall = 0;
  int orders = 0;
  for (int i = 0; i < settings.character_order + settings.word_order; ++i) {
    const OrderCounts& counts = statistics[i];
    if (counts.hypothesis == 0 || counts.reference == 0) continue;
    precision += static_cast<double>(counts.matched) / static_cast<double>(counts.hypothesis);
    recall += static_cast<double>(counts.matched) / static_cast<double>(counts.reference);
    ++orders;
  }
  if (orders == 0) return 0;
  precision /= orders;
  recall /= orders;
  if (precision + recall == 0) return 0;
  double score = (1 + factor) * precision * recall;
  score /= factor * precision + recall;
  return 100 * score;
}

bool is_ascii_punctuation(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

// Sets one mark at the end of a word apart, or else one at its beginning.
template <class Use>
void for_each_chrf_word(std::string_view text, const Use& use) {
  for_each_word(text, [&](std::string_view word) {
    if (word.size() == 1 || utf8_sequence_length(word) == word.size()) {
      use(word);
    } else if (is_ascii_punctuation(word.back())) {
      use(word.substr(0, word.size() - 1));
      use(word.substr(word.size() - 1));
    } else if (is_ascii_punctuation(word.front())) {
      use(word.substr(0, 1));
      use(word.substr(1));
    } else {
      use(word);
    }
  });
}

class ChrfCounter {
 public:
  explicit ChrfCounter(const ChrfSettings& settings) : settings_(settings) {}

  ChrfStatistics count(std::span<const std::string> hypotheses,
                       std::span<const std::vector<std::string>> references, std::size_t line) {
    texts_.resize(references.size() + 1);
    words_.clear();
    number(hypotheses[line], texts_[0], hypothesis_);
    ChrfStatistics best{};
    double best_score = -1;
    for (std::size_t r = 0; r < references.size(); ++r) {
      number(references[r][line], texts_[r + 1], reference_);
      ChrfStatistics statistics{};
      compare(hypothesis_.characters, reference_.characters, settings_.character_order, statistics.data());
      compare(hypothesis_.words, reference_.words, settings_.word_order,
              statistics.data() + settings_.character_order);
      const double score = references.size() == 1 ? 0 : f_score(statistics, settings_);
      if (score > best_score) {
        best_score = score;
        best = statistics;
      }
    }
    return best;
  }

 private:
  struct Numbers {
    std::vector<std::uint32_t> characters, words;
  };

  void number(const std::string& line, std::string& text, Numbers& numbers) {
    text = settings_.is_lowercased ? lowercase_unicode(line) : line;
    numbers.characters.clear();
    for (std::size_t at = 0; at < text.size();) {
      const char32_t c = next_code_point(text, at);
      if (!is_word_separator(c)) numbers.characters.push_back(c);
    }
    numbers.words.clear();
    if (settings_.word_order == 0) return;
    for_each_chrf_word(text, [&](std::string_view word) { numbers.words.push_back(words_(word)); });
  }

  void compare(const std::vector<std::uint32_t>& hypothesis, const std::vector<std::uint32_t>& reference,
               int orders, OrderCounts* out) {
    const NgramCounts matched = overlap_.matches(hypothesis, {&reference, 1}, orders);
    for (int n = 1; n <= orders; ++n) {
      const std::int64_t in_reference = ngrams_in(reference.size(), n);
      // without n-grams of this length in the reference the hypothesis' own do not count
      *out++ = {in_reference > 0 ? ngrams_in(hypothesis.size(), n) : 0, in_reference, matched[n - 1]};
    }
  }

  ChrfSettings settings_;
  std::vector<std::string> texts_;
  WordNumbers words_;
  Numbers hypothesis_, reference_;
  NgramOverlap overlap_;
};

void check(const ChrfSettings& settings) {
  const auto is_order = [](int order, int least) { return order >= least && order <= kMaxNgramOrders; };
  if (!is_order(settings.character_order, 1) || !is_order(settings.word_order, 0)) {
    throw UsageError("chrf: orders " + std::to_string(settings.character_order) + " and " +
                     std::to_string(settings.word_order) + " (characters 1 to 6, words 0 to 6)");
  }
}

}  // namespace

double corpus_chrf(std::span<const std::string> hypotheses,
                   std::span<const std::vector<std::string>> references, const ChrfSettings& settings) {
  check_parallel(hypotheses, references);
  check(settings);
  std::vector<ChrfStatistics> chunks((hypotheses.size() + kLinesATask - 1) / kLinesATask);
  for_each_chunk(hypotheses.size(), [&](std::size_t chunk, std::size_t begin, std::size_t end) {
    ChrfCounter counter(settings);
    for (std::size_t i = begin; i < end; ++i) add(chunks[chunk], counter.count(hypotheses, references, i));
  });
  ChrfStatistics total{};
  for (const ChrfStatistics& chunk : chunks) add(total, chunk);
  return f_score(total, settings);
}

std::vector<double> sentence_chrf(std::span<const std::string> hypotheses,
                                  std::span<const std::vector<std::string>> references,
                                  const ChrfSettings& settings) {
  check_parallel(hypotheses, references);
  check(settings);
  std::vector<double> scores(hypotheses.size());
  for_each_chunk(hypotheses.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
    ChrfCounter counter(settings);
    for (std::size_t i = begin; i < end; ++i)
      scores[i] = f_score(counter.count(hypotheses, references, i), settings);
  });
  return scores;
}

std::string chrf_name(const ChrfSettings& settings) {
  return "chrF" + format_fixed(settings.beta, 0) + std::string(settings.word_order, '+');
}

std::string chrf_signature(const ChrfSettings& settings, std::size_t reference_sets) {
  std::string signature =
      "nrefs:" + std::to_string(reference_sets) + (settings.is_lowercased ? "|case:lc" : "|case:mixed");
  signature += "|eff:yes|nc:" + std::to_string(settings.character_order) +
               "|nw:" + std::to_string(settings.word_order) + "|space:no";
  return signature.append("|version:").append(kScoreVersion);
}

}  // namespace headwater
