#include "cli/tool.hpp"
#include "families/masked_lm/evaluation.hpp"
#include "metrics/registry.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "tools/evaluate/evaluate.hpp"

namespace headwater::evaluate {

void evaluate_masked_lm(const Options& o, const ModelFolder& folder, const Metrics& metrics) {
  check_metrics(o, metric_names({MetricOf::models, MetricOf::token_models, MetricOf::vocabularies}),
                "a masked language model");
  const LoadedMaskedLm model = load_masked_lm(folder);
  MaskedReading reading = masked_reading(model);
  if (o.seed) reading.seed = *o.seed;
  MaskedLmEvaluator evaluator(model, reading, o.batch_sequences);
  if (o.has_ids) {
    const TokenDataset columns = read_id_lines(o, model.tokenizer, {"source"});
    for (std::int64_t i = 0; i < columns.examples(); ++i) evaluator.add_ids(columns.ids(0, i));
  } else {
    for_each_text(o, false, [&](std::string_view line) { evaluator.add_text(line); });
  }
  const MaskedLmFigures& figures = evaluator.finish();
  const LossTotals& totals = figures.totals;
  if (totals.predicted == 0)
    throw Error((o.data.empty() ? "-" : o.data.front()) + ": no text with a token (a measure needs one)");
  check_loss(totals);
  cli::note_unknown_tokens(figures.tokens, o.is_quiet);
  cli::note_truncated_lines(figures.truncated, model.length, o.is_quiet);
  const std::string over =
      "over " + counted(totals.predicted, "hidden token") + " of " + counted(figures.texts, "text");
  std::vector<ScoreRow> rows;
  for (const std::string& name : metrics.of_model) {
    add_token_metric(rows, name, totals, {over, "line", figures.truncated.count()});
    if (name == "unknown") rows.push_back(unknown_row({"", figures.tokens}));
  }
  write(rows, o.is_json);
  write_expectations(rows, o);
}

}  // namespace headwater::evaluate
