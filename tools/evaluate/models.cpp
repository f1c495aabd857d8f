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
#include "tasks/language_model.hpp"
#include "tasks/model_directory.hpp"
#include "tasks/registry.hpp"
#include "tasks/translation_evaluator.hpp"
#include "tasks/vision.hpp"
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
  TokenDataset columns(
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
                             "the pad after the end token counted as right"));
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
  if (!o.is_quiet && examples.truncated > 0)
    cli::note(format_count(examples.truncated) + " sides were truncated to the model's length");
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

// The whole report, or the figures asked for.
void write_figures(const ClassificationReport& report, const Options& o, const Metrics& metrics) {
  if (o.metrics.empty()) {
    write(report, o.is_json);
  } else {
    write(report.rows(metrics.of_model), o.is_json);
  }
  write_expectations(report.rows(), o);
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
  if (!o.is_quiet && labeller.truncated_lines() > 0)
    cli::note(format_count(labeller.truncated_lines()) + " lines were truncated to the model's length");
  write_figures(measured.finish(), o, metrics);
}

void check_options(const Options& o, std::initializer_list<std::string_view> known, std::string_view what) {
  if (o.has_ids || o.has_reference_measure) {
    throw UsageError(std::string(o.has_ids ? "--ids" : "--reference-measure") + " is for translation, " +
                     o.model + " is " + std::string(what));
  }
  for (const std::string& name : o.metrics) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw UsageError("--metric: " + name + " is not of " + std::string(what));
  }
}

// A text a line.
void evaluate_language_model(const Options& o, const Metrics& metrics) {
  check_options(o, {"loss", "accuracy", "perplexity"}, "a language model");
  const LanguageModelFiles model = load_language_model(o.model);
  cli::LineReader reader(o.data, o.reader);
  const auto length = static_cast<std::size_t>(model.model->length()) + 1;
  std::int64_t truncated = 0;
  LossTotals totals;
  TokenBatch batch;
  Arena arena;
  reader.for_each_batch(
      static_cast<std::size_t>(o.batch_sequences), [&](const std::vector<std::string>& lines) {
        batch.clear();
        for (const std::string& line : lines) {
          std::vector<std::int32_t> ids = model.tokenizer.encode(line);
          if (ids.empty()) continue;
          truncated += ids.size() > length ? 1 : 0;
          ids.resize(std::min(ids.size(), length));
          batch.add(ids);
        }
        batch.finish();
        const ArenaScope scope(arena);
        Tape tape(arena, Tape::Mode::inference);
        totals.add(totals_of(model.model->loss({tape}, batch, 0, 1), batch, model.model->length()));
      });
  if (totals.predicted == 0)
    throw Error((o.data.empty() ? "-" : o.data.front()) + ": no text of two tokens (a measure needs one)");
  if (!o.is_quiet && truncated > 0)
    cli::note(format_count(truncated) + " lines were truncated to the model's length");
  const std::string over =
      "over " + format_count(totals.predicted) + " tokens of " + format_count(totals.sequences) + " texts";
  std::vector<ScoreRow> rows;
  for (const std::string& name : metrics.of_model) {
    if (name == "loss") rows.push_back(score_row(name, totals.mean_loss(), 4, over));
    if (name == "accuracy") rows.push_back(score_row(name, totals.accuracy(), 4, over));
    if (name == "perplexity") rows.push_back(score_row(name, std::exp(totals.mean_loss()), 2, "exp(loss)"));
  }
  write(rows, o.is_json);
  write_expectations(rows, o);
}

// Files of images with their labels (vectorize --images).
void evaluate_vision_model(const Options& o, const Metrics& metrics) {
  check_options(o, {"loss", "accuracy", "macro_f1", "roc_auc"}, "a model of images");
  if (o.data.empty()) throw UsageError("no images (name a file that vectorize --images wrote)");
  const VisionFiles model = load_vision_model(o.model);
  const VisionSettings& settings = model.model->settings();
  ClassProbabilities measured(model.labels.labels());
  ImagePacker packer(settings);
  ImageBatch batch;
  Arena arena;
  for (const std::string& path : o.data) {
    ImageDataset images(image_settings(settings));
    images.add_file(path);
    images.finish(path, false);
    if (images.label_names() != model.labels.labels())
      throw Error(path + ": its labels are not those of " + o.model + " (known: " + model.labels.shown() +
                  ")");
    for (std::int64_t begin = 0; begin < images.examples(); begin += o.batch_sequences) {
      const std::int64_t end = std::min(images.examples(), begin + o.batch_sequences);
      batch.clear();
      for (std::int64_t i = begin; i < end; ++i) packer.add(images, i, batch);
      packer.finish(batch, BatchPart::whole(end - begin));
      const ArenaScope scope(arena);
      Tape tape(arena, Tape::Mode::inference);
      const ConstMatrix probabilities = model.model->probabilities({tape}, batch);
      for (std::int64_t i = begin; i < end; ++i) {
        measured.add(images.label(i),
                     {probabilities.row(i - begin), static_cast<std::size_t>(probabilities.cols)});
      }
    }
  }
  write_figures(measured.finish(), o, metrics);
}

}  // namespace

void evaluate_model(const Options& o, const Metrics& metrics) {
  if (o.batch_sequences < 1 || o.batch_sequences > 65536) {
    throw UsageError("--batch " + std::to_string(o.batch_sequences) + " is not from 1 to 65536");
  }
  switch (task_of_files(model_files(o.model)).answer()) {
    case Answer::translation:
      return evaluate_translator(o, metrics);
    case Answer::label:
      return evaluate_classifier(o, metrics);
    case Answer::continuation:
      return evaluate_language_model(o, metrics);
    case Answer::image_label:
      return evaluate_vision_model(o, metrics);
  }
}

}  // namespace headwater::evaluate
