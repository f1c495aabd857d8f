#include "metrics/bleu.hpp"

#include <cmath>
#include <cstdlib>

#include "metrics/ngram_overlap.hpp"
#include "metrics/parallel_text.hpp"
#include "metrics/score_version.hpp"
#include "metrics/words.hpp"
#include "support/numbers.hpp"

namespace headwater {

namespace {

struct BleuStatistics {
  std::array<std::int64_t, kBleuOrders> counts{}, totals{};
  std::int64_t hypothesis_length = 0, reference_length = 0;

  void add(const BleuStatistics& other) {
    for (std::size_t n = 0; n < kBleuOrders; ++n) {
      counts[n] += other.counts[n];
      totals[n] += other.totals[n];
    }
    hypothesis_length += other.hypothesis_length;
    reference_length += other.reference_length;
  }
};

// Counts line after line, with buffers that are used again.
class BleuCounter {
 public:
  explicit BleuCounter(const BleuSettings& settings) : settings_(settings) {}

  BleuStatistics count(std::span<const std::string> hypotheses,
                       std::span<const std::vector<std::string>> references, std::size_t line) {
    texts_.resize(references.size() + 1);
    references_.resize(references.size());
    words_.clear();
    number(hypotheses[line], texts_[0], hypothesis_);
    for (std::size_t r = 0; r < references.size(); ++r)
      number(references[r][line], texts_[r + 1], references_[r]);

    BleuStatistics statistics;
    const NgramCounts matched = overlap_.matches(hypothesis_, references_, kBleuOrders);
    for (int n = 1; n <= kBleuOrders; ++n) {
      const auto i = static_cast<std::size_t>(n - 1);
      statistics.counts[i] = matched[i];
      statistics.totals[i] = ngrams_in(hypothesis_.size(), n);
    }
    statistics.hypothesis_length = static_cast<std::int64_t>(hypothesis_.size());
    statistics.reference_length = closest_length();
    return statistics;
  }

 private:
  void number(const std::string& line, std::string& text, std::vector<std::uint32_t>& numbers) {
    text = bleu_tokens(settings_.is_lowercased ? lowercase_unicode(line) : line, settings_.tokenization);
    numbers.clear();
    for_each_word(text, [&](std::string_view word) { numbers.push_back(words_(word)); });
  }

  // Where two references are equally close in length, the shorter one counts.
  std::int64_t closest_length() const {
    const auto length = static_cast<std::int64_t>(hypothesis_.size());
    std::int64_t closest = static_cast<std::int64_t>(references_.front().size());
    for (const auto& reference : references_) {
      const auto candidate = static_cast<std::int64_t>(reference.size());
      const std::int64_t nearer = std::abs(candidate - length) - std::abs(closest - length);
      if (nearer < 0 || (nearer == 0 && candidate < closest)) closest = candidate;
    }
    return closest;
  }

  BleuSettings settings_;
  std::vector<std::string> texts_;
  WordNumbers words_;
  std::vector<std::uint32_t> hypothesis_;
  std::vector<std::vector<std::uint32_t>> references_;
  NgramOverlap overlap_;
};

double default_smoothing_value(BleuSmoothing smoothing) {
  return smoothing == BleuSmoothing::add_k ? 1.0 : 0.1;
}

// The operations stand in the order of sacreBLEU's, so that equal counts give equal doubles.
BleuScore score_of(const BleuStatistics& statistics, const BleuSettings& settings) {
  BleuScore result;
  result.counts = statistics.counts;
  result.totals = statistics.totals;
  result.hypothesis_length = statistics.hypothesis_length;
  result.reference_length = statistics.reference_length;
  if (result.hypothesis_length < result.reference_length) {
    result.brevity_penalty = result.hypothesis_length > 0
                                 ? std::exp(1 - static_cast<double>(result.reference_length) /
                                                    static_cast<double>(result.hypothesis_length))
                                 : 0.0;
  }
  bool has_match = false;
  for (const std::int64_t count : result.counts) has_match = has_match || count > 0;
  if (!has_match) return result;

  const double value = settings.smoothing_value.value_or(default_smoothing_value(settings.smoothing));
  double halvings = 1;
  int order = kBleuOrders;
  for (int n = 1; n <= kBleuOrders; ++n) {
    const auto i = static_cast<std::size_t>(n - 1);
    auto count = static_cast<double>(result.counts[i]);
    auto total = static_cast<double>(result.totals[i]);
    if (settings.smoothing == BleuSmoothing::add_k && n > 1) {
      count += value;
      total += value;
    }
    if (total == 0) break;
    if (settings.has_effective_order) order = n;
    if (count != 0) {
      result.precisions[i] = 100.0 * count / total;
    } else if (settings.smoothing == BleuSmoothing::exponential) {
      halvings *= 2;
      result.precisions[i] = 100.0 / (halvings * total);
    } else if (settings.smoothing == BleuSmoothing::floor) {
      result.precisions[i] = 100.0 * value / total;
    }
  }
  double logarithms = 0;
  for (int n = 0; n < order; ++n) {
    const double precision = result.precisions[static_cast<std::size_t>(n)];
    logarithms += precision == 0 ? -9999999999.0 : std::log(precision);
  }
  result.score = result.brevity_penalty * std::exp(logarithms / order);
  return result;
}

}  // namespace

BleuScore corpus_bleu(std::span<const std::string> hypotheses,
                      std::span<const std::vector<std::string>> references, const BleuSettings& settings) {
  check_parallel(hypotheses, references);
  std::vector<BleuStatistics> chunks((hypotheses.size() + kLinesATask - 1) / kLinesATask);
  for_each_chunk(hypotheses.size(), [&](std::size_t chunk, std::size_t begin, std::size_t end) {
    BleuCounter counter(settings);
    for (std::size_t i = begin; i < end; ++i) chunks[chunk].add(counter.count(hypotheses, references, i));
  });
  BleuStatistics total;
  for (const BleuStatistics& chunk : chunks) total.add(chunk);
  return score_of(total, settings);
}

std::vector<BleuScore> sentence_bleu(std::span<const std::string> hypotheses,
                                     std::span<const std::vector<std::string>> references,
                                     const BleuSettings& settings) {
  check_parallel(hypotheses, references);
  BleuSettings effective = settings;
  effective.has_effective_order = true;
  std::vector<BleuScore> scores(hypotheses.size());
  for_each_chunk(hypotheses.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
    BleuCounter counter(effective);
    for (std::size_t i = begin; i < end; ++i)
      scores[i] = score_of(counter.count(hypotheses, references, i), effective);
  });
  return scores;
}

std::optional<BleuSmoothing> bleu_smoothing(std::string_view name) {
  if (name == "exp") return BleuSmoothing::exponential;
  if (name == "floor") return BleuSmoothing::floor;
  if (name == "add-k") return BleuSmoothing::add_k;
  if (name == "none") return BleuSmoothing::none;
  return std::nullopt;
}

std::string bleu_signature(const BleuSettings& settings, std::size_t reference_sets) {
  constexpr std::array<std::string_view, 4> smoothings = {"exp", "floor", "add-k", "none"};
  std::string signature = "nrefs:" + std::to_string(reference_sets);
  signature += settings.is_lowercased ? "|case:lc" : "|case:mixed";
  signature += settings.has_effective_order ? "|eff:yes" : "|eff:no";
  signature.append("|tok:").append(bleu_tokenization_name(settings.tokenization));
  signature.append("|smooth:").append(smoothings[static_cast<std::size_t>(settings.smoothing)]);
  if (settings.smoothing == BleuSmoothing::floor || settings.smoothing == BleuSmoothing::add_k) {
    signature +=
        "[" +
        format_fixed(settings.smoothing_value.value_or(default_smoothing_value(settings.smoothing)), 2) + "]";
  }
  return signature.append("|version:").append(kScoreVersion);
}

std::string bleu_details(const BleuScore& score) {
  std::string text;
  for (const double precision : score.precisions)
    text += (text.empty() ? "" : "/") + format_fixed(precision, 1);
  const double ratio = score.reference_length == 0 ? 0
                                                   : static_cast<double>(score.hypothesis_length) /
                                                         static_cast<double>(score.reference_length);
  return text + " (BP = " + format_fixed(score.brevity_penalty, 3) + " ratio = " + format_fixed(ratio, 3) +
         " hyp_len = " + std::to_string(score.hypothesis_length) +
         " ref_len = " + std::to_string(score.reference_length) + ")";
}

}  // namespace headwater
