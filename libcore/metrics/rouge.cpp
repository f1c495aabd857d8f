#include "metrics/rouge.hpp"

#include <algorithm>
#include <bit>

#include "metrics/ngram_overlap.hpp"
#include "metrics/parallel_text.hpp"
#include "metrics/porter_stemmer.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"

namespace headwater {

void CommonSubsequence::note_places(std::span<const std::uint32_t> a) {
  const std::size_t symbols = std::size_t{*std::max_element(a.begin(), a.end())} + 1;
  begin_.assign(symbols + 1, 0);
  for (const std::uint32_t s : a) ++begin_[s + 1];
  for (std::size_t s = 0; s < symbols; ++s) begin_[s + 1] += begin_[s];
  places_.resize(a.size());
  std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
  for (std::size_t i = 0; i < a.size(); ++i) places_[next[a[i]]++] = static_cast<std::uint32_t>(i);

  // A symbol that is rarer than the words of a row has its bits set for each use; the few others keep a row.
  words_ = (a.size() + 63) / 64;
  rare_.assign(words_, 0);
  row_of_.assign(symbols, -1);
  rows_.clear();
  for (std::size_t s = 0; s < symbols; ++s) {
    if (begin_[s + 1] - begin_[s] <= words_) continue;
    row_of_[s] = static_cast<std::int32_t>(rows_.size() / words_);
    rows_.resize(rows_.size() + words_);
    std::uint64_t* const row = rows_.data() + rows_.size() - words_;
    for (std::uint32_t p = begin_[s]; p < begin_[s + 1]; ++p)
      row[places_[p] / 64] |= std::uint64_t{1} << (places_[p] % 64);
  }
}

// Bit i: a[i] is the symbol. Good until the next call.
const std::uint64_t* CommonSubsequence::places_of(std::uint32_t symbol) {
  if (row_of_[symbol] >= 0) return rows_.data() + static_cast<std::size_t>(row_of_[symbol]) * words_;
  for (std::uint32_t p = begin_[symbol]; p < begin_[symbol + 1]; ++p)
    rare_[places_[p] / 64] |= std::uint64_t{1} << (places_[p] % 64);
  return rare_.data();
}

// A column of the table of lengths at a time, its steps as bits (Crochemore et al. 2001, Hyyrö 2004): bit i
// is 0 where the length of the subsequence grows at a[i]. A symbol v of b turns V into (V + (V & M)) | (V &
// ~M), M being the places of v in a.
std::int64_t CommonSubsequence::length(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  if (a.empty() || b.empty()) return 0;
  note_places(a);
  open_.assign(words_, ~std::uint64_t{0});
  for (const std::uint32_t symbol : b) {
    if (symbol >= row_of_.size() || begin_[symbol] == begin_[symbol + 1]) continue;
    const std::uint64_t* const places = places_of(symbol);
    std::uint64_t carry = 0;
    for (std::size_t w = 0; w < words_; ++w) {
      const std::uint64_t open = open_[w], matched = open & places[w];
      const std::uint64_t half = open + matched, sum = half + carry;
      carry = (half < open ? 1U : 0U) | (sum < half ? 1U : 0U);
      open_[w] = sum | (open & ~places[w]);
    }
    if (places == rare_.data()) {
      for (std::uint32_t p = begin_[symbol]; p < begin_[symbol + 1]; ++p) rare_[places_[p] / 64] = 0;
    }
  }
  std::int64_t closed = 0;  // bits past the end of a stay 1
  for (const std::uint64_t open : open_) closed += 64 - std::popcount(open);
  return closed;
}

namespace {

// The product of two lengths from which a subsequence takes minutes.
constexpr std::size_t kMaxRougeProduct = std::size_t{1} << 40;

RougeScore rouge_of(std::int64_t matches, std::int64_t in_hypothesis, std::int64_t in_reference) {
  RougeScore score;
  score.precision =
      static_cast<double>(matches) / static_cast<double>(std::max<std::int64_t>(1, in_hypothesis));
  score.recall = static_cast<double>(matches) / static_cast<double>(std::max<std::int64_t>(1, in_reference));
  const double sum = score.precision + score.recall;
  if (sum > 0) score.f1 = 2 * score.precision * score.recall / sum;
  return score;
}

// Scores line after line, with buffers that are used again.
class RougeCounter {
 public:
  explicit RougeCounter(const RougeSettings& settings) : settings_(settings) {}

  RougeScores score(std::span<const std::string> hypotheses,
                    std::span<const std::vector<std::string>> references, std::size_t line) {
    hypothesis_words_ = rouge_tokens(hypotheses[line], settings_);
    RougeScores best;
    for (std::size_t r = 0; r < references.size(); ++r) {
      words_.clear();
      reference_words_ = rouge_tokens(references[r][line], settings_);
      number(hypothesis_words_, hypothesis_);
      number(reference_words_, reference_.front());
      const RougeScores scores = against_reference(line);
      for (std::size_t i = 0; i < best.size(); ++i) {
        if (r == 0 || scores[i].f1 > best[i].f1) best[i] = scores[i];
      }
    }
    return best;
  }

 private:
  void number(const std::vector<std::string>& words, std::vector<std::uint32_t>& numbers) {
    numbers.clear();
    for (const std::string& word : words) numbers.push_back(words_(word));
  }

  RougeScores against_reference(std::size_t line) {
    const std::vector<std::uint32_t>& reference = reference_.front();
    if (!reference.empty() && hypothesis_.size() > kMaxRougeProduct / reference.size()) {
      throw Error("rouge: line " + std::to_string(line + 1) + ": " +
                  counted(static_cast<std::int64_t>(hypothesis_.size()), "word") + " against " +
                  counted(static_cast<std::int64_t>(reference.size()), "word") +
                  " are too long for ROUGE-L (a text a line is wanted)");
    }
    const NgramCounts matches = overlap_.matches(hypothesis_, reference_, 2);
    RougeScores scores;
    for (int n = 1; n <= 2; ++n) {
      const std::size_t i = n - 1;
      scores[i] = rouge_of(matches[i], ngrams_in(hypothesis_.size(), n), ngrams_in(reference.size(), n));
    }
    scores[2] =
        rouge_of(subsequence_.length(reference, hypothesis_), static_cast<std::int64_t>(hypothesis_.size()),
                 static_cast<std::int64_t>(reference.size()));
    return scores;
  }

  RougeSettings settings_;
  std::vector<std::string> hypothesis_words_, reference_words_;
  WordNumbers words_;
  std::vector<std::uint32_t> hypothesis_;
  std::vector<std::vector<std::uint32_t>> reference_{1};  // one at a time
  NgramOverlap overlap_;
  CommonSubsequence subsequence_;
};

}  // namespace

std::vector<std::string> rouge_tokens(std::string_view line, const RougeSettings& settings) {
  std::vector<std::string> words;
  std::string word;
  const auto finish = [&] {
    if (settings.is_stemmed && word.size() > 3) word = porter_stem(std::move(word));
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
  };
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      word.push_back(c);
    } else if (c >= 'A' && c <= 'Z') {
      word.push_back(static_cast<char>(c - 'A' + 'a'));
    } else if (line.substr(i).starts_with("\xE2\x84\xAA")) {  // the Kelvin sign, whose lower case is k
      word.push_back('k');
      i += 2;
    } else if (line.substr(i).starts_with("\xC4\xB0")) {  // I with a dot: lower-cased i and a combining dot
      word.push_back('i');
      finish();
      ++i;
    } else {
      finish();
    }
  }
  finish();
  return words;
}

std::vector<RougeScores> sentence_rouge(std::span<const std::string> hypotheses,
                                        std::span<const std::vector<std::string>> references,
                                        const RougeSettings& settings) {
  check_parallel(hypotheses, references);
  std::vector<RougeScores> scores(hypotheses.size());
  for_each_chunk(hypotheses.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
    RougeCounter counter(settings);
    for (std::size_t i = begin; i < end; ++i) scores[i] = counter.score(hypotheses, references, i);
  });
  return scores;
}

RougeScores mean_rouge(std::span<const RougeScores> lines) {
  RougeScores mean;
  for (const RougeScores& line : lines) {
    for (std::size_t i = 0; i < mean.size(); ++i) {
      mean[i].precision += line[i].precision;
      mean[i].recall += line[i].recall;
      mean[i].f1 += line[i].f1;
    }
  }
  const auto count = static_cast<double>(lines.size());
  for (RougeScore& score : mean) {
    score.precision /= count;
    score.recall /= count;
    score.f1 /= count;
  }
  return mean;
}

std::string rouge_signature(const RougeSettings& settings, std::size_t reference_sets) {
  std::string signature = "nrefs:" + std::to_string(reference_sets);
  signature += settings.is_stemmed ? "|stem:porter" : "|stem:no";
  return signature.append("|mean:lines|version:").append(kScoreVersion);
}

}  // namespace headwater
