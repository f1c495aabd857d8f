// Scores as rows of a table and as JSON objects.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "metrics/bleu.hpp"
#include "metrics/chrf.hpp"
#include "metrics/diversity.hpp"
#include "metrics/rouge.hpp"
#include "support/json.hpp"
#include "support/token_counts.hpp"

namespace headwater {

// One figure.
struct ScoreRow {
  std::string name, value;           // "BLEU", "33.26"
  std::vector<std::string> details;  // a line each
  Json json;                         // {"version": 1, "metric": "bleu", ...}
};

// Row of any other figure: `metric` also names the JSON member's metric.
ScoreRow score_row(std::string_view metric, double value, int digits, std::string_view detail = "");

// The same over examples of which `truncated` parts ("side", "line") were cut to what the model reads: said
// after the detail, and as "truncated" in JSON, where there are any.
ScoreRow score_row(std::string_view metric, double value, int digits, const std::string& detail,
                   std::string_view part, std::int64_t truncated);

// "unknown", or "unknown_COLUMN": the share of tokens that the vocabulary lacks, from 0 to 1.
ScoreRow unknown_row(const ColumnTokenCounts& column);

ScoreRow bleu_row(std::span<const std::string> hypotheses,
                  std::span<const std::vector<std::string>> references, const BleuSettings& settings);
ScoreRow chrf_row(std::span<const std::string> hypotheses,
                  std::span<const std::vector<std::string>> references, const ChrfSettings& settings);

// What a score of texts is computed of.
enum class TextMetricNeeds {
  references,
  caseless_references,  // with or without capitals it is the same figure
  nothing               // the texts alone
};
// "bleu", "chrf", "chrf++"; "rouge1", "rouge2", "rougeL"; "distinct-1" to "distinct-4", "repetition"; nothing
// for another word.
std::optional<TextMetricNeeds> needs_of_text_metric(std::string_view name);

// Which scores of texts are wanted, and how they are computed.
struct TextMetrics {
  std::vector<std::string> names;
  BleuSettings bleu;
  ChrfSettings chrf, chrf_plus_plus;
  RougeSettings rouge;
  DiversitySettings diversity;
};
// A row for each name. Where no name needs references there may be none.
std::vector<ScoreRow> text_rows(std::span<const std::string> hypotheses,
                                std::span<const std::vector<std::string>> references,
                                const TextMetrics& metrics);
// For each name the score of every line: BLEU with effective order, ROUGE's F1, of the others the line's own.
// A line without n-grams has a 0.
std::vector<std::vector<double>> sentence_scores(std::span<const std::string> hypotheses,
                                                 std::span<const std::vector<std::string>> references,
                                                 const TextMetrics& metrics);

// Digits after the point with which a score of texts is shown: 2 of 0 to 100, 4 of 0 to 1.
int digits_of_text_metric(std::string_view name);

// Columns metric, value, details.
std::string score_table(std::span<const ScoreRow> rows);
// That table, or a JSON object a line.
std::string scores_text(std::span<const ScoreRow> rows, bool is_json);

}  // namespace headwater
