#include "training/job.hpp"

#include <algorithm>
#include <optional>

#include "models/classifier_directory.hpp"
#include "models/model_directory.hpp"
#include "support/error.hpp"
#include "training/classification_objective.hpp"
#include "training/translation_objective.hpp"

namespace headwater {

namespace {

Tokenizer load_side(const std::string& path, const char* option) {
  if (path.empty())
    throw UsageError(std::string(option) + " is missing (the tokenizer.json that made this column of ids)");
  return Tokenizer::load(path);
}

// The recipe's size is that of the tables; a small text may have fewer words.
void check_size(const Tokenizer& tokenizer, std::int64_t size, const std::string& path) {
  if (tokenizer.vocabulary_size() <= size) return;
  throw UsageError(path + ": " + std::to_string(tokenizer.vocabulary_size()) +
                   " tokens, the recipe has room for " + std::to_string(size) + " (learn it with --size " +
                   std::to_string(size) + ")");
}

class TranslationJob : public Job {
 public:
  TranslationJob(const Recipe& recipe, const JobFiles& given)
      : recipe_(recipe),
        source_(load_side(given.source_tokenizer, "--source-tokenizer")),
        target_(load_side(given.target_tokenizer, "--target-tokenizer")),
        model_(recipe.model, recipe.source_tokenizer.size, recipe.target_tokenizer.size) {
    if (target_.start_id() < 0 || target_.end_id() < 0) {
      throw UsageError(given.target_tokenizer +
                       ": has no [START] and [END] (learn it with tokenize --learn ... --start-end)");
    }
    check_size(source_, recipe.source_tokenizer.size, given.source_tokenizer);
    check_size(target_, recipe.target_tokenizer.size, given.target_tokenizer);
  }
  Parameters& parameters() override { return model_.parameters(); }
  std::vector<IdColumnSettings> columns() const override {
    return {{.name = "source",
             .vocabulary = source_.vocabulary_size(),
             .most_ids = recipe_.model.length,
             .vocabulary_hash = source_.hash()},
            {.name = "target",
             .vocabulary = target_.vocabulary_size(),
             .most_ids = recipe_.model.length + 1,
             .least_ids = 2,
             .first_id = target_.start_id(),
             .vocabulary_hash = target_.hash()}};
  }
  std::unique_ptr<Objective> objective(ChosenExamples train, ChosenExamples validation) override {
    return std::make_unique<TranslationObjective>(model_, std::move(train), std::move(validation),
                                                  recipe_.training.label_smoothing);
  }
  RunDirectory::Files files() const override {
    const std::int64_t length = recipe_.model.length, most = recipe_.decoding.most_tokens;
    return {{"config.json", config_of(model_, source_, target_).dump(2) + "\n"},
            {"generation_config.json",
             generation_config_of(target_, most > 0 ? std::min(most, length) : length).dump(2) + "\n"},
            {"source-tokenizer.json", source_.to_json()},
            {"target-tokenizer.json", target_.to_json()}};
  }
  const char* examples() const override { return "pairs"; }
  const char* next_tool() const override { return "translate"; }

 private:
  const Recipe& recipe_;
  Tokenizer source_, target_;
  EncoderDecoder model_;
};

class ClassificationJob : public Job {
 public:
  ClassificationJob(const Recipe& recipe, const JobFiles& given)
      : recipe_(recipe), tokenizer_(load_side(given.source_tokenizer, "--tokenizer")) {
    const bool is_bag = recipe.model.kind == "bag_of_words";
    if (given.labels.empty())
      throw UsageError("--labels is missing (the label set; vectorize --learn labels makes one)");
    labels_ = LabelSet::load(given.labels);
    if (labels_->size() != recipe.model.classes) {
      throw UsageError(given.labels + ": " + std::to_string(labels_->size()) + " labels, model.classes is " +
                       std::to_string(recipe.model.classes));
    }
    if (is_bag == given.terms.empty()) {
      throw UsageError(is_bag ? "--terms is missing (the table of terms that made the bags)"
                              : "--terms is for recipes with model.kind: bag_of_words");
    }
    if (is_bag) {
      terms_ = TermTable::load(given.terms);
      check_terms(given.terms);
    } else {
      check_size(tokenizer_, recipe.source_tokenizer.size, given.source_tokenizer);
    }
    model_ = make_text_classifier(recipe.model, is_bag ? recipe.terms.size : recipe.source_tokenizer.size);
  }
  Parameters& parameters() override { return model_->parameters(); }
  std::vector<IdColumnSettings> columns() const override {
    const IdColumnSettings of_labels{.name = "label",
                                     .vocabulary = labels_->size(),
                                     .vocabulary_hash = labels_->hash(),
                                     .labels = &*labels_};
    if (terms_) {
      return {{.name = "source",
               .vocabulary = terms_->size(),
               .has_values = terms_->settings().output != TermOutput::multi_hot,
               .vocabulary_hash = terms_->hash()},
              of_labels};
    }
    return {{.name = "source",
             .vocabulary = tokenizer_.vocabulary_size(),
             .most_ids = recipe_.model.length,
             .vocabulary_hash = tokenizer_.hash()},
            of_labels};
  }
  std::unique_ptr<Objective> objective(ChosenExamples train, ChosenExamples validation) override {
    check_validation(validation);
    return std::make_unique<ClassificationObjective>(*model_, std::move(train), std::move(validation),
                                                     recipe_.training.label_smoothing);
  }
  RunDirectory::Files files() const override {
    RunDirectory::Files files{
        {"config.json", config_of(*model_, tokenizer_, *labels_, terms_).dump(2) + "\n"},
        {"tokenizer.json", tokenizer_.to_json()}};
    if (terms_) files.emplace_back("terms.tsv", terms_->to_text());
    return files;
  }
  const char* examples() const override { return "examples"; }
  const char* next_tool() const override { return "classify"; }

 private:
  void check_terms(const std::string& path) const {
    const TermTable::Settings& made = terms_->settings();
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

  // An area under the curve needs both classes; found out now and not after the first epoch.
  void check_validation(ChosenExamples validation) const {
    const TrainingSettings& training = recipe_.training;
    if (training.best_metric != "roc_auc" && training.early_stopping.metric != "roc_auc") return;
    validation.find_columns("label");
    const std::size_t count = validation.count();
    const auto label = [&](std::size_t i) {
      return validation.columns->ids(validation.target, validation.at(static_cast<std::uint32_t>(i))).front();
    };
    for (std::size_t i = 1; i < count; ++i) {
      if (label(i) != label(0)) return;
    }
    throw Error("validation: " +
                (count == 0
                     ? std::string("no examples")
                     : "every label is " + quote(labels_->labels()[static_cast<std::size_t>(label(0))])) +
                ", which has no roc_auc (validate on examples of both labels, or choose another "
                "training.best_metric and "
                "early_stopping.metric)");
  }

  const Recipe& recipe_;
  Tokenizer tokenizer_;
  std::optional<LabelSet> labels_;
  std::optional<TermTable> terms_;
  std::unique_ptr<TextClassifier> model_;
};

}  // namespace

std::unique_ptr<Job> make_job(const Recipe& recipe, const JobFiles& given) {
  if (recipe.model.kind != "encoder_decoder") {
    if (!given.target_tokenizer.empty())
      throw UsageError("--target-tokenizer is for recipes with model.kind: encoder_decoder");
    return std::make_unique<ClassificationJob>(recipe, given);
  }
  if (!given.labels.empty() || !given.terms.empty())
    throw UsageError("--labels and --terms are for recipes of classifiers");
  return std::make_unique<TranslationJob>(recipe, given);
}

}  // namespace headwater
