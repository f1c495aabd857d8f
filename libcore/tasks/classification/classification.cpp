#include "tasks/classification/classification.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "families/label_names.hpp"
#include "families/registry.hpp"
#include "families/text_classifier.hpp"
#include "families/tokenizer_files.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "tasks/classification/classification_objective.hpp"
#include "tasks/classification/label_measure.hpp"
#include "tasks/classification/linear_objective.hpp"

namespace headwater {

namespace {

class ClassificationTaskModel : public TaskModel {
 public:
  ClassificationTaskModel(const TextClassifierKind& kind, const Recipe& recipe, const TaskFiles& given)
      : recipe_(recipe),
        kind_(kind),
        tokenizer_(load_side(given.source_tokenizer, "--tokenizer")),
        labels_as_(given.labels_as) {
    if (given.labels.empty())
      throw UsageError("--labels is missing (the label set; vectorize --learn labels makes one)");
    labels_ = load_label_names(given.labels);
    const bool reads_terms = kind.reads_terms(recipe.model);
    model_ = kind.make(recipe.model, reads_terms ? recipe.terms.size : recipe.source_tokenizer.size);
    std::int64_t classes = model_->classes();
    take_classes(classes, *labels_, given.labels);
    if (reads_terms == given.terms.empty()) {
      throw UsageError(reads_terms ? "--terms is missing (the table of terms that made the bags)"
                                   : "--terms is for models that read bags of terms");
    }
    if (reads_terms) {
      terms_ = NgramVocabulary::load(given.terms);
      check_terms(given.terms);
    } else {
      check_tokenizer(given.source_tokenizer);
      if (kind.uses_template(recipe.model))
        around_ = tokens_around(tokenizer_, model_->length(), given.source_tokenizer);
      if (kind.reads_pairs(recipe.model))
        pair_ = pair_template(tokenizer_, model_->length(), given.source_tokenizer);
      if (!given.target_tokenizer.empty() &&
          load_side(given.target_tokenizer, "--target-tokenizer").hash() != tokenizer_.hash())
        throw UsageError(given.target_tokenizer + ": another vocabulary than " + given.source_tokenizer +
                         " (both texts of a pair have one tokenizer)");
    }
  }
  Parameters& parameters() override { return model_->parameters(); }
  std::unique_ptr<Dataset> new_dataset() const override {
    std::vector<TokenColumnSettings> columns{source_column(),
                                             {.name = "label",
                                              .vocabulary = labels_->size(),
                                              .vocabulary_hash = labels_->hash(),
                                              .labels = &*labels_,
                                              .labels_as = labels_as_}};
    if (pair_) {
      columns.push_back(columns.front());
      columns.back().name = "target";
    }
    return columns_in_order(std::move(columns), recipe_.data.columns);
  }
  std::unique_ptr<Objective> objective(Subset train, Subset validation) override {
    const auto label_in = [](const ColumnSubset& labelled, std::size_t i) {
      return labelled.ids(0, labelled.subset.at(static_cast<std::uint32_t>(i))).front();
    };
    const ColumnSubset learned(train, {"label"}), checked(validation, {"label"});
    check_both_labels(recipe_, *labels_, validation.count(),
                      [&](std::size_t i) { return label_in(checked, i); });
    const auto label = [&](std::size_t i) { return label_in(learned, i); };
    notes_ = unlearned_labels(*labels_, train.count(), label);
    std::vector<Real> weights = class_weights(recipe_, *labels_, train.count(), label);
    if (terms_ && terms_->settings().output != TermOutput::sublinear_tf_idf) look_for_unknown(train);
    const auto make = [&]<class O>(auto& model) -> std::unique_ptr<ClassificationObjective> {
      return std::make_unique<O>(model, std::move(train), std::move(validation),
                                 recipe_.training.label_smoothing, std::move(weights),
                                 around_ > 0 ? &tokenizer_ : nullptr, around_, pair_);
    };
    auto* const linear = dynamic_cast<LinearClassifier*>(model_.get());
    std::unique_ptr<ClassificationObjective> objective =
        linear != nullptr ? make.template operator()<LinearObjective>(*linear)
                          : make.template operator()<ClassificationObjective>(*model_);
    if (is_unknown_rare_) objective->leave_out_unknown();
    return objective;
  }
  void after_drawing() override {
    kind_.take_first_weights(recipe_.model, *model_);
    if (!is_unknown_rare_) return;
    const Matrix weights = model_->term_weights()->value;
    std::fill_n(weights.row(kUnknownTermId), weights.cols, Real(0));
  }
  std::vector<UsedRows> used_rows() const override {
    if (terms_) return {{"terms", "terms.tsv", terms_->size()}};
    return {{"source_tokenizer", "tokenizer.json", tokenizer_.vocabulary_size()}};
  }
  std::vector<std::string> notes() const override { return notes_; }
  std::vector<DirectoryFile> files() const override {
    std::vector<DirectoryFile> files{
        {"config.json", config_of(recipe_.model, *model_, tokenizer_, *labels_, terms_).dump(2) + "\n",
         "set of labels", "id2label"},
        tokenizer_file(tokenizer_, around_ > 0),
        tokenizer_config_file(tokenizer_, model_->length())};
    if (terms_) files.push_back({"terms.tsv", terms_->to_text(), "table of terms"});
    return files;
  }

 private:
  // A table that holds nearly all terms of the texts that it was learned from leaves them no [UNK], which is
  // the largest value of many other texts all the same.
  void look_for_unknown(const Subset& train) {
    const ColumnSubset bags(train, {"source"});
    std::size_t having = 0;
    for (std::size_t i = 0; i < train.count(); ++i) {
      const auto ids = bags.ids(0, train.at(static_cast<std::uint32_t>(i)));
      having += std::find(ids.begin(), ids.end(), kUnknownTermId) != ids.end() ? 1 : 0;
    }
    is_unknown_rare_ = 2 * having < train.count();
    if (!is_unknown_rare_ || !recipe_.training.init_from.empty()) return;
    notes_.push_back("[UNK] is in " + format_count(static_cast<std::int64_t>(having)) + " of " +
                     counted(static_cast<std::int64_t>(train.count()), "training text") +
                     ", too few to learn what it says: the model leaves it out");
  }

  TokenColumnSettings source_column() const {
    if (terms_) {
      return {.name = "source",
              .vocabulary = terms_->size(),
              .has_values = terms_->settings().output != TermOutput::multi_hot,
              .vocabulary_hash = terms_->hash()};
    }
    return {.name = "source",
            .vocabulary = tokenizer_.vocabulary_size(),
            .max_length = model_->length() - static_cast<std::int64_t>(pair_ ? pair_->around : around_),
            .special = tokenizer_.special_ids(),
            .vocabulary_hash = tokenizer_.hash()};
  }

  // That it is the encoder's, or of the recipe's size.
  void check_tokenizer(const std::string& path) const {
    const std::filesystem::path from = kind_.tokenizer_from(recipe_.model);
    if (from.empty()) return check_size(tokenizer_, recipe_.source_tokenizer.size, path, "source_tokenizer");
    if (tokenizer_.hash() != tokenizer_of(from).hash())
      throw UsageError(path + ": another vocabulary than " + from.string() +
                       " (tokenize --recipe writes that of the encoder)");
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
  const TextClassifierKind& kind_;
  Tokenizer tokenizer_;
  LabelsAs labels_as_;
  std::optional<LabelSet> labels_;
  std::optional<NgramVocabulary> terms_;
  std::size_t around_ = 0;            // special tokens around a text
  std::optional<PairTemplate> pair_;  // where an example is two
  bool is_unknown_rare_ = false;      // of terms: fewer than half of the training texts have [UNK]
  std::unique_ptr<TextClassifier> model_;
  std::vector<std::string> notes_;
};

}  // namespace

void complete_classification(Recipe& recipe, const TaskFiles& given) {
  if (given.labels.empty()) return;
  kind_of(recipe.model).complete(recipe, load_label_names(given.labels), given.labels);
}

std::unique_ptr<TaskModel> prepare_classification(const Recipe& recipe, const TaskFiles& given) {
  const TextClassifierKind& kind = text_classifier_kind(kind_of(recipe.model));
  if (!given.target_tokenizer.empty() && !kind.reads_pairs(recipe.model))
    throw UsageError("--target-tokenizer is for recipes with model.kind: encoder_decoder");
  return std::make_unique<ClassificationTaskModel>(kind, recipe, given);
}

}  // namespace headwater
