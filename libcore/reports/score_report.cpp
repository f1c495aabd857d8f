#include "reports/score_report.hpp"

#include "reports/table.hpp"
#include "support/numbers.hpp"

namespace headwater {

namespace {

Json json_of(std::string_view metric, double score) {
  Json json;
  json.set("version", 1).set("metric", metric).set("score", score);
  return json;
}

}  // namespace

ScoreRow score_row(std::string_view metric, double value, int digits, std::string_view detail) {
  ScoreRow row{std::string(metric), format_fixed(value, digits), {}, json_of(metric, value)};
  if (!detail.empty()) row.details.emplace_back(detail);
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

ScoreRow bleu_row(std::span<const std::string> hypotheses,
                  std::span<const std::vector<std::string>> references, const BleuSettings& settings) {
  const BleuScore score = corpus_bleu(hypotheses, references, settings);
  const std::string signature = bleu_signature(settings, references.size());
  ScoreRow row{
      "BLEU", format_fixed(score.score, 2), {bleu_details(score), signature}, json_of("bleu", score.score)};
  Json::Array precisions, counts, totals;
  for (std::size_t n = 0; n < kBleuOrders; ++n) {
    precisions.emplace_back(score.precisions[n]);
    counts.emplace_back(score.counts[n]);
    totals.emplace_back(score.totals[n]);
  }
  row.json.set("precisions", precisions).set("counts", counts).set("totals", totals);
  row.json.set("brevity_penalty", score.brevity_penalty);
  row.json.set("hypothesis_length", score.hypothesis_length).set("reference_length", score.reference_length);
  row.json.set("signature", signature);
  return row;
}

ScoreRow chrf_row(std::span<const std::string> hypotheses,
                  std::span<const std::vector<std::string>> references, const ChrfSettings& settings) {
  const double score = corpus_chrf(hypotheses, references, settings);
  const std::string signature = chrf_signature(settings, references.size());
  ScoreRow row{chrf_name(settings),
               format_fixed(score, 2),
               {signature},
               json_of(settings.word_order > 0 ? "chrf++" : "chrf", score)};
  row.json.set("signature", signature);
  return row;
}

std::vector<ScoreRow> text_rows(std::span<const std::string> hypotheses,
                                std::span<const std::vector<std::string>> references,
                                const TextMetrics& metrics) {
  std::vector<ScoreRow> rows;
  for (const std::string& name : metrics.names) {
    rows.push_back(name == "bleu" ? bleu_row(hypotheses, references, metrics.bleu)
                                  : chrf_row(hypotheses, references,
                                             name == "chrf" ? metrics.chrf : metrics.chrf_plus_plus));
  }
  return rows;
}

std::vector<std::vector<double>> sentence_scores(std::span<const std::string> hypotheses,
                                                 std::span<const std::vector<std::string>> references,
                                                 const TextMetrics& metrics) {
  std::vector<std::vector<double>> columns;
  for (const std::string& name : metrics.names) {
    if (name != "bleu") {
      columns.push_back(
          sentence_chrf(hypotheses, references, name == "chrf" ? metrics.chrf : metrics.chrf_plus_plus));
      continue;
    }
    columns.emplace_back();
    for (const BleuScore& s : sentence_bleu(hypotheses, references, metrics.bleu))
      columns.back().push_back(s.score);
  }
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
