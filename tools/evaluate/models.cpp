#include <algorithm>
#include <cmath>
#include <span>

#include "cli/progress.hpp"
#include "cli/tool.hpp"
#include "decoding/classify.hpp"
#include "decoding/classify_images.hpp"
#include "decoding/translate.hpp"
#include "support/error.hpp"
#include "support/line_error.hpp"
#include "support/numbers.hpp"
#include "support/utf8.hpp"
#include "tasks/model_directory.hpp"
#include "tasks/registry.hpp"
#include "tasks/translation_evaluator.hpp"
#include "text/csv.hpp"
#include "tools/evaluate/evaluate.hpp"

namespace headwater::evaluate {
namespace {

// What the references of a score of translations are, in JSON.
constexpr std::string_view kRaw = "raw", kLowercased = "lowercased", kStandardized = "standardized";

// Text and translation, or text and label.
cli::LineReaderSettings lines_of_columns(const Options& o) {
  cli::LineReaderSettings settings = o.reader;
  settings.has_columns = true;
  return settings;
}

TranslationExamples read_examples(const Options& o, const TranslationModel& model) {
  TranslationExamples examples;
  cli::LineReader reader(o.data, lines_of_columns(o));
  reader.show_progress(o.is_quiet, cli::LineReader::Writes::at_the_end);
  if (!o.has_ids) {
    for (std::string_view line; reader.next(line);) {
      try {
        examples.add_text(line, model);
      } catch (const Error& error) {
        throw Error(cli::at_place(reader.place(), error.what()));
      }
    }
    if (!o.is_quiet) reader.note_dropped();
    return examples;
  }
  TokenDataset columns(
      translation_columns(model.source_tokenizer, model.target_tokenizer, model.model->length()));
  for (std::string_view line; reader.next(line);) columns.add_line(line, reader.place());
  if (!o.is_quiet) reader.note_dropped();
  columns.finish(o.data.empty() ? "-" : o.data.front());
  examples.add_ids(columns, model);
  return examples;
}

std::vector<ScoreRow> loss_rows(const LossTotals& totals, const TranslationExamples& examples,
                                const Options& o, const Metrics& metrics) {
  check_loss(totals);
  std::vector<ScoreRow> rows;
  const std::string over =
      "over " + counted(totals.predicted, "target token") + " of " + counted(totals.sequences, "pair");
  for (const std::string& name : metrics.of_model) {
    if (name == "loss") rows.push_back(score_row(name, totals.mean_loss(), 4, over));
    if (name == "accuracy") rows.push_back(score_row(name, totals.accuracy(), 4, over));
    if (name == "perplexity") rows.push_back(score_row(name, std::exp(totals.mean_loss()), 2, "exp(loss)"));
    if (name == "unknown") {
      rows.push_back(unknown_row({"source", examples.source_tokens}));
      rows.push_back(unknown_row({"target", examples.target_tokens}));
    }
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
    try {
      for (std::string& translation :
           translator.translate_ids(sources.subspan(begin, std::min(batch, sources.size() - begin))))
        translations.push_back(std::move(translation));
    } catch (const LineError& error) {
      throw Error("pair " + std::to_string(begin + error.line + 1) + ": " + error.what());
    }
    const auto done = static_cast<double>(translations.size());
    progress.update(done, done, "");
  }
  progress.clear();
  return translations;
}

// Those that depend on capitals, of lower-cased text.
TextMetrics lowercased(TextMetrics metrics) {
  std::erase_if(metrics.names, [](const std::string& name) {
    return needs_of_text_metric(name) != TextMetricNeeds::references;
  });
  metrics.bleu.is_lowercased = metrics.chrf.is_lowercased = metrics.chrf_plus_plus.is_lowercased = true;
  return metrics;
}

void evaluate_translator(const Options& o, const Metrics& metrics) {
  for (const std::string& name : metrics.of_model) {
    if (name == "top5_accuracy" || name == "macro_f1" || name == "roc_auc" || name == "ece")
      throw UsageError("--metric: " + name + " is of classifiers, " + o.model + " translates");
    if (name.starts_with("bits_per_") && !o.metrics.empty())
      throw UsageError("--metric: " + name + " is of language models, " + o.model + " translates");
  }
  const TranslationModel model = load_translation_model(o.model);
  const TranslationExamples examples = read_examples(o, model);
  if (examples.sources.empty())
    throw Error((o.data.empty() ? "-" : o.data.front()) + ": no lines (a measure needs at least one)");
  if (!o.is_quiet && examples.truncated > 0)
    cli::note(counted(examples.truncated, "side") + (examples.truncated == 1 ? " was" : " were") +
              " truncated to the model's length");
  if (!o.is_quiet && examples.skipped > 0)
    cli::note(counted(examples.skipped, "pair") + " with an empty side " +
              (examples.skipped == 1 ? "has" : "have") + " no loss");
  if (!o.is_quiet) {
    const std::vector<ColumnTokenCounts> columns{{"source", examples.source_tokens},
                                                 {"target", examples.target_tokens}};
    cli::note_unknown_tokens(columns);
  }

  Arena arena;
  std::vector<ScoreRow> rows;
  if (!metrics.of_model.empty() || o.has_reference_measure) {
    cli::Progress progress("loss", static_cast<double>(examples.pairs.size()), "lines", o.is_quiet,
                           cli::Progress::Takes::minutes);
    const LossTotals totals = evaluate_pairs(
        *model.model, arena, examples.pairs, o.batch_sequences,
        [&](std::size_t done) { progress.update(static_cast<double>(done), static_cast<double>(done), ""); });
    rows = loss_rows(totals, examples, o, metrics);
  }
  if (!metrics.text.names.empty()) {
    const Lines translations = translate(model, examples, o);
    const auto add = [&](const Lines& references, const TextMetrics& text, std::string_view kind,
                         std::string_view detail) {
      for (ScoreRow& row : text_rows(translations, std::span(&references, 1), text)) {
        // The signature of changed references would pass for that of published figures.
        if (kind == kStandardized) row.details.pop_back();
        if (needs_of_text_metric(row.json.at("metric").as_string()) != TextMetricNeeds::nothing) {
          row.details.insert(row.details.begin(), std::string(detail));
          row.json.set("references", kind);
        }
        rows.push_back(std::move(row));
      }
    };
    // The figure that a reader of the translations would find comes first.
    TextMetrics against_standardized = metrics.text;
    if (!o.has_ids) {
      std::erase_if(against_standardized.names, [](const std::string& name) {
        return needs_of_text_metric(name) == TextMetricNeeds::nothing;
      });
      add(examples.raw_references, metrics.text, kRaw, "against the references as they are");
      if (!o.is_lowercased) {
        add(examples.raw_references, lowercased(metrics.text), kLowercased,
            "against the same, both sides lower-cased");
      }
    }
    add(examples.references, against_standardized, kStandardized,
        "against the references as the tokenizer sees them (changed, so it has no sacreBLEU signature)");
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
    if (name != "loss" && name != "accuracy" && name != "top5_accuracy" && name != "macro_f1" &&
        name != "roc_auc" && name != "ece" && name != "unknown") {
      throw UsageError("--metric: " + name + " is of translations" + is_a +
                       " (loss, accuracy, top5_accuracy, macro_f1, roc_auc, ece or unknown)");
    }
  }
}

// The label after the only TAB of the line, which is cut off with it. `place` is the line's.
std::int32_t take_label(std::string& line, const std::string& place, const LabelSet& labels,
                        const std::string& model) {
  const std::size_t tab = line.rfind('\t');
  if (tab == std::string::npos || line.find('\t') != tab) {
    const char separator = csv_separator(line, 2);
    const auto columns = 1 + std::count(line.begin(), line.end(), '\t');
    throw Error(
        place + ": " + std::to_string(columns) + (columns == 1 ? " column" : " columns") +
        " where 2 are wanted: text, label (" +
        (separator != 0
             ? "looks like CSV: vectorize --csv " + std::string(separator == ';' ? "--separator ';' " : "") +
                   "--column TEXT --column LABEL FILE makes such lines; the columns by their names in the "
                   "header"
             : "separate columns by one TAB, as paste does; cut -f picks columns") +
        ")");
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

// Asked for by name, so its absence is no matter of a row less.
void check_classes(const Options& o, const LabelSet& labels) {
  const auto wants = [&](const char* name) {
    return std::find(o.metrics.begin(), o.metrics.end(), name) != o.metrics.end();
  };
  if (labels.size() <= kTopClasses && wants("top5_accuracy")) {
    throw UsageError("--metric: top5_accuracy is of more than " + std::to_string(kTopClasses) + " classes, " +
                     o.model + " has " + std::to_string(labels.size()) +
                     " (choose loss, accuracy, macro_f1 or ece)");
  }
  if (labels.size() == 2 || !wants("roc_auc")) return;
  throw UsageError("--metric: roc_auc is of two classes, " + o.model + " has " +
                   std::to_string(labels.size()) + " (choose loss, accuracy, macro_f1 or ece)");
}

// What a classifier gives to each class, at the temperature asked for; and the temperature that it should
// have.
class MeasuredClasses {
 public:
  MeasuredClasses(const LabelSet& labels, const Options& o)
      : labels_(labels), o_(o), measured_(labels.labels()) {}

  void add(std::span<const std::int32_t> labels, ConstMatrix probabilities) {
    values_.assign(probabilities.data, probabilities.data + probabilities.rows * probabilities.cols);
    const Matrix rows(values_.data(), probabilities.rows, probabilities.cols);
    apply_temperature(rows, o_.temperature);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const std::span<const Real> row(rows.row(static_cast<Index>(i)), static_cast<std::size_t>(rows.cols));
      measured_.add(labels[i], row);
      if (o_.fits_temperature) fit_.add(labels[i], row);
    }
  }

  ClassificationReport finish() const {
    ClassificationReport report = measured_.finish();
    if (o_.fits_temperature) report.of_data.push_back(fitted(report));
    return report;
  }

 private:
  ScoreRow fitted(const ClassificationReport& before) const {
    const double temperature = fit_.fit();
    std::vector<Real> values = fit_.probabilities();
    const Index classes = labels_.size();
    const Matrix rows(values.data(), static_cast<Index>(fit_.labels().size()), classes);
    apply_temperature(rows, temperature);
    ClassProbabilities measured(labels_.labels());
    for (Index i = 0; i < rows.rows; ++i)
      measured.add(fit_.labels()[static_cast<std::size_t>(i)],
                   {rows.row(i), static_cast<std::size_t>(classes)});
    const ClassificationReport after = measured.finish();
    const auto change = [](double from, double to) {
      return format_fixed(from, 4) + " -> " + format_fixed(to, 4);
    };
    const bool is_at_edge = temperature <= kLeastTemperature || temperature >= kGreatestTemperature;
    const bool is_all_right = before.confusion.counts().accuracy() == 1;
    // Of right answers alone the loss falls with the temperature for as long as numbers can tell.
    const bool allows_fit = !is_at_edge && !is_all_right;
    const std::string found = allows_fit ? "of least loss"
                                         : std::string(is_at_edge ? "at the edge of its range" : "") +
                                               (is_at_edge && is_all_right ? ", " : "") +
                                               (is_all_right ? "every example is right" : "") +
                                               ": these data allow no fit";
    ScoreRow row =
        score_row("temperature", temperature, 4,
                  found + ": loss " + change(*before.loss, *after.loss) + ", ece " +
                      change(before.calibration->expected_error(), after.calibration->expected_error()));
    row.json.set("allows_fit", allows_fit);
    return row;
  }

  const LabelSet& labels_;
  const Options& o_;
  ClassProbabilities measured_;
  TemperatureFit fit_;
  std::vector<Real> values_;
};

// The whole report, or the figures asked for.
void write_figures(const ClassificationReport& report, const Options& o, const Metrics& metrics) {
  const bool wants_roc_auc = std::find(o.metrics.begin(), o.metrics.end(), "roc_auc") != o.metrics.end();
  if (wants_roc_auc && !report.roc_auc) {
    throw Error(
        (o.data.empty() ? "-" : o.data.front()) +
        ": every label is the same, which has no roc_auc (measure on examples of both labels, or choose "
        "another --metric)");
  }
  write_reliability(report, o, o.model);
  if (o.metrics.empty()) {
    write(report, o.is_json);
  } else {
    std::vector<std::string> wanted = metrics.of_model;
    wanted.emplace_back("temperature");  // where it was asked for
    write(report.rows(wanted), o.is_json);
  }
  write_expectations(report.rows(), o);
}

// Text, TAB, label on each line.
void evaluate_classifier(const Options& o, const Metrics& metrics) {
  check_classifier_options(o);
  const ClassificationModel model = load_classification_model(o.model);
  check_classes(o, model.labels);
  TextLabeller labeller(model);
  MeasuredClasses measured(model.labels, o);
  cli::LineReader reader(o.data, lines_of_columns(o));
  reader.show_progress(o.is_quiet, cli::LineReader::Writes::at_the_end);
  std::vector<std::int32_t> labels;
  bool is_empty = true;
  reader.for_each_batch(static_cast<std::size_t>(o.batch_sequences), [&](std::vector<std::string>& lines) {
    is_empty = false;
    labels.clear();
    for (std::size_t i = 0; i < lines.size(); ++i)
      labels.push_back(take_label(lines[i], reader.place(i), model.labels, o.model));
    measured.add(labels, labeller.probabilities(lines));
  });
  if (is_empty)
    throw Error((o.data.empty() ? "-" : o.data.front()) + ": no lines (a measure needs at least one)");
  if (!o.is_quiet) {
    reader.note_dropped();
    cli::note_unknown_tokens(labeller.tokens());
    cli::note_truncated_lines(labeller.truncated_lines(), model.model->length());
  }
  ClassificationReport report = measured.finish();
  report.of_data.push_back(unknown_row({"", labeller.tokens()}));
  write_figures(report, o, metrics);
}

// Files of images with their labels (vectorize --images).
void evaluate_vision_model(const Options& o, const Metrics& metrics) {
  if (o.has_ids) throw UsageError("--ids is for models of texts, " + o.model + " is a model of images");
  check_metrics(o, {"loss", "accuracy", "top5_accuracy", "macro_f1", "roc_auc", "ece"}, "a model of images");
  if (o.data.empty()) throw UsageError("no images (name a file that vectorize --images wrote)");
  const VisionFiles model = load_vision_model(o.model);
  check_classes(o, model.labels);
  const VisionSettings& settings = model.model->settings();
  MeasuredClasses measured(model.labels, o);
  std::vector<std::int32_t> labels;
  ImageLabeller labeller(model);
  for (const std::string& path : o.data) {
    ImageDataset images(image_settings(settings));
    images.add_file(path);
    images.finish(path, false);
    if (images.label_names() != model.labels.labels())
      throw Error(path + ": its labels are not those of " + o.model + " (known: " + model.labels.shown() +
                  ")");
    const ImagePipeline pipeline = image_pipeline(settings, model.statistics, images, path);
    cli::Progress progress("evaluate", static_cast<double>(images.examples()), "images", o.is_quiet,
                           cli::Progress::Takes::minutes);
    for (std::int64_t begin = 0; begin < images.examples(); begin += o.batch_sequences) {
      progress.update(static_cast<double>(begin), static_cast<double>(begin), "");
      const std::int64_t end = std::min(images.examples(), begin + o.batch_sequences);
      labels.clear();
      for (std::int64_t i = begin; i < end; ++i) labels.push_back(images.label(i));
      try {
        measured.add(labels, labeller.of_images(images, pipeline, begin, end));
      } catch (const LineError& error) {
        throw Error(path + ": image " + std::to_string(begin + static_cast<std::int64_t>(error.line)) +
                    " (from 0): " + error.what());
      }
    }
  }
  write_figures(measured.finish(), o, metrics);
}

}  // namespace

void write_expectations(const std::vector<ScoreRow>& rows, const Options& o) {
  if (o.recipe.empty()) return;
  std::vector<std::pair<std::string, double>> figures;
  for (const ScoreRow& row : rows) {
    // Of the scores of a translation a recipe means the one as the tokenizer sees the references.
    const Json* const references = row.json.find("references");
    if (references != nullptr && references->as_string() != kStandardized) continue;
    const std::string& metric = row.json.at("metric").as_string();
    const bool is_of_text = metric == "bleu" || metric == "chrf";
    figures.emplace_back(is_of_text ? metric : "test_" + metric, row.json.at("score").as_number());
  }
  write(judge_expectations(read_recipe(o.recipe, o.scale), figures), o.is_json);
}

void check_loss(const LossTotals& totals) {
  if (!std::isfinite(totals.loss)) throw Error(std::string("loss: ") + kOutputNotFinite);
}

void check_metrics(const Options& o, std::initializer_list<std::string_view> known, std::string_view what) {
  if (o.has_reference_measure)
    throw UsageError("--reference-measure is for translation, " + o.model + " is " + std::string(what));
  for (const std::string& name : o.metrics) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw UsageError("--metric: " + name + " is not of " + std::string(what));
  }
}

void evaluate_model(const Options& o, const Metrics& metrics) {
  if (o.batch_sequences < 1 || o.batch_sequences > 65536) {
    throw UsageError("--batch " + std::to_string(o.batch_sequences) + " is not from 1 to 65536");
  }
  const Answer answer = task_of_files(model_files(o.model)).answer();
  const bool is_classifier = answer == Answer::label || answer == Answer::image_label;
  if (!is_classifier && (o.fits_temperature || o.temperature != 1 || !o.reliability.empty())) {
    throw UsageError(std::string(o.fits_temperature   ? "--fit-temperature"
                                 : o.temperature != 1 ? "--temperature"
                                                      : "--reliability") +
                     " is for a classifier, " + o.model + " is none");
  }
  if (answer != Answer::continuation && (o.stride > 0 || o.has_start || o.is_multiline)) {
    throw UsageError(std::string(o.stride > 0  ? "--stride"
                                 : o.has_start ? "--start"
                                               : "--multiline") +
                     " is for a language model, " + o.model + " is none");
  }
  switch (answer) {
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
