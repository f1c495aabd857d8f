#include "reports/score_report.hpp"

#include <algorithm>

#include "reports/table.hpp"
#include "support/numbers.hpp"

namespace headwater {

namespace {

Json json_of(std::string_view metric, double score) {
  Json json;
  json.set("version", 1).set("metric", metric).set("score", score);
  return json;
}

constexpr std::string_view kRepetition = "repetition", kDistinct = "distinct-";

std::optional<std::size_t> rouge_index(std::string_view name) {
  const auto* const at = std::find(kRougeNames.begin(), kRougeNames.end(), name);
  if (at == kRougeNames.end()) return std::nullopt;
  return static_cast<std::size_t>(at - kRougeNames.begin());
}

// The n of "distinct-n"; 0: another name.
int distinct_order(std::string_view name) {
  if (!name.starts_with(kDistinct) || name.size() != kDistinct.size() + 1) return 0;
  const int order = name.back() - '0';
  return order >= 1 && order <= kDistinctOrders ? order : 0;
}

// F1 is the score.
ScoreRow rouge_row(std::string_view name, const RougeScore& score, const std::string& signature) {
  ScoreRow row{std::string(name),
               format_fixed(score.f1, 4),
               {"precision " + format_fixed(score.precision, 4) + ", recall " + format_fixed(score.recall, 4),
                signature},
               json_of(name, score.f1)};
  row.json.set("precision", score.precision).set("recall", score.recall).set("f1", score.f1);
  row.json.set("signature", signature);
  return row;
}

ScoreRow diversity_row(std::string_view name, const Diversity& diversity, const std::string& signature) {
  if (name == kRepetition) {
    ScoreRow row = score_row(name, diversity.repetition(), 4,
                             "mean share of 4-grams that stood before, of " +
                                 counted(diversity.texts_with_ngrams, "text") + " of 4 tokens or more");
    row.details.push_back(signature);
    row.json.set("texts", diversity.texts_with_ngrams).set("signature", signature);
    return row;
  }
  const int order = distinct_order(name);
  const std::int64_t distinct = diversity.distinct[static_cast<std::size_t>(order - 1)];
  ScoreRow row = score_row(name, diversity.distinct_share(order), 4,
                           format_count(distinct) + " different among " + counted(diversity.tokens, "token"));
  row.details.push_back(signature);
  row.json.set("distinct", distinct).set("tokens", diversity.tokens).set("signature", signature);
  return row;
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

std::optional<TextMetricNeeds> needs_of_text_metric(std::string_view name) {
  if (name == "bleu" || name == "chrf" || name == "chrf++") return TextMetricNeeds::references;
  if (rouge_index(name)) return TextMetricNeeds::caseless_references;
  if (name == kRepetition || distinct_order(name) > 0) return TextMetricNeeds::nothing;
  return std::nullopt;
}

int digits_of_text_metric(std::string_view name) {
  return needs_of_text_metric(name) == TextMetricNeeds::references ? 2 : 4;
}

std::vector<ScoreRow> text_rows(std::span<const std::string> hypotheses,
                                std::span<const std::vector<std::string>> references,
                                const TextMetrics& metrics) {
  std::optional<RougeScores> rouge;  // each counted once for all of its names
  std::optional<Diversity> diversity;
  std::vector<ScoreRow> rows;
  for (const std::string& name : metrics.names) {
    if (name == "bleu") {
      rows.push_back(bleu_row(hypotheses, references, metrics.bleu));
    } else if (const auto index = rouge_index(name)) {
      if (!rouge) rouge = mean_rouge(sentence_rouge(hypotheses, references, metrics.rouge));
      rows.push_back(rouge_row(name, (*rouge)[*index], rouge_signature(metrics.rouge, references.size())));
    } else if (name.starts_with("chrf")) {
      rows.push_back(
          chrf_row(hypotheses, references, name == "chrf" ? metrics.chrf : metrics.chrf_plus_plus));
    } else {
      if (!diversity) diversity = diversity_of(hypotheses, metrics.diversity);
      rows.push_back(diversity_row(name, *diversity, diversity_signature(metrics.diversity)));
    }
  }
  return rows;
}

std::vector<std::vector<double>> sentence_scores(std::span<const std::string> hypotheses,
                                                 std::span<const std::vector<std::string>> references,
                                                 const TextMetrics& metrics) {
  std::vector<RougeScores> rouge;
  std::vector<std::vector<double>> columns;
  for (const std::string& name : metrics.names) {
    std::vector<double>& column = columns.emplace_back();
    if (name == "bleu") {
      for (const BleuScore& s : sentence_bleu(hypotheses, references, metrics.bleu))
        column.push_back(s.score);
    } else if (const auto index = rouge_index(name)) {
      if (rouge.empty()) rouge = sentence_rouge(hypotheses, references, metrics.rouge);
      for (const RougeScores& s : rouge) column.push_back(s[*index].f1);
    } else if (name.starts_with("chrf")) {
      column = sentence_chrf(hypotheses, references, name == "chrf" ? metrics.chrf : metrics.chrf_plus_plus);
    } else if (name == kRepetition) {
      column = diversity_of(hypotheses, metrics.diversity).repeated;
    } else {
      for (std::size_t i = 0; i < hypotheses.size(); ++i)
        column.push_back(
            diversity_of(hypotheses.subspan(i, 1), metrics.diversity).distinct_share(distinct_order(name)));
    }
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
