// The metrics of texts, a row each: BLEU, chrF, ROUGE against references; variety without them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/bleu.hpp"
#include "metrics/chrf.hpp"
#include "metrics/diversity.hpp"
#include "metrics/registry.hpp"
#include "metrics/rouge.hpp"

namespace headwater {

// What a score of texts is computed of.
enum class TextMetricNeeds {
  references,
  caseless_references,  // with or without capitals it is the same figure
  links,                // lines of links between words, and right ones
  nothing               // the texts alone
};

// How the scores are computed.
struct TextMetricSettings {
  BleuSettings bleu;
  ChrfSettings chrf, chrf_plus_plus{.word_order = 2};
  RougeSettings rouge;
  DiversitySettings diversity;
};

// Texts and what they should be, for any number of metrics: what several of them count is counted once. The
// texts must outlive it.
class ScoredTexts {
 public:
  ScoredTexts(std::span<const std::string> hypotheses, std::span<const std::vector<std::string>> references,
              const TextMetricSettings& settings)
      : hypotheses_(hypotheses), references_(references), settings_(settings) {}

  std::span<const std::string> hypotheses() const { return hypotheses_; }
  std::span<const std::vector<std::string>> references() const { return references_; }
  const TextMetricSettings& settings() const { return settings_; }
  const std::vector<RougeScores>& rouge();  // of each line
  const Diversity& diversity();

 private:
  std::span<const std::string> hypotheses_;
  std::span<const std::vector<std::string>> references_;
  const TextMetricSettings& settings_;
  std::optional<std::vector<RougeScores>> rouge_;
  std::optional<Diversity> diversity_;
};

struct TextMetric : Metric {
  TextMetricNeeds needs;
  std::string_view family;  // the word that asks for this and its relatives: "rouge"; empty: it has none
  // All lines together; of several references as the metric defines it.
  Score (*score)(ScoredTexts& texts);
  // Each line by itself: BLEU with effective order, ROUGE's F1, of the others the line's own. A line without
  // n-grams has a 0.
  std::vector<double> (*sentence_scores)(ScoredTexts& texts);
};

// "bleu", "chrf", "chrf++"; "rouge1", "rouge2", "rougeL"; "distinct-1" to "distinct-4"; "repetition"; "aer"
// of lines of alignments.
std::span<const TextMetric> text_metrics();
// Null for a word that is none of them.
const TextMetric* find_text_metric(std::string_view name);

}  // namespace headwater
