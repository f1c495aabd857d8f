// evaluate: how good a model is on data, or how close one text is to another. Manual: tools/evaluate.md.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <optional>

#include "analysis/classification_report.hpp"
#include "analysis/score_report.hpp"
#include "cli/lines.hpp"
#include "cli/progress.hpp"
#include "cli/tool.hpp"
#include "decoding/classify.hpp"
#include "decoding/translate.hpp"
#include "models/model_directory.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/parallel.hpp"
#include "support/utf8.hpp"
#include "training/summary.hpp"
#include "training/translation_evaluator.hpp"

namespace headwater {
namespace {

using Lines = std::vector<std::string>;

struct Options {
  std::string model, recipe, scale = "full";
  std::vector<std::string> data;
  bool has_ids = false, has_reference_measure = false;
  std::int64_t batch_sequences = 64;

  std::string hypotheses;
  std::vector<std::string> references;

  std::string predictions, labels;

  std::vector<std::string> metrics;
  std::string tokenization = "13a", smoothing = "exp", isa = "auto";
  bool is_lowercased = false, is_by_sentence = false, is_json = false, is_quiet = false;
  cli::LineReaderSettings reader;
  int threads = 0;
};

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

// What is measured, checked before any file is read.
struct Metrics {
  std::vector<std::string> of_model;
  TextMetrics text;
};

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

void write(const std::vector<ScoreRow>& rows, bool is_json) {
  cli::LineWriter out;
  if (is_json) {
    for (const ScoreRow& row : rows) out.line(row.json.dump());
  } else {
    out.text(score_table(rows));
  }
  out.flush();
}

// As train writes its own expectations.
void write_expectations(const std::vector<ScoreRow>& rows, const Options& o) {
  if (o.recipe.empty()) return;
  std::vector<std::pair<std::string, double>> figures;
  for (const ScoreRow& row : rows)
    figures.emplace_back(row.json.at("metric").as_string(), row.json.at("score").as_number());
  const std::string table = table_of_expectations(read_recipe(o.recipe, o.scale), figures);
  cli::LineWriter out;
  if (!table.empty()) out.text("\n" + table);
  out.flush();
}

// --- One text against another ------------------------------------------------------------------------------

Lines read_all(const std::string& path, const cli::LineReaderSettings& settings) {
  cli::LineReader reader({path}, settings);
  Lines lines;
  for (std::string_view line; reader.next(line);) lines.emplace_back(line);
  return lines;
}

// A line of scores for each line of text, in the order of --metric.
void write_sentences(const Lines& hypotheses, const std::vector<Lines>& references, const Metrics& metrics,
                     bool is_json) {
  const std::vector<std::vector<double>> columns = sentence_scores(hypotheses, references, metrics.text);
  cli::LineWriter out;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    Json json;
    json.set("version", 1).set("line", static_cast<std::uint64_t>(i + 1));
    std::string line;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      line += (c == 0 ? "" : "\t") + format_fixed(columns[c][i], 2);
      json.set(metrics.text.names[c], columns[c][i]);
    }
    out.line(is_json ? json.dump() : line);
  }
  out.flush();
}

void evaluate_texts(const Options& o, const Metrics& metrics) {
  if (o.hypotheses.empty())
    throw UsageError("--hypotheses is missing (give the file that the references are for)");
  if (o.references.empty())
    throw UsageError("--references is missing (give the file that the hypotheses should equal)");
  const auto from_standard_input =
      std::count(o.references.begin(), o.references.end(), "-") + (o.hypotheses == "-" ? 1 : 0);
  if (from_standard_input > 1) {
    throw UsageError("standard input is named " + std::to_string(from_standard_input) +
                     " times (it can be read once)");
  }
  const Lines hypotheses = read_all(o.hypotheses, o.reader);
  std::vector<Lines> references;
  for (const std::string& path : o.references) {
    references.push_back(read_all(path, o.reader));
    if (references.back().size() != hypotheses.size()) {
      throw Error(path + ": " + std::to_string(references.back().size()) + " lines, but " + o.hypotheses +
                  " has " + std::to_string(hypotheses.size()) +
                  " (line i of one belongs to line i of the other)");
    }
  }
  if (hypotheses.empty()) throw Error(o.hypotheses + ": no lines (a score needs at least one)");
  if (o.is_by_sentence) {
    write_sentences(hypotheses, references, metrics, o.is_json);
  } else {
    write(text_rows(hypotheses, references, metrics.text), o.is_json);
  }
}

// --- Guessed labels against labels -------------------------------------------------------------------------

void write_report(const ClassificationReport& report, const Options& o) {
  cli::LineWriter out;
  if (o.is_json) {
    for (const Json& json : report.json()) out.line(json.dump());
  } else {
    out.text(report.text());
  }
  out.flush();
}

void evaluate_predictions(const Options& o) {
  if (o.predictions.empty())
    throw UsageError("--predictions is missing (give the file that the labels are for)");
  if (o.labels.empty()) throw UsageError("--labels is missing (give the labels that are right, one a line)");
  if (o.predictions == "-" && o.labels == "-") {
    throw UsageError("standard input is named 2 times (it can be read once)");
  }
  if (!o.metrics.empty()) throw UsageError("--metric is not for --predictions (all figures are written)");
  cli::LineReader predictions({o.predictions}, o.reader), labels({o.labels}, o.reader);
  LabelledGuesses guesses;
  std::int64_t lines = 0;
  for (std::string_view guess, label;; ++lines) {
    const bool has_guess = predictions.next(guess), has_label = labels.next(label);
    if (has_guess != has_label) {
      throw Error((has_guess ? o.predictions : o.labels) + ": more than the " + std::to_string(lines) +
                  " lines of " + (has_guess ? o.labels : o.predictions) +
                  " (line i of one belongs to line i of the other)");
    }
    if (!has_guess) break;
    try {
      guesses.add(guess, label);
    } catch (const Error& error) {
      throw Error(predictions.place() + " and " + labels.place() + ":" + error.what());
    }
  }
  write_report(guesses.finish(), o);
}

// --- A model on data ---------------------------------------------------------------------------------------

TranslationExamples read_examples(const Options& o, const TranslationModel& model) {
  TranslationExamples examples;
  cli::LineReader reader(o.data, o.reader);
  if (!o.has_ids) {
    for (std::string_view line; reader.next(line);) {
      try {
        examples.add_text(line, model);
      } catch (const Error& error) {
        throw Error(reader.place() + ":" + error.what());
      }
    }
    return examples;
  }
  IdColumns columns(id_columns(model));
  for (std::string_view line; reader.next(line);) columns.add_line(line, reader.place());
  columns.finish(o.data.empty() ? "-" : o.data.front());
  examples.add_ids(columns, model);
  return examples;
}

std::vector<ScoreRow> loss_rows(const LossTotals& totals, const Options& o, const Metrics& metrics) {
  std::vector<ScoreRow> rows;
  const std::string over = "over " + format_count(totals.predicted) + " target tokens of " +
                           format_count(totals.sequences) + " pairs";
  for (const std::string& name : metrics.of_model) {
    if (name == "loss") rows.push_back(score_row(name, totals.mean_loss(), 4, over));
    if (name == "accuracy") rows.push_back(score_row(name, totals.accuracy(), 4, over));
    if (name == "perplexity") rows.push_back(score_row(name, std::exp(totals.mean_loss()), 2, "exp(loss)"));
  }
  if (o.has_reference_measure) {
    rows.push_back(
        score_row("reference_loss", totals.reference_loss(), 4, "divided by all positions, padded ones too"));
    rows.push_back(score_row("reference_accuracy", totals.reference_accuracy(), 4,
                             "the pad behind the end token counted as right"));
  }
  return rows;
}

// A line for each source; an empty source gives an empty line.
Lines translate(const TranslationModel& model, const TranslationExamples& examples, const Options& o) {
  Translator translator(model, {});
  const std::span sources(examples.sources);
  const auto batch = static_cast<std::size_t>(o.batch_sequences);
  Lines translations;
  cli::Progress progress("translate", static_cast<double>(sources.size()), "lines", o.is_quiet);
  while (translations.size() < sources.size()) {
    const std::size_t begin = translations.size();
    for (std::string& translation :
         translator.translate_ids(sources.subspan(begin, std::min(batch, sources.size() - begin))))
      translations.push_back(std::move(translation));
    const auto done = static_cast<double>(translations.size());
    progress.update(done, done, "");
  }
  progress.clear();
  return translations;
}

void evaluate_translator(const Options& o, const Metrics& metrics) {
  for (const std::string& name : metrics.of_model) {
    if (name == "macro_f1" || name == "roc_auc")
      throw UsageError("--metric: " + name + " is of classifiers, " + o.model + " translates");
  }
  const TranslationModel model = load_translation_model(o.model);
  const TranslationExamples examples = read_examples(o, model);
  if (examples.sources.empty())
    throw Error((o.data.empty() ? "-" : o.data.front()) + ": no lines (a measure needs at least one)");
  if (!o.is_quiet && examples.cut > 0)
    cli::note(format_count(examples.cut) + " sides were cut to the model's length");
  if (!o.is_quiet && examples.skipped > 0)
    cli::note(format_count(examples.skipped) + " pairs with an empty side have no loss");

  Arena arena;
  std::vector<ScoreRow> rows;
  if (!metrics.of_model.empty() || o.has_reference_measure) {
    rows = loss_rows(evaluate_pairs(*model.model, arena, examples.pairs, o.batch_sequences), o, metrics);
  }
  if (!metrics.text.names.empty()) {
    const Lines translations = translate(model, examples, o);
    const auto add = [&](const Lines& references, std::string_view kind, std::string_view detail) {
      for (ScoreRow& row : text_rows(translations, std::span(&references, 1), metrics.text)) {
        row.details.insert(row.details.begin(), std::string(detail));
        row.json.set("references", kind);
        rows.push_back(std::move(row));
      }
    };
    add(examples.references, "standardized", "against the references as the tokenizer sees them");
    if (!o.has_ids) add(examples.raw_references, "raw", "against the references as they are");
  }
  write(rows, o.is_json);
  write_expectations(rows, o);
}

// Text, TAB, label on each line.
void evaluate_classifier(const Options& o, const Metrics& metrics) {
  const std::string is_a = ", " + o.model + " is a classifier";
  if (o.has_ids || o.has_reference_measure) {
    throw UsageError((o.has_ids ? "--ids" : "--reference-measure") + std::string(" is for translation") +
                     is_a);
  }
  for (const std::string& name : o.metrics) {
    if (name != "loss" && name != "accuracy" && name != "macro_f1" && name != "roc_auc") {
      throw UsageError("--metric: " + name + " is of translations" + is_a +
                       " (loss, accuracy, macro_f1 or roc_auc)");
    }
  }
  const ClassificationModel model = load_classification_model(o.model);
  TextLabeller labeller(model);
  ClassProbabilities measured(model.labels.labels());
  cli::LineReader reader(o.data, o.reader);
  std::vector<std::int32_t> labels;
  bool is_empty = true;
  reader.for_each_batch(static_cast<std::size_t>(o.batch_sequences), [&](std::vector<std::string>& lines) {
    is_empty = false;
    labels.clear();
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::size_t tab = lines[i].rfind('\t');
      if (tab == std::string::npos || lines[i].find('\t') != tab) {
        const auto columns = 1 + std::count(lines[i].begin(), lines[i].end(), '\t');
        throw Error(
            reader.place(i) + ": " + std::to_string(columns) + (columns == 1 ? " column" : " columns") +
            " where 2 are wanted: text, label (separate columns by one TAB, as paste does; cut -f picks "
            "columns)");
      }
      const std::string label = lines[i].substr(tab + 1);
      labels.push_back(model.labels.find(label));
      if (labels.back() < 0) {
        const std::size_t column = count_code_points(std::string_view(lines[i]).substr(0, tab)) + 2;
        throw Error(reader.place(i) + ":" + std::to_string(column) + ": " +
                    (label.empty() ? "no label (every line needs one of " + model.labels.shown() + ")"
                                   : "the label " + quote(label) + " is not one of " + o.model +
                                         " (known: " + model.labels.shown() + ")"));
      }
      lines[i].resize(tab);
    }
    const ConstMatrix probabilities = labeller.probabilities(lines);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      measured.add(labels[i],
                   {probabilities.row(static_cast<Index>(i)), static_cast<std::size_t>(probabilities.cols)});
    }
  });
  if (is_empty)
    throw Error((o.data.empty() ? "-" : o.data.front()) + ": no lines (a measure needs at least one)");
  if (!o.is_quiet && labeller.cut_lines() > 0)
    cli::note(format_count(labeller.cut_lines()) + " lines were cut to the model's length");
  const ClassificationReport report = measured.finish();
  if (o.metrics.empty()) {
    write_report(report, o);
  } else {
    write(report.rows(metrics.of_model), o.is_json);
  }
  write_expectations(report.rows(), o);
}

void evaluate_model(const Options& o, const Metrics& metrics) {
  if (o.batch_sequences < 1 || o.batch_sequences > 65536) {
    throw UsageError("--batch " + std::to_string(o.batch_sequences) + " is not from 1 to 65536");
  }
  if (model_kind(model_files(o.model)) == ModelKind::encoder_decoder) {
    evaluate_translator(o, metrics);
  } else {
    evaluate_classifier(o, metrics);
  }
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
}  // namespace headwater

int main(int argc, char** argv) {
  using namespace headwater;
  const cli::ToolDescription tool{
      "evaluate", "measure a model on data, or one text against another",
      "evaluate models/spa-eng test.tsv\n"
      "evaluate models/imdb-encoder reviews.tsv\n"
      "evaluate --hypotheses translated.txt --references right.txt\n"
      "translate models/spa-eng < test.en | evaluate --hypotheses - --references test.es --json"};
  return cli::tool_main<Options>(argc, argv, tool, describe, run);
}
