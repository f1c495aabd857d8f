#include "tasks/classification.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "support/csv.hpp"
#include "support/error.hpp"
#include "support/hash.hpp"
#include "support/name_list.hpp"
#include "support/numbers.hpp"
#include "tasks/config.hpp"
#include "tasks/label_names.hpp"
#include "tasks/model_directory.hpp"
#include "tasks/registry.hpp"
#include "tasks/tokenizer_files.hpp"
#include "text/tokenizer/token_lines.hpp"

namespace headwater {

namespace {

const ClassificationTask& classification_task(const Task& task) {
  const auto* const typed = dynamic_cast<const ClassificationTask*>(&task);
  if (typed == nullptr) throw Error("model: " + std::string(task.kind().name) + " gives no labels to texts");
  return *typed;
}

const ClassificationTask& classification_task(const TextClassifier& model) {
  for (const Task* task : all_tasks()) {
    const auto* const typed = dynamic_cast<const ClassificationTask*>(task);
    if (typed != nullptr && typed->section_of_model(model)) return *typed;
  }
  throw Error("model: no task for this classifier");
}

}  // namespace

// --- The directory -----------------------------------------------------------------------------------------

void write_labels(Json& config, const LabelSet& labels) {
  Json names = Json::Object{}, ids = Json::Object{};
  for (std::int32_t id = 0; id < labels.size(); ++id) {
    const std::string& name = labels.labels()[static_cast<std::size_t>(id)];
    names.as_object().emplace_back(std::to_string(id), name);
    ids.as_object().emplace_back(name, std::int64_t{id});
  }
  config.set("id2label", std::move(names));
  config.set("label2id", std::move(ids));
}

Json config_of(const TextClassifier& model, const Tokenizer& tokenizer, const LabelSet& labels,
               const std::optional<NgramVocabulary>& terms) {
  const ClassificationTask& task = classification_task(model);
  ModelSection section = task.section_of_model(model);
  ClassHeadSettings& head = task.head_of(section);
  head = with_classes(head, model.classes());
  Json config;
  config.set("architectures", Json::Array{std::string(task.architecture())});
  config.set("model_type", task.model_type());
  write_settings(config, section.settings());
  config.set("vocabulary_size", model.vocabulary());
  config.set("vocabulary_hash", tokenizer.hash());
  if (terms) config.set("terms_hash", terms->hash());
  config.set("pad_token_id", std::int64_t{tokenizer.pad_id()});
  config.set("problem_type", "single_label_classification");
  write_labels(config, labels);
  return config;
}

std::unique_ptr<TextClassifier> make_text_classifier(const ModelSection& model, Index vocabulary) {
  return classification_task(task_of(model)).make(model, vocabulary);
}

std::unique_ptr<TextClassifier> classifier_of_config(const Json& config, const std::string& where) {
  const ClassificationTask& task = classification_task(task_of(config, where));
  try {
    const ModelSection section = task.section_of_config(config);
    whole(config, "classes", 2, 100000);  // of a model it is not open
    return task.make(section, whole(config, "vocabulary_size", 1, 10000000));
  } catch (const Error& error) {
    throw Error(where + ": " + error.what());
  }
}

LabelSet labels_of_config(const Json& config, const std::string& where) {
  try {
    const Json::Object& names = config.at("id2label").as_object();
    const std::int64_t classes = whole(config, "classes", 2, 100000);
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string expected = std::to_string(i);
      if (names[i].first != expected)
        throw Error("\"id2label\" has " + quote(names[i].first) + " where " + quote(expected) +
                    " is expected");
      // Here, since one of two lines would be two labels, and one that ends in CR another.
      if (breaks_lines(names[i].second.as_string())) {
        throw Error("\"id2label\": the label " + quote(names[i].second.as_string()) + " of id " + expected +
                    kBreaksLines);
      }
      text += names[i].second.as_string() + "\n";
    }
    if (static_cast<std::int64_t>(names.size()) != classes) {
      throw Error("\"id2label\" has " + std::to_string(names.size()) + " names, \"classes\" is " +
                  std::to_string(classes));
    }
    return LabelSet::parse(text, "id2label");
  } catch (const Error& error) {
    throw Error(where + ": " + error.what());
  }
}

ClassificationModel load_classification_model(const std::filesystem::path& path) {
  const std::filesystem::path files = model_files(path), config_path = files / "config.json";
  check_answer(files, Answer::label);
  const Json config = read_config(files);
  const bool reads_terms = classification_task(task_of(config, config_path.string())).reads_terms();
  std::unique_ptr<TextClassifier> model = classifier_of_config(config, config_path.string());
  // The table of a bag of words has a row for each term, whatever its tokenizer knows.
  Tokenizer tokenizer = load_tokenizer(files / "tokenizer.json", reads_terms ? 10000000 : model->vocabulary(),
                                       text_at(config, "vocabulary_hash", config_path), config_path);
  std::optional<NgramVocabulary> terms;
  if (reads_terms) {
    const std::filesystem::path terms_path = files / "terms.tsv";
    terms = NgramVocabulary::load(terms_path);
    if (terms->size() > model->vocabulary() || terms->hash() != text_at(config, "terms_hash", config_path)) {
      throw Error(terms_path.string() + ": not the terms that " + config_path.string() +
                  " asks for (they belong to another model)");
    }
  }
  LabelSet labels = labels_of_config(config, config_path.string());
  map_parameters(files / "model.safetensors", model->parameters());
  return {files, std::move(tokenizer), std::move(terms), std::move(labels), std::move(model)};
}

// --- The objective -----------------------------------------------------------------------------------------

std::span<const std::string_view> LabelMeasure::figure_names() const {
  static constexpr std::array<std::string_view, 3> kNames{"macro_f1", "roc_auc", "top5_accuracy"};
  return std::span(kNames).first(measure_.counts().classes() > kTopClasses ? 3 : 2);
}

void LabelMeasure::add(std::span<const std::int32_t> labels, ConstMatrix probabilities) {
  for (std::size_t i = 0; i < labels.size(); ++i) {
    measure_.add(labels[i],
                 {probabilities.row(static_cast<Index>(i)), static_cast<std::size_t>(probabilities.cols)});
  }
}

void LabelMeasure::finish(ValidationFigures& figures) const {
  if (measure_.counts().samples() == 0) return;
  figures.figures = {measure_.counts().macro_f1(), measure_.auc()};
  if (figure_names().size() > 2) figures.figures.push_back(measure_.top5_accuracy());
}

ClassificationObjective::ClassificationObjective(TextClassifier& model, Subset train, Subset validation,
                                                 double label_smoothing, std::vector<Real> class_weights)
    : model_(model),
      train_(std::move(train), {"source", "label"}),
      validation_(std::move(validation), {"source", "label"}),
      label_smoothing_(label_smoothing),
      class_weights_(std::move(class_weights)),
      measure_(model.classes()) {}

std::int64_t ClassificationObjective::tokens(Split split, std::span<const std::uint32_t> chosen) const {
  const ColumnSubset& e = of(split);
  std::int64_t sum = 0;
  for (const std::uint32_t i : chosen)
    sum += static_cast<std::int64_t>(e.columns->ids(e.column[0], e.subset.at(i)).size());
  return sum;
}

std::string ClassificationObjective::data_hash() const {
  Hasher hasher;
  for (const ColumnSubset* e : {&train_, &validation_}) e->subset.add_to(hasher);
  return hasher.digest();
}

void ClassificationObjective::prepare(Split split, std::span<const std::uint32_t> chosen,
                                      const BatchPart& part, BatchSlot slot) {
  const ColumnSubset& e = of(split);
  Slot& to = slot_of(slot);
  to.batch.clear();
  to.useful = 0;
  to.loss_scale = 1.0 / static_cast<double>(part.sequences);
  for (Index i = 0; i < part.end(); ++i) {
    const std::int64_t example = e.subset.at(chosen[static_cast<std::size_t>(i)]);
    const std::span<const std::int32_t> ids = e.columns->ids(e.column[0], example);
    const Index length = model_.padded_length(static_cast<Index>(ids.size()));
    if (i < part.begin()) {
      to.batch.skip(ids, length);
      continue;
    }
    to.batch.add(ids, length);
    to.useful += static_cast<std::int64_t>(ids.size());
    if (model_.reads_bags()) add_values(e.columns->values(e.column[0], example), ids, to);
    to.batch.labels.push_back(e.columns->ids(e.column[1], example).front());
  }
  to.batch.finish(part);
}

void ClassificationObjective::add_values(std::span<const float> values, std::span<const std::int32_t> ids,
                                         Slot& to) {
  std::vector<Real>& all = to.batch.values;
  if (values.empty()) {  // terms that occur count 1
    all.resize(all.size() + ids.size(), 1);
  } else {
    all.insert(all.end(), values.begin(), values.end());
  }
}

LossTotals ClassificationObjective::loss(const ForwardContext& context, Split split, BatchSlot slot) {
  const Slot& packed = slot_of(slot);
  const double smoothing = split == Split::train ? label_smoothing_ : 0;
  const std::span<const Real> weights = split == Split::train ? class_weights_ : std::span<const Real>();
  const Variable features = model_.features(context, packed.batch);
  const kernels::CrossEntropyTotals totals =
      model_.head().loss(context, features, packed.batch.labels, smoothing, packed.loss_scale, weights);
  // A loss that is not finite ends the run, with a better word than a probability that is none.
  if (split == Split::validation && std::isfinite(totals.loss)) {
    measure_.add(packed.batch.labels,
                 model_.head().probabilities(context, model_.head().logits(context, features)));
  }
  LossTotals result;
  result.loss = totals.loss;
  result.correct = totals.correct;
  result.predicted = result.sequences = result.positions = totals.tokens;
  result.useful = packed.useful;
  return result;
}

// --- Training ----------------------------------------------------------------------------------------------

void take_classes(std::int64_t& classes, const LabelSet& labels, const std::string& where) {
  constexpr std::int32_t kMostUnsaid = 1000;  // texts in the place of labels are more
  const std::string count = counted(labels.size(), "label");
  if (labels.size() < 2) throw UsageError(where + ": " + count + " (give examples of two labels at least)");
  if (classes == labels.size()) return;
  const std::vector<std::string>& names = labels.labels();
  const auto is_of_csv = [](const std::string& label) { return csv_separator(label, 2) != 0; };
  const auto of_csv = std::count_if(names.begin(), names.end(), is_of_csv);
  const std::string cure =
      2 * of_csv > labels.size() ? csv_cure(*std::find_if(names.begin(), names.end(), is_of_csv), 2) : "";
  if (classes == 0 && labels.size() > kMostUnsaid) {
    throw UsageError(
        where + ": " + count + ", " + quoted_list(names) + " (" +
        (cure.empty() ? "if they are labels and no texts, set model.classes: " + std::to_string(labels.size())
                      : cure) +
        ")");
  }
  if (classes != 0) {
    throw UsageError(where + ": " + count + ", model.classes is " + std::to_string(classes) + " (" +
                     (cure.empty() ? "leave it out, or set it to " + std::to_string(labels.size()) : cure) +
                     ")");
  }
  classes = labels.size();
}

std::string open_classes(std::int64_t classes, Index assumed) {
  if (classes != 0) return {};
  return "; " + std::to_string(assumed) +
         " classes are assumed: only the labels of the training data say how many (or set model.classes)";
}

void check_completed(const Recipe& recipe) {
  recipe.model.settings().check(recipe,
                                [](std::initializer_list<std::string_view> path, const std::string& what) {
                                  std::string key;
                                  for (const std::string_view word : path)
                                    key += (key.empty() ? "" : ".") + std::string(word);
                                  throw UsageError(key + ": " + what);
                                });
}

void check_both_labels(const Recipe& recipe, const LabelSet& labels, std::size_t count,
                       const std::function<std::int32_t(std::size_t)>& label) {
  const TrainingSettings& training = recipe.training;
  if (training.best_metric != "roc_auc" && training.early_stopping.metric != "roc_auc") return;
  for (std::size_t i = 1; i < count; ++i) {
    if (label(i) != label(0)) return;
  }
  throw Error("validation: " +
              (count == 0 ? std::string("no examples")
                          : "every label is " + quote(labels.labels()[static_cast<std::size_t>(label(0))])) +
              ", which has no roc_auc (validate on examples of both labels, or choose another "
              "training.best_metric and early_stopping.metric)");
}

std::vector<std::string> unlearned_labels(const LabelSet& labels, std::size_t count,
                                          const std::function<std::int32_t(std::size_t)>& label) {
  std::vector<bool> is_learned(static_cast<std::size_t>(labels.size()));
  for (std::size_t i = 0; i < count; ++i) is_learned[static_cast<std::size_t>(label(i))] = true;
  std::vector<std::string> absent;
  for (std::size_t id = 0; id < is_learned.size(); ++id) {
    if (!is_learned[id]) absent.push_back(labels.labels()[id]);
  }
  if (absent.empty()) return {};
  return {counted(static_cast<std::int64_t>(absent.size()), "label") +
          " without a training example, which the model cannot learn to give: " + quoted_list(absent)};
}

std::vector<Real> class_weights(const Recipe& recipe, const LabelSet& labels, std::size_t count,
                                const std::function<std::int32_t(std::size_t)>& label) {
  const ClassWeights& wanted = recipe.training.class_weights;
  if (wanted.word == "none") return {};
  const auto classes = static_cast<std::size_t>(labels.size());
  std::vector<Real> weights(classes, 1);
  for (const auto& [name, weight] : wanted.of_labels) {
    const std::int32_t id = labels.find(name);
    if (id < 0) {
      throw UsageError("training.class_weights: " + quote(name) +
                       " is not a label (known: " + labels.shown() + ")");
    }
    weights[static_cast<std::size_t>(id)] = static_cast<Real>(weight);
  }
  if (wanted.word != "balanced") return weights;
  std::vector<std::int64_t> samples(classes);
  for (std::size_t i = 0; i < count; ++i) ++samples[static_cast<std::size_t>(label(i))];
  const auto present = static_cast<double>(classes) -
                       static_cast<double>(std::count(samples.begin(), samples.end(), std::int64_t{0}));
  for (std::size_t c = 0; c < classes; ++c) {
    if (samples[c] == 0) continue;  // no example asks for it
    weights[c] = static_cast<Real>(static_cast<double>(count) / (present * static_cast<double>(samples[c])));
  }
  return weights;
}

namespace {

class ClassificationTaskModel : public TaskModel {
 public:
  ClassificationTaskModel(const ClassificationTask& task, const Recipe& recipe, const TaskFiles& given)
      : recipe_(recipe),
        tokenizer_(load_side(given.source_tokenizer, "--tokenizer")),
        labels_as_(given.labels_as) {
    if (given.labels.empty())
      throw UsageError("--labels is missing (the label set; vectorize --learn labels makes one)");
    labels_ = load_label_names(given.labels);
    model_ = task.make(recipe.model, task.reads_terms() ? recipe.terms.size : recipe.source_tokenizer.size);
    std::int64_t classes = model_->classes();
    take_classes(classes, *labels_, given.labels);
    if (task.reads_terms() == given.terms.empty()) {
      throw UsageError(task.reads_terms() ? "--terms is missing (the table of terms that made the bags)"
                                          : "--terms is for models that read bags of terms");
    }
    if (task.reads_terms()) {
      terms_ = NgramVocabulary::load(given.terms);
      check_terms(given.terms);
    } else {
      check_size(tokenizer_, recipe.source_tokenizer.size, given.source_tokenizer, "source_tokenizer");
    }
  }
  Parameters& parameters() override { return model_->parameters(); }
  std::unique_ptr<Dataset> new_dataset() const override {
    return columns_in_order({source_column(),
                             {.name = "label",
                              .vocabulary = labels_->size(),
                              .vocabulary_hash = labels_->hash(),
                              .labels = &*labels_,
                              .labels_as = labels_as_}},
                            recipe_.data.columns);
  }
  std::unique_ptr<Objective> objective(Subset train, Subset validation) override {
    const auto label_in = [](const ColumnSubset& labelled, std::size_t i) {
      return labelled.columns->ids(labelled.column[0], labelled.subset.at(static_cast<std::uint32_t>(i)))
          .front();
    };
    const ColumnSubset learned(train, {"label"}), checked(validation, {"label"});
    check_both_labels(recipe_, *labels_, validation.count(),
                      [&](std::size_t i) { return label_in(checked, i); });
    const auto label = [&](std::size_t i) { return label_in(learned, i); };
    notes_ = unlearned_labels(*labels_, train.count(), label);
    std::vector<Real> weights = class_weights(recipe_, *labels_, train.count(), label);
    return std::make_unique<ClassificationObjective>(*model_, std::move(train), std::move(validation),
                                                     recipe_.training.label_smoothing, std::move(weights));
  }
  std::vector<UsedRows> used_rows() const override {
    if (terms_) return {{"terms", "terms.tsv", terms_->size()}};
    return {{"source_tokenizer", "tokenizer.json", tokenizer_.vocabulary_size()}};
  }
  std::vector<std::string> notes() const override { return notes_; }
  std::vector<DirectoryFile> files() const override {
    std::vector<DirectoryFile> files{
        {"config.json", config_of(*model_, tokenizer_, *labels_, terms_).dump(2) + "\n", "set of labels",
         "id2label"},
        tokenizer_file(tokenizer_),
        tokenizer_config_file(tokenizer_, model_->length())};
    if (terms_) files.push_back({"terms.tsv", terms_->to_text(), "table of terms"});
    return files;
  }

 private:
  TokenColumnSettings source_column() const {
    if (terms_) {
      return {.name = "source",
              .vocabulary = terms_->size(),
              .has_values = terms_->settings().output != TermOutput::multi_hot,
              .vocabulary_hash = terms_->hash()};
    }
    return {.name = "source",
            .vocabulary = tokenizer_.vocabulary_size(),
            .max_length = model_->length(),
            .special = tokenizer_.special_ids(),
            .vocabulary_hash = tokenizer_.hash()};
  }

  void check_terms(const std::string& path) const {
    const NgramVocabulary::Settings& made = terms_->settings();
    const TermSettings& wanted = recipe_.terms;
    if (terms_->size() <= wanted.size && made.ngrams == wanted.ngrams &&
        name_of(made.output) == wanted.output)
      return;
    throw UsageError(path + ": " + std::to_string(terms_->size()) + " terms of up to " +
                     std::to_string(made.ngrams) + " tokens as " + std::string(name_of(made.output)) +
                     ", the recipe has room for " + std::to_string(wanted.size) + " of up to " +
                     std::to_string(wanted.ngrams) + " as " + wanted.output +
                     " (learn it with vectorize --learn ngrams --ngrams " + std::to_string(wanted.ngrams) +
                     " --size " + std::to_string(wanted.size) + " --output " + wanted.output + ")");
  }

  const Recipe& recipe_;
  Tokenizer tokenizer_;
  LabelsAs labels_as_;
  std::optional<LabelSet> labels_;
  std::optional<NgramVocabulary> terms_;
  std::unique_ptr<TextClassifier> model_;
  std::vector<std::string> notes_;
};

}  // namespace

void ClassificationTask::complete(Recipe& recipe, const TaskFiles& given) const {
  if (!given.labels.empty()) complete(recipe, load_label_names(given.labels), given.labels);
}

void ClassificationTask::complete(Recipe& recipe, const LabelSet& labels, const std::string& where) const {
  ClassHeadSettings& head = head_of(recipe.model);
  take_classes(head.classes, labels, where);
  head = with_classes(head, head.classes);
  check_completed(recipe);
}

std::unique_ptr<TaskModel> ClassificationTask::prepare(const Recipe& recipe, const TaskFiles& given) const {
  if (!given.target_tokenizer.empty())
    throw UsageError("--target-tokenizer is for recipes with model.kind: encoder_decoder");
  return std::make_unique<ClassificationTaskModel>(*this, recipe, given);
}

ModelDescription ClassificationTask::describe(const Recipe& recipe) const {
  const auto model = make(recipe.model, reads_terms() ? recipe.terms.size : recipe.source_tokenizer.size);
  ModelSection section = recipe.model;
  return {model->summary(), legend(*model) + open_classes(head_of(section).classes, model->classes())};
}

ModelDescription ClassificationTask::describe(const Json& config, const std::string& where) const {
  const auto model = classifier_of_config(config, where);
  return {model->summary(), legend(*model)};
}

void ClassificationTask::check_weights(const Json& config, const std::filesystem::path& files) const {
  const auto model = classifier_of_config(config, (files / "config.json").string());
  map_parameters(weights_of(files), model->parameters());
}

}  // namespace headwater
