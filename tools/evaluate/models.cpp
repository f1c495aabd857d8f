#include <algorithm>
#include <cmath>
#include <span>

#include "cli/progress.hpp"
#include "cli/tool.hpp"
#include "decoding/classify.hpp"
#include "decoding/translate.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/utf8.hpp"
#include "tasks/model_directory.hpp"
#include "tasks/registry.hpp"
#include "tasks/translation_evaluator.hpp"
#include "tools/evaluate/evaluate.hpp"
#include "training/summary.hpp"

namespace headwater::evaluate {
namespace {

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
  IdColumns columns(
      translation_columns(model.source_tokenizer, model.target_tokenizer, model.model->length()));
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

void check_classifier_options(const Options& o) {
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
}

// The label after the only TAB of the line, which is cut off with it. `place` is the line's.
std::int32_t take_label(std::string& line, const std::string& place, const LabelSet& labels,
                        const std::string& model) {
  const std::size_t tab = line.rfind('\t');
  if (tab == std::string::npos || line.find('\t') != tab) {
    const auto columns = 1 + std::count(line.begin(), line.end(), '\t');
    throw Error(place + ": " + std::to_string(columns) + (columns == 1 ? " column" : " columns") +
                " where 2 are wanted: text, label (separate columns by one TAB, as paste does; cut -f picks "
                "columns)");
  }
  const std::string label = line.substr(tab + 1);
  const std::int32_t id = labels.find(label);
  if (id < 0) {
    const std::size_t column = count_code_points(std::string_view(line).substr(0, tab)) + 2;
    throw Error(place + ":" + std::to_string(column) + ": " +
                (label.empty() ? "no label (every line needs one of " + labels.shown() + ")"
                               : "the label " + quote(label) + " is not one of " + model +
                                     " (known: " + labels.shown() + ")"));
  }
  line.resize(tab);
  return id;
}

// Text, TAB, label on each line.
void evaluate_classifier(const Options& o, const Metrics& metrics) {
  check_classifier_options(o);
  const ClassificationModel model = load_classification_model(o.model);
  TextLabeller labeller(model);
  ClassProbabilities measured(model.labels.labels());
  cli::LineReader reader(o.data, o.reader);
  std::vector<std::int32_t> labels;
  bool is_empty = true;
  reader.for_each_batch(static_cast<std::size_t>(o.batch_sequences), [&](std::vector<std::string>& lines) {
    is_empty = false;
    labels.clear();
    for (std::size_t i = 0; i < lines.size(); ++i)
      labels.push_back(take_label(lines[i], reader.place(i), model.labels, o.model));
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
    write(report, o.is_json);
  } else {
    write(report.rows(metrics.of_model), o.is_json);
  }
  write_expectations(report.rows(), o);
}

}  // namespace

void evaluate_model(const Options& o, const Metrics& metrics) {
  if (o.batch_sequences < 1 || o.batch_sequences > 65536) {
    throw UsageError("--batch " + std::to_string(o.batch_sequences) + " is not from 1 to 65536");
  }
  if (task_of_files(model_files(o.model)).answer() == Answer::translation) {
    evaluate_translator(o, metrics);
  } else {
    evaluate_classifier(o, metrics);
  }
}

}  // namespace headwater::evaluate
