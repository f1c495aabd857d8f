#include "reports/classification_report.hpp"

#include <algorithm>

#include "data/labels.hpp"
#include "reports/table.hpp"
#include "support/error.hpp"
#include "support/name_list.hpp"
#include "support/numbers.hpp"
#include "text/unicode/unicode_properties.hpp"

namespace headwater {
namespace {

constexpr std::size_t kMaxShown = 20;  // a wider confusion matrix is no table to read
constexpr std::size_t kMaxLabels = 10000;

constexpr std::size_t kMaxConfusions = 20;

// What is most often taken for what, the most frequent first; of equals in the order of the classes.
std::string most_confused(const ConfusionMatrix& confusion, const std::vector<std::string>& labels) {
  using Cell = ConfusionMatrix::Cell;
  std::vector<Cell> pairs = confusion.cells();
  std::erase_if(pairs, [](const Cell& cell) { return cell.label == cell.prediction; });
  if (pairs.empty()) return {};
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const Cell& a, const Cell& b) { return a.count > b.count; });
  pairs.resize(std::min(pairs.size(), kMaxConfusions), Cell{});
  constexpr auto right = Table::Align::right;
  Table table({{"label"}, {"most often predicted"}, {"samples", right}, {"of the label's", right}});
  for (const Cell& p : pairs) {
    table.add_row({labels[p.label], labels[p.prediction], format_count(p.count),
                   format_count(confusion.counts().scores(p.label).support)});
  }
  return "\n" + table.text();
}

bool wants(const std::vector<std::string>& metrics, std::string_view name) {
  return metrics.empty() || std::find(metrics.begin(), metrics.end(), name) != metrics.end();
}

}  // namespace

std::vector<ScoreRow> ClassificationReport::rows(const std::vector<std::string>& metrics) const {
  std::vector<ScoreRow> rows;
  const std::int64_t classes = confusion.counts().classes();
  const std::string over = "over " + counted(confusion.counts().samples(), "sample") + " of " +
                           format_count(classes) + (classes == 1 ? " class" : " classes");
  if (loss && wants(metrics, "loss"))
    rows.push_back(score_row("loss", *loss, 4, over, "line", truncated_lines));
  if (wants(metrics, "accuracy"))
    rows.push_back(score_row("accuracy", confusion.counts().accuracy(), 4, over, "line", truncated_lines));
  const ClassResults results{.counts = confusion.counts(),
                             .roc_auc = roc_auc,
                             .top5_accuracy = top5_accuracy,
                             .calibration = calibration ? &*calibration : nullptr,
                             .last_label = labels.back()};
  for (const ClassMetric& metric : class_metrics()) {
    if (!wants(metrics, metric.name)) continue;
    if (const std::optional<Score> score = metric.score(results)) rows.push_back(score_row(metric, *score));
  }
  for (const ScoreRow& row : of_data) {
    if (wants(metrics, row.name)) rows.push_back(row);
  }
  return rows;
}

std::string ClassificationReport::text() const {
  constexpr auto right = Table::Align::right;
  Table classes({{"class"}, {"precision", right}, {"recall", right}, {"F1", right}, {"support", right}});
  for (std::int32_t c = 0; c < confusion.counts().classes(); ++c) {
    const ClassScores s = confusion.counts().scores(c);
    classes.add_row({labels[c], format_fixed(s.precision, 4), format_fixed(s.recall, 4),
                     format_fixed(s.f1, 4), format_count(s.support)});
  }
  std::string text = score_table(rows()) + "\n" + classes.text();
  if (labels.size() > kMaxShown) return text + most_confused(confusion, labels);
  std::vector<Table::Column> columns = {{"label \\ predicted"}};
  for (const std::string& label : labels) columns.push_back({label, right});
  Table matrix(columns);
  for (std::int32_t c = 0; c < confusion.counts().classes(); ++c) {
    std::vector<std::string> row = {labels[c]};
    for (std::int32_t prediction = 0; prediction < confusion.counts().classes(); ++prediction) {
      row.push_back(format_count(confusion.count(c, prediction)));
    }
    matrix.add_row(std::move(row));
  }
  return text + "\n" + matrix.text();
}

void ClassificationReport::write_json(const std::function<void(std::string_view)>& take) const {
  for (const ScoreRow& row : rows()) take(row.json.dump() + "\n");
  for (std::int32_t c = 0; c < confusion.counts().classes(); ++c) {
    const ClassScores s = confusion.counts().scores(c);
    Json json;
    json.set("version", 1).set("class", labels[c]).set("precision", s.precision);
    json.set("recall", s.recall).set("f1", s.f1).set("support", s.support).set("predicted", s.predicted);
    take(json.dump() + "\n");
  }
  Json json;
  json.set("version", 1).set("classes", Json::Array(labels.begin(), labels.end()));
  std::string text = json.dump();
  text.back() = ',';  // a tree of all cells would be many times as large
  text += "\"confusion\":[";
  confusion.for_each_row([&](std::int32_t label, std::span<const std::int64_t> counts) {
    text += label > 0 ? ",[" : "[";
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (i > 0) text.push_back(',');
      text += std::to_string(counts[i]);
    }
    text.push_back(']');
    take(text);
    text.clear();
  });
  take("]}\n");
}

ClassProbabilities::ClassProbabilities(std::vector<std::string> labels)
    : labels_(std::move(labels)),
      confusion_(static_cast<std::int32_t>(labels_.size())),
      measure_(confusion_.counts().classes()) {}

void ClassProbabilities::add(std::int32_t label, std::span<const Real> probabilities) {
  const std::int32_t prediction = measure_.add(label, probabilities);
  confusion_.add(label, prediction);
  calibration_.add(static_cast<double>(probabilities[prediction]), prediction == label);
}

ClassificationReport ClassProbabilities::finish() const {
  if (measure_.counts().samples() == 0) throw Error("no lines (a measure needs at least one)");
  return {.labels = labels_,
          .confusion = confusion_,
          .loss = measure_.loss(),
          .roc_auc = measure_.auc(),
          .calibration = calibration_,
          .top5_accuracy = measure_.top5_accuracy()};
}

std::int32_t LabelledPredictions::id_of(std::string_view name) {
  std::uint64_t& id = names_.value(name);
  if (id == 0) {
    id = names_.size();
    if (names_.size() > kMaxLabels) {
      throw Error(" more than " + std::to_string(kMaxLabels) + " labels (is this the right column?)");
    }
  }
  return static_cast<std::int32_t>(id - 1);
}

namespace {

// The number from 0 to 1 that the field is, or -1.
double probability_of(std::string_view field) {
  double p = 0;
  return parse_number(field, p) && p >= 0 && p <= 1 ? p : -1;
}

// The probability that pairs of a label, TAB, its probability give to `label`, or -1.
double probability_in(std::string_view pairs, std::string_view label) {
  while (!pairs.empty()) {
    const std::size_t tab = std::min(pairs.find('\t'), pairs.size());
    const std::string_view name = trimmed(pairs.substr(0, tab));
    pairs.remove_prefix(std::min(tab + 1, pairs.size()));
    const std::size_t end = std::min(pairs.find('\t'), pairs.size());
    const double p = probability_of(pairs.substr(0, end));
    if (p < 0 || name == label) return p;
    pairs.remove_prefix(std::min(end + 1, pairs.size()));
  }
  return -1;
}

}  // namespace

void LabelledPredictions::add(std::string_view prediction, std::string_view label) {
  if (label.find('\t') == label.npos) label = trimmed(label);
  if (label.empty() || label.find('\t') != label.npos)
    throw Error(" " + quote(label) + " is not a label (give one column of labels, with cut -f)");
  const std::size_t tab = std::min(prediction.find('\t'), prediction.size());
  const std::string_view predicted = trimmed(prediction.substr(0, tab));
  if (predicted.empty())
    throw Error(" a prediction without a label (a prediction is a label, or a label, TAB, its probability)");
  if (tab < prediction.size()) {
    const std::string_view rest = prediction.substr(tab + 1), field = rest.substr(0, rest.find('\t'));
    const double p = probability_of(field);
    if (p < 0)
      throw Error(" " + quote(field) +
                  " is not a probability (a prediction is a label, TAB, a number from 0 to 1)");
    if (probabilities_.size() != labels_.size()) throw Error(" a probability, which lines before it lack");
    probabilities_.push_back(p);
    of_label_.push_back(probability_in(prediction, label));
  } else if (!probabilities_.empty()) {
    throw Error(" no probability, which lines before it have");
  }
  labels_.push_back(id_of(label));
  predictions_.push_back(id_of(predicted));
}

LabelledPredictions::Names LabelledPredictions::names() const {
  constexpr unsigned kRight = 1, kPredicted = 2;
  std::vector<unsigned> occurs(names_.size());
  for (const std::int32_t id : labels_) occurs[id] |= kRight;
  for (const std::int32_t id : predictions_) occurs[id] |= kPredicted;
  Names names;
  for (const WordTable::Entry& entry : names_.entries()) {
    const unsigned here = occurs[entry.value - 1];
    if ((here & kRight) != 0) names.right.emplace_back(entry.word());
    if (here == kPredicted) names.strange.emplace_back(entry.word());
    names.is_any_known = names.is_any_known || here == (kRight | kPredicted);
  }
  std::sort(names.right.begin(), names.right.end());
  std::sort(names.strange.begin(), names.strange.end());
  return names;
}

std::string LabelledPredictions::note() const {
  const Names names = this->names();
  if (names.strange.empty()) return "";
  std::string text = counted(static_cast<std::int64_t>(names.strange.size()), "predicted label") +
                     (names.strange.size() == 1 ? " is" : " are") +
                     " not among the right ones: " + quoted_list(names.strange);
  if (names.strange.size() == 1) {
    const std::string_view nearest = nearest_word(names.strange.front(), names.right);
    if (!nearest.empty()) text += "; did you mean " + quote(nearest) + "?";
  }
  return text;
}

ClassificationReport LabelledPredictions::finish() const {
  if (labels_.empty()) throw Error("no lines (a measure needs at least one)");
  if (const Names names = this->names(); !names.is_any_known) {
    throw Error("no predicted label is among the right ones: predicted " + quoted_list(names.strange) +
                ", right " + quoted_list(names.right) +
                " (a prediction is a label first: of classify without --all, or with --top)");
  }
  const LabelSet set = LabelSet::learn(names_);
  std::vector<std::int32_t> class_of(names_.size());
  for (const WordTable::Entry& entry : names_.entries()) class_of[entry.value - 1] = set.find(entry.word());

  ClassificationReport report{set.labels(), ConfusionMatrix(set.size()), {}, {}};
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    report.confusion.add(class_of[labels_[i]], class_of[predictions_[i]]);
  }
  if (probabilities_.empty()) return report;
  report.calibration.emplace();
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    // As a model's, which are floats.
    report.calibration->add(static_cast<double>(static_cast<float>(probabilities_[i])),
                            labels_[i] == predictions_[i]);
  }
  std::vector<double> of_label = of_label_;
  if (set.size() == 2) {  // of which one probability is both
    std::vector<std::uint8_t> is_positive;
    std::vector<double> score;
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      const double p = probabilities_[i];
      is_positive.push_back(class_of[labels_[i]] == 1 ? 1 : 0);
      score.push_back(class_of[predictions_[i]] == 1 ? p : 1 - p);
      if (of_label[i] < 0) of_label[i] = 1 - p;
    }
    report.roc_auc = roc_auc(is_positive, score);
  }
  if (std::all_of(of_label.begin(), of_label.end(), [](double p) { return p >= 0; }))
    report.loss = log_loss(of_label);
  return report;
}

}  // namespace headwater
