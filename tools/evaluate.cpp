// evaluate: how good a model is on data, or how close one text is to another. Manual: tools/evaluate.md.

#include "tools/evaluate/evaluate.hpp"
#include "cli/tool.hpp"
#include "support/error.hpp"
#include "support/parallel.hpp"
#include "tensor/kernels/isa.hpp"

namespace headwater::evaluate {

namespace {

void describe(cli::CommandLine& line, Options& o) {
  line.add_option("model", o.model, "model directory or checkpoint").shown_as("[MODEL]");
  line.add_option(
          "data", o.data,
          "what to measure it on, a line each: source, TAB, target; or text, TAB, label; or text; - or none: "
          "standard input; of images: files of vectorize --images")
      .shown_as("[DATA...]");
  line.add_flag("--ids", o.has_ids, "the data are id lines, as train reads them");
  line.add_flag("--reference-measure", o.has_reference_measure,
                "loss and accuracy over padded positions too, as the source of the recipe counts them");
  line.add_option("--batch", o.batch_sequences, "pairs measured at a time; a matter of speed").with_default();
  line.add_option("-r,--recipe", o.recipe,
                  "also say which of this recipe's expectations about test data were met")
      .shown_as("FILE");
  line.add_option("--scale", o.scale, "of the recipe: full, or quick: its cut-down version").with_default();
  line.add_option("--hypotheses", o.hypotheses, "score this text instead, one line each; - is standard input")
      .shown_as("FILE");
  line.add_option("--references", o.references,
                  "what it should be, line for line; given again: further right answers")
      .one_value_each()
      .shown_as("FILE");
  line.add_option(
          "--predictions", o.predictions,
          "score these predicted labels instead, one a line, or label, TAB, probability, as classify writes "
          "them; - is standard input")
      .shown_as("FILE");
  line.add_option("--labels", o.labels, "what they should be, line for line").shown_as("FILE");
  line.add_option(
          "--metric", o.metrics,
          "of a model: loss, accuracy, perplexity; of classifiers macro_f1, roc_auc; of translations and "
          "texts: bleu, chrf, chrf++; separated by commas")
      .list(',')
      .shown_as("NAMES");
  line.add_option("--tokenize", o.tokenization, "of BLEU: 13a, none, intl or char").with_default();
  line.add_option("--smooth", o.smoothing, "of BLEU, for orders without a match: exp, floor, add-k or none")
      .with_default();
  line.add_flag("--lowercase", o.is_lowercased, "score lower-cased text");
  line.add_flag("--sentences", o.is_by_sentence,
                "of texts: one line of scores for each line, separated by tabs");
  line.add_flag("--json", o.is_json, "one JSON object a line");
  line.add_flag("--replace-invalid", o.reader.replace_invalid, "turn invalid UTF-8 and NUL into U+FFFD");
  cli::add_isa_option(line, o.isa);
  cli::add_threads_option(line, o.threads);
  cli::add_quiet_option(line, o.is_quiet);
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
