#include "reports/score_report.hpp"

#include "reports/table.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"

namespace headwater {

namespace {

Json json_of(std::string_view metric, double score) {
  Json json;
  json.set("version", 1).set("metric", metric).set("score", score);
  return json;
}

// The metric of a name of TextMetrics.
const TextMetric& text_metric(const std::string& name) {
  const TextMetric* const metric = find_text_metric(name);
  if (metric == nullptr) throw Error("scores: " + quote(name) + " is no metric of texts");
  return *metric;
}

}  // namespace

ScoreRow score_row(std::string_view metric, double value, int digits, std::string_view detail) {
  ScoreRow row{std::string(metric), format_fixed(value, digits), {}, json_of(metric, value)};
  if (!detail.empty()) row.details.emplace_back(detail);
  return row;
}

ScoreRow score_row(std::string_view metric, double value, int digits, const std::string& detail,
                   std::string_view part, std::int64_t truncated) {
  if (truncated == 0) return score_row(metric, value, digits, detail);
  ScoreRow row =
      score_row(metric, value, digits,
                detail + "; " + counted(truncated, std::string(part)) + " truncated to the model's length");
  row.json.set("truncated", truncated);
  return row;
}

ScoreRow unknown_row(const ColumnTokenCounts& column) {
  const auto& [name, counts] = column;
  ScoreRow row = score_row(name.empty() ? "unknown" : "unknown_" + name, counts.unknown_share(), 4,
                           format_count(counts.unknown) + " of " +
                               counted(counts.tokens, name + (name.empty() ? "token" : " token")));
  row.json.set("unknown", counts.unknown).set("tokens", counts.tokens);
  return row;
}

ScoreRow score_row(const Metric& metric, const Score& score) {
  ScoreRow row = score_row(metric.name, score.value, metric.digits);
  if (!score.shown_as.empty()) row.name = score.shown_as;
  row.details = score.details;
  for (const auto& [name, value] : score.members) row.json.set(name, value);
  return row;
}

std::vector<ScoreRow> text_rows(std::span<const std::string> hypotheses,
                                std::span<const std::vector<std::string>> references,
                                const TextMetrics& metrics) {
  ScoredTexts texts(hypotheses, references, metrics);
  std::vector<ScoreRow> rows;
  for (const std::string& name : metrics.names) {
    const TextMetric& metric = text_metric(name);
    rows.push_back(score_row(metric, metric.score(texts)));
  }
  return rows;
}

std::vector<std::vector<double>> sentence_scores(std::span<const std::string> hypotheses,
                                                 std::span<const std::vector<std::string>> references,
                                                 const TextMetrics& metrics) {
  ScoredTexts texts(hypotheses, references, metrics);
  std::vector<std::vector<double>> columns;
  for (const std::string& name : metrics.names) columns.push_back(text_metric(name).sentence_scores(texts));
  return columns;
}

std::string score_table(std::span<const ScoreRow> rows) {
  Table table({{"metric"}, {"value", Table::Align::right}, {"details"}});
  for (const ScoreRow& row : rows) {
    table.add_row({row.name, row.value, row.details.empty() ? "" : row.details.front()});
    for (std::size_t i = 1; i < row.details.size(); ++i) table.add_row({"", "", row.details[i]});
  }
  return table.text();
}

std::string scores_text(std::span<const ScoreRow> rows, bool is_json) {
  if (!is_json) return score_table(rows);
  std::string lines;
  for (const ScoreRow& row : rows) lines += row.json.dump() + "\n";
  return lines;
}

}  // namespace headwater
