// evaluate: how good a model is on data, or how close one text is to another. Manual: tools/evaluate.md.
#include <CLI/CLI.hpp>

#include "cli/tool.hpp"
#include "support/error.hpp"
#include "support/parallel.hpp"
#include "tensor/kernels.hpp"
#include "tools/evaluate/evaluate.hpp"

namespace headwater::evaluate {

namespace {

void describe(CLI::App& app, Options& o) {
  app.add_option("model", o.model, "model directory or checkpoint")->option_text("[MODEL]");
  app.add_option(
         "data", o.data,
         "what to measure it on: source, TAB, target on each line, or text, TAB, label; - or none: standard "
         "input")
      ->option_text("[DATA...]");
  app.add_flag("--ids", o.has_ids, "the data are id lines, as train reads them");
  app.add_flag("--reference-measure", o.has_reference_measure,
               "loss and accuracy over padded positions too, as the source of the recipe counts them");
  app.add_option("--batch", o.batch_sequences, "pairs measured at a time; a matter of speed")
      ->capture_default_str();
  app.add_option("-r,--recipe", o.recipe,
                 "also say which of this recipe's expectations about test data were met")
      ->option_text("FILE");
  app.add_option("--scale", o.scale, "of the recipe: full, or quick: its cut-down version")
      ->capture_default_str();
  app.add_option("--hypotheses", o.hypotheses, "score this text instead, one line each; - is standard input")
      ->option_text("FILE");
  app.add_option("--references", o.references,
                 "what it should be, line for line; given again: further right answers")
      ->allow_extra_args(false)
      ->option_text("FILE");
  app.add_option(
         "--predictions", o.predictions,
         "score these guessed labels instead, one a line, or label, TAB, probability, as classify writes "
         "them; - is standard input")
      ->option_text("FILE");
  app.add_option("--labels", o.labels, "what they should be, line for line")->option_text("FILE");
  app.add_option(
         "--metric", o.metrics,
         "of a model: loss, accuracy, perplexity; of classifiers macro_f1, roc_auc; of translations and "
         "texts: bleu, chrf, chrf++; separated by commas")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("NAMES");
  app.add_option("--tokenize", o.tokenization, "of BLEU: 13a, none, intl or char")->capture_default_str();
  app.add_option("--smooth", o.smoothing, "of BLEU, for orders without a match: exp, floor, add-k or none")
      ->capture_default_str();
  app.add_flag("--lowercase", o.is_lowercased, "score lower-cased text");
  app.add_flag("--sentences", o.is_by_sentence,
               "of texts: one line of scores for each line, separated by tabs");
  app.add_flag("--json", o.is_json, "one JSON object a line");
  app.add_flag("--replace-invalid", o.reader.replace_invalid, "turn invalid UTF-8 and NUL into U+FFFD");
  cli::add_isa_option(app, o.isa);
  cli::add_threads_option(app, o.threads);
  cli::add_quiet_option(app, o.is_quiet);
}

Metrics metrics_of(const Options& o) {
  Metrics metrics;
  for (const std::string& name : o.metrics) {
    if (name == "bleu" || name == "chrf" || name == "chrf++") {
      metrics.text.names.push_back(name);
    } else if (name == "loss" || name == "accuracy" || name == "perplexity" || name == "macro_f1" ||
               name == "roc_auc") {
      if (o.model.empty())
        throw UsageError("--metric: " + name + " is measured of a model (evaluate MODEL DATA)");
      metrics.of_model.push_back(name);
    } else {
      throw UsageError(
          "--metric: unknown metric " + quote(name) +
          " (loss, accuracy, perplexity, bleu, chrf or chrf++; of classifiers macro_f1, roc_auc)");
    }
  }
  if (o.metrics.empty()) {
    metrics.text.names = {"bleu", "chrf"};
    if (!o.model.empty()) metrics.of_model = {"loss", "accuracy", "perplexity"};
  }
  const auto tokenization = bleu_tokenization(o.tokenization);
  if (!tokenization)
    throw UsageError("--tokenize: unknown tokenization " + quote(o.tokenization) +
                     " (13a, none, intl or char)");
  const auto smoothing = bleu_smoothing(o.smoothing);
  if (!smoothing)
    throw UsageError("--smooth: unknown smoothing " + quote(o.smoothing) + " (exp, floor, add-k or none)");
  metrics.text.bleu = {
      .tokenization = *tokenization, .smoothing = *smoothing, .is_lowercased = o.is_lowercased};
  metrics.text.chrf.is_lowercased = metrics.text.chrf_plus_plus.is_lowercased = o.is_lowercased;
  metrics.text.chrf_plus_plus.word_order = 2;
  return metrics;
}

void run(const Options& o) {
  const Metrics metrics = metrics_of(o);
  const bool has_texts = !o.hypotheses.empty() || !o.references.empty();
  const bool has_labels = !o.predictions.empty() || !o.labels.empty();
  const int asked = (has_texts ? 1 : 0) + (has_labels ? 1 : 0) + (o.model.empty() ? 0 : 1);
  if (asked > 1) {
    throw UsageError("give one of a model, --hypotheses with --references, and --predictions with --labels");
  }
  if (asked == 0) {
    throw UsageError(
        "nothing to evaluate (name a model and data, or --hypotheses and --references, or --predictions and "
        "--labels)");
  }
  if (!o.recipe.empty() && (o.model.empty() || o.is_json)) {
    throw UsageError("--recipe is for a model, and not for --json");
  }
  if (o.is_by_sentence && !has_texts) throw UsageError("--sentences is for --hypotheses and --references");
  if (o.isa != "auto") kernels::set_isa(kernels::isa_of_name(o.isa));
  if (has_labels) {
    evaluate_predictions(o);
    return;
  }
  ThreadPool(o.threads).run([&] { has_texts ? evaluate_texts(o, metrics) : evaluate_model(o, metrics); });
}

}  // namespace

void write(const std::vector<ScoreRow>& rows, bool is_json) {
  cli::LineWriter out;
  if (is_json) {
    for (const ScoreRow& row : rows) out.line(row.json.dump());
  } else {
    out.text(score_table(rows));
  }
  out.flush();
}

void write(const ClassificationReport& report, bool is_json) {
  cli::LineWriter out;
  if (is_json) {
    for (const Json& json : report.json()) out.line(json.dump());
  } else {
    out.text(report.text());
  }
  out.flush();
}

}  // namespace headwater::evaluate

int main(int argc, char** argv) {
  using namespace headwater;
  using namespace headwater::evaluate;
  const cli::ToolDescription tool{
      "evaluate", "measure a model on data, or one text against another",
      "evaluate models/spa-eng test.tsv\n"
      "evaluate models/imdb-encoder reviews.tsv\n"
      "evaluate --hypotheses translated.txt --references right.txt\n"
      "translate models/spa-eng < test.en | evaluate --hypotheses - --references test.es --json"};
  return cli::tool_main<Options>(argc, argv, tool, describe, run);
}
