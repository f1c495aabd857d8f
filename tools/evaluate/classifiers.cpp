// Classifiers of texts and models of images: what they give to each class.
#include <algorithm>
#include <span>

#include "cli/progress.hpp"
#include "cli/tool.hpp"
#include "decoding/classify.hpp"
#include "families/label_names.hpp"
#include "metrics/registry.hpp"
#include "support/csv.hpp"
#include "support/enum_names.hpp"
#include "support/error.hpp"
#include "support/name_list.hpp"
#include "support/numbers.hpp"
#include "support/utf8.hpp"
#include "tools/evaluate/evaluate.hpp"

namespace headwater::evaluate {

namespace {

// The label after the last TAB of the i-th line of the reader's batch, which is cut off with it.
std::int32_t take_label(std::string& line, const cli::LineReader& reader, std::size_t i, Texts texts,
                        const LabelSet& labels, const std::string& model) {
  const std::size_t tab = line.rfind('\t');
  const auto columns = 1 + std::count(line.begin(), line.end(), '\t');
  const bool is_right =
      texts == Texts::either ? columns == 2 || columns == 3 : columns == (texts == Texts::pair ? 3 : 2);
  if (!is_right) {
    const char separator = texts == Texts::pair ? 0 : csv_separator(line, 2);
    throw Error(reader.place(i) + ": " + std::to_string(columns) + (columns == 1 ? " column" : " columns") +
                " where " +
                (texts == Texts::pair ? "3 are wanted: first text, second text, label ("
                                      : "2 are wanted: text, label (") +
                "separate columns by one TAB, as paste does; " +
                (separator != 0
                     ? "where this is CSV, --csv " + std::string(separator == ';' ? "--separator ';' " : "") +
                           "--column TEXT --column LABEL reads it, the columns by their names in the header"
                     : "cut -f picks columns") +
                ")");
  }
  const std::string label = line.substr(tab + 1);
  const std::int32_t id = labels.find(label);
  if (id < 0) {
    const std::size_t before = count_code_points(std::string_view(line).substr(0, tab)) + 1;
    throw Error(reader.place_of_column(i, 1, before) + ": " +
                (label.empty() ? "no label (every line needs one of " + labels.shown() + ")"
                               : "the label " + quote(label) + " is not one of " + model +
                                     " (known: " + labels.shown() + ")"));
  }
  line.resize(tab);
  return id;
}

// Asked for by name, so its absence is no matter of a row less.
void check_classes(const Options& o, const LabelSet& labels) {
  for (const std::string& name : o.metrics) {
    const ClassMetric* const metric = find_class_metric(name);
    if (metric == nullptr || metric->is_of(labels.size())) continue;
    std::vector<std::string_view> others{"loss", "accuracy"};
    for (const ClassMetric& other : class_metrics()) {
      if (other.is_of(labels.size())) others.push_back(other.name);
    }
    throw UsageError("--metric: " + name + " is of " + metric->classes() + ", " + o.model + " has " +
                     std::to_string(labels.size()) + " (choose " + alternatives(others) + ")");
  }
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
      measured.add(fit_.labels()[i], {rows.row(i), static_cast<std::size_t>(classes)});
    const ClassificationReport after = measured.finish();
    const auto change = [](double from, double to) {
      return format_fixed(from, 4) + " -> " + format_fixed(to, 4);
    };
    const bool is_at_edge = temperature <= kLeastTemperature || temperature >= kGreatestTemperature;
    const bool is_all_right = before.confusion.counts().accuracy() == 1;
    // Where all answers are right, the loss falls with the temperature for as long as numbers can tell.
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
  const std::vector<ScoreRow> rows = report.rows();
  for (const std::string& name : o.metrics) {
    const bool is_there = std::any_of(rows.begin(), rows.end(), [&](const ScoreRow& row) {
      return row.json.at("metric").as_string() == name;
    });
    if (find_class_metric(name) == nullptr || is_there) continue;
    throw Error((o.data.empty() ? "-" : o.data.front()) + ": every label is the same, which has no " + name +
                " (measure on examples of both labels, or choose another --metric)");
  }
  write_pictures(report, o, o.model);
  if (o.metrics.empty()) {
    write(report, o.is_json);
  } else {
    std::vector<std::string> wanted = metrics.of_model;
    wanted.emplace_back("temperature");  // where it was asked for
    write(report.rows(wanted), o.is_json);
  }
  write_expectations(rows, o);
}

// What the notes at the end say of the data.
struct TextCounts {
  TokenCounts tokens;
  TruncatedLines truncated;
  std::int64_t empty = 0;
};

void tell(const TextCounts& counts, Index length, bool is_quiet) {
  cli::note_unknown_tokens(counts.tokens, is_quiet);
  cli::note_truncated_lines(counts.truncated, length, is_quiet);
  if (counts.empty > 0)
    cli::warn(
        counted(counts.empty, "line") +
            " without a token counted in the figures (training and its validation leave such lines out)",
        is_quiet);
}

TextCounts measure_texts(const Options& o, const LoadedClassifier& model, TextLabeller& labeller,
                         MeasuredClasses& measured) {
  cli::LineReader reader(o.data, lines_of_columns(o, model.texts == Texts::pair ? 3 : 2));
  reader.show_progress(o.is_quiet, cli::LineReader::Writes::at_the_end);
  std::vector<std::int32_t> labels;
  bool is_empty = true;
  reader.for_each_batch(o.batch_sequences, [&](std::vector<std::string>& lines) {
    is_empty = false;
    labels.clear();
    for (std::size_t i = 0; i < lines.size(); ++i)
      labels.push_back(take_label(lines[i], reader, i, model.texts, model.labels, o.model));
    measured.add(labels, labeller.probabilities(lines));
  });
  if (is_empty)
    throw Error((o.data.empty() ? "-" : o.data.front()) + ": no lines (a measure needs at least one)");
  if (!o.is_quiet) reader.note_dropped();
  return {labeller.tokens(), labeller.truncated_lines(), labeller.empty_lines()};
}

// Lines of ids and label. A label is written by its name or its id, as train reads it.
TextCounts measure_ids(const Options& o, const LoadedClassifier& model, TextLabeller& labeller,
                       MeasuredClasses& measured) {
  if (model.terms || model.texts == Texts::pair)
    throw UsageError("--ids is for models that read the ids of one text, " + o.model + " reads " +
                     (model.terms ? "bags of words" : "pairs of texts") + " (give it text)");
  TokenColumnSettings source{.name = "source",
                             .vocabulary = model.tokenizer.vocabulary_size(),
                             .max_length = model.length - static_cast<std::int64_t>(model.around),
                             .may_be_empty = true,
                             .vocabulary_hash = model.tokenizer.hash()};
  TokenColumnSettings label{.name = "label",
                            .vocabulary = model.labels.size(),
                            .vocabulary_hash = model.labels.hash(),
                            .labels = &model.labels,
                            .labels_as = value_of<LabelsAs>(o.labels_as).value_or(LabelsAs::unsaid)};
  const TokenDataset columns = read_id_columns(o, {std::move(source), std::move(label)});
  std::vector<std::int32_t> labels;
  std::vector<std::span<const std::int32_t>> texts;
  for (std::int64_t begin = 0; begin < columns.examples(); begin += o.batch_sequences) {
    labels.clear();
    texts.clear();
    for (std::int64_t i = begin; i < std::min(columns.examples(), begin + o.batch_sequences); ++i) {
      texts.push_back(columns.ids(0, i));
      labels.push_back(columns.ids(1, i).front());
    }
    try {
      measured.add(labels, labeller.probabilities_of_ids(texts));
    } catch (const LineError& error) {
      throw Error((o.data.empty() ? "-" : o.data.front()) + ": example " +
                  std::to_string(begin + static_cast<std::int64_t>(error.line) + 1) + ": " + error.what());
    }
  }
  return {labeller.tokens(), TruncatedLines(columns.truncated(0)), labeller.empty_lines()};
}

}  // namespace

void evaluate_classifier(const Options& o, const ModelFolder& folder, const Metrics& metrics) {
  const LoadedClassifier model = load_classifier(folder);
  check_one_label(model.gives_many_labels, folder.path, "evaluate measures");
  check_classes(o, model.labels);
  MeasuredClasses measured(model.labels, o);
  TextLabeller labeller(model, folder.is_quantized ? ComputeType::int8 : ComputeType::float32);
  const TextCounts counts = (o.has_ids ? measure_ids : measure_texts)(o, model, labeller, measured);
  tell(counts, model.line_length(), o.is_quiet);
  ClassificationReport report = measured.finish();
  report.truncated_lines = counts.truncated.count();
  report.of_data.push_back(unknown_row({"", counts.tokens}));
  write_figures(report, o, metrics);
}

void evaluate_vision_model(const Options& o, const ModelFolder& folder, const Metrics& metrics) {
  if (o.data.empty()) throw UsageError("no images (name a file that vectorize --images wrote)");
  const LoadedVisionModel model = load_vision_model(folder);
  check_one_label(model.gives_many_labels, folder.path, "evaluate measures");
  check_classes(o, model.labels);
  const VisionSettings& settings = model.model->settings();
  MeasuredClasses measured(model.labels, o);
  std::vector<std::int32_t> labels;
  ImageLabeller labeller(model);
  for (const std::string& path : o.data) {
    std::error_code none;
    if (fs::is_directory(path, none))
      throw Error(path + ": a folder, where a file of images is wanted (vectorize --images " + path +
                  " -o FILE makes one)");
    ImageDataset images(image_settings(settings));
    images.add_file(path);
    images.finish(path, false);
    if (images.label_names() != model.labels.labels())
      throw Error(path + ": its labels are not those of " + o.model + " (known: " + model.labels.shown() +
                  "; vectorize --images with --labels " + o.model + " makes a test set with them)");
    images.check_reading(model.reading, path, "those that " + o.model + " learned from");
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

void evaluate_predictions(const Options& o) {
  cli::LineReader predictions({o.predictions}, o.reader), labels({o.labels}, o.reader);
  predictions.show_progress(o.is_quiet, cli::LineReader::Writes::at_the_end);
  LabelledPredictions labelled;
  std::int64_t lines = 0;
  for (std::string_view prediction, label;; ++lines) {
    const bool has_prediction = predictions.next(prediction), has_label = labels.next(label);
    if (has_prediction != has_label) {
      throw Error((has_prediction ? o.predictions : o.labels) + ": more than the " + counted(lines, "line") +
                  " of " + (has_prediction ? o.labels : o.predictions) +
                  " (line i of one belongs to line i of the other)");
    }
    if (!has_prediction) break;
    try {
      labelled.add(prediction, label);
    } catch (const Error& error) {
      throw Error(predictions.place() + " and " + labels.place() + ":" + error.what());
    }
  }
  if (!o.is_quiet) {
    predictions.note_dropped();
    labels.note_dropped();
  }
  const ClassificationReport report = [&] {
    try {
      return labelled.finish();
    } catch (const Error& error) {
      throw Error(o.predictions + " and " + o.labels + ": " + error.what());
    }
  }();
  if (const std::string note = labelled.note(); !note.empty()) cli::warn(note, o.is_quiet);
  write_pictures(report, o, o.predictions);
  write(report, o.is_json);
}

}  // namespace headwater::evaluate
