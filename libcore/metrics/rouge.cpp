#include "metrics/rouge.hpp"

#include <algorithm>

#include "metrics/common_subsequence.hpp"
#include "metrics/ngram_overlap.hpp"
#include "metrics/parallel_text.hpp"
#include "metrics/porter_stemmer.hpp"
#include "metrics/score_version.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"

namespace headwater {

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
      const auto i = static_cast<std::size_t>(n - 1);
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
