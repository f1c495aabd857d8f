// Giving labels to texts: what the tasks of classifiers and of bags of words share. The directory holds
// config.json with the labels' names (id2label, label2id), model.safetensors, tokenizer.json, and of a bag of
// words terms.tsv.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "data/labels.hpp"
#include "data/ngram_vocabulary.hpp"
#include "data/token_dataset.hpp"
#include "metrics/class_scores.hpp"
#include "models/bag_of_words.hpp"
#include "models/classifier.hpp"
#include "models/text_classifier.hpp"
#include "support/json.hpp"
#include "tasks/objective.hpp"
#include "tasks/task.hpp"
#include "text/tokenizer/tokenizer.hpp"

namespace headwater {

// Everything that giving labels to texts needs.
struct ClassificationModel {
  std::filesystem::path files;  // the folder that was read: the directory itself or a checkpoint
  Tokenizer tokenizer;
  std::optional<NgramVocabulary> terms;  // of a bag of words
  LabelSet labels;
  std::unique_ptr<TextClassifier> model;
};

// `path` as for load_translation_model. Throws Error naming the file, and what does not fit; also where the
// directory holds a model that gives no labels.
ClassificationModel load_classification_model(const std::filesystem::path& path);
// The attention of a classifier for one example. Throws Error where it mixes tokens otherwise.
std::unique_ptr<AttentionTracer> attention_tracer(ClassificationModel model);

// The model section of a recipe with these settings.
ModelSection model_section(const ClassifierSettings& settings);
ModelSection model_section(const BagOfWordsSettings& settings);

// The model of a recipe whose table has so many rows; of a config.json (without its parameters' memory).
// Throws Error "where: what", also for a model that gives no labels.
std::unique_ptr<TextClassifier> make_text_classifier(const ModelSection& model, Index vocabulary);
std::unique_ptr<TextClassifier> classifier_of_config(const Json& config, const std::string& where);
Json config_of(const TextClassifier& model, const Tokenizer& tokenizer, const LabelSet& labels,
               const std::optional<NgramVocabulary>& terms);
// The names of id2label, whose members are "0", "1", ... in order.
LabelSet labels_of_config(const Json& config, const std::string& where);
// The members id2label and label2id.
void write_labels(Json& config, const LabelSet& labels);

// What training on labels has in common, whatever is labelled.
class LabelMeasure {
 public:
  explicit LabelMeasure(Index classes) : measure_(static_cast<std::int32_t>(classes)) {}
  std::span<const std::string_view> figure_names() const;  // macro_f1, roc_auc; of many classes top5_accuracy
  void clear() { measure_.clear(); }
  // probabilities [labels, classes]
  void add(std::span<const std::int32_t> labels, ConstMatrix probabilities);
  void finish(ValidationFigures& figures) const;

 private:
  ClassMeasure measure_;
};

// Training on texts or bags with one label each.
class ClassificationObjective : public Objective {
 public:
  // Takes data sets with the columns "source" (a bag for a bag of words) and "label".
  // `class_weights`, one a class: how often an example of training counts; none: once.
  ClassificationObjective(TextClassifier& model, Subset train, Subset validation, double label_smoothing,
                          std::vector<Real> class_weights = {});

  Parameters& parameters() override { return model_.parameters(); }
  std::int64_t width() const override { return model_.width(); }
  std::size_t examples(Split split) const override { return of(split).subset.count(); }
  std::int64_t tokens(Split split, std::span<const std::uint32_t> chosen) const override;
  std::string data_hash() const override;
  void prepare(Split split, std::span<const std::uint32_t> chosen, const BatchPart& part,
               BatchSlot slot) override;
  // The gradient of the mean over the sequences. Useful tokens are those of the texts: padding does not
  // count.
  LossTotals loss(const ForwardContext& context, Split split, BatchSlot slot) override;
  std::span<const std::string_view> figure_names() const override { return measure_.figure_names(); }
  void begin_validation() override { measure_.clear(); }
  void finish_validation(ValidationFigures& figures) override { measure_.finish(figures); }

 private:
  const ColumnSubset& of(Split split) const { return split == Split::train ? train_ : validation_; }
  struct Slot {
    ClassBatch batch;
    std::int64_t useful = 0;
    double loss_scale = 0;  // one over the global batch's sequences: the loss is their mean
  };
  static void add_values(std::span<const float> values, std::span<const std::int32_t> ids, Slot& to);
  Slot& slot_of(BatchSlot slot) { return slots_[slot == BatchSlot::first ? 0 : 1]; }

  TextClassifier& model_;
  ColumnSubset train_, validation_;
  double label_smoothing_;
  std::vector<Real> class_weights_;
  LabelMeasure measure_;  // of the running validation
  Slot slots_[2];         // reused: a step after the largest allocates nothing
};

// What Task::complete() does to model.classes, where a recipe says so many. Throws UsageError "where: what"
// for another number of labels.
void take_classes(std::int64_t& classes, const LabelSet& labels, const std::string& where);
// For a legend, where a recipe leaves model.classes open: how many are shown.
std::string open_classes(std::int64_t classes, Index assumed);
// What a recipe's settings, now complete, say against each other. Throws UsageError.
void check_completed(const Recipe& recipe);
// training.class_weights, a number a label; empty where there are none. Balanced ones are those of `count`
// examples, of which `label` gives the labels. Throws UsageError for a name that is no label.
std::vector<Real> class_weights(const Recipe& recipe, const LabelSet& labels, std::size_t count,
                                const std::function<std::int32_t(std::size_t)>& label);
// Names the labels that no example of training has, in a sentence; none where each has one.
std::vector<std::string> unlearned_labels(const LabelSet& labels, std::size_t count,
                                          const std::function<std::int32_t(std::size_t)>& label);
// Throws Error where epochs are chosen by roc_auc and the validation examples have one label only. `label`
// gives the label of an example.
void check_both_labels(const Recipe& recipe, const LabelSet& labels, std::size_t count,
                       const std::function<std::int32_t(std::size_t)>& label);

// The row of the registry, but for what a classifier and a bag of words have each.
class ClassificationTask : public Task {
 public:
  Answer answer() const override { return Answer::label; }
  std::string_view what_it_is() const override { return "a classifier (use classify)"; }
  std::string_view example() const override { return "example"; }
  std::string_view next_tool() const override { return "classify"; }
  void complete(Recipe& recipe, const TaskFiles& given) const override;
  void complete(Recipe& recipe, const LabelSet& labels, const std::string& where) const override;
  std::unique_ptr<TaskModel> prepare(const Recipe& recipe, const TaskFiles& given) const override;
  ModelDescription describe(const Recipe& recipe) const override;
  ModelDescription describe(const Json& config, const std::string& where) const override;
  void check_weights(const Json& config, const std::filesystem::path& files) const override;

  // The model itself. `config` is one whose "model_type" is this kind's; throws Error "what".
  virtual std::unique_ptr<TextClassifier> make(const ModelSection& model, Index vocabulary) const = 0;
  virtual ModelSection section_of_config(Json config) const = 0;
  virtual ClassHeadSettings& head_of(ModelSection& model) const = 0;
  // A section without a kind where the model is of another kind.
  virtual ModelSection section_of_model(const TextClassifier& model) const = 0;
  virtual std::string_view architecture() const = 0;
  virtual bool reads_terms() const = 0;
  virtual std::string legend(const TextClassifier& model) const = 0;
};

}  // namespace headwater
