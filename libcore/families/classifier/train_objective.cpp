#include "families/classifier/train_objective.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "families/classifier/directory.hpp"
#include "families/label_names.hpp"
#include "families/registry.hpp"
#include "families/tokenizer_files.hpp"
#include "families/train_labels.hpp"
#include "families/train_task.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"

namespace headwater {

static bool is_known(std::int32_t term) { return term != kUnknownTermId; }

static bool is_row_zero(const Parameter& table, Index row) {
  const std::span values(table.value.row(row), static_cast<std::size_t>(table.value.cols));
  return std::all_of(values.begin(), values.end(), [](Real v) { return v == 0; });
}

static ColumnSubset labelled(Subset examples, bool are_pairs) {
  if (are_pairs) return {std::move(examples), {"source", "label", "target"}};
  return {std::move(examples), {"source", "label"}};
}

ClassificationObjective::ClassificationObjective(TextClassifier& model, Subset train, Subset validation,
                                                 double label_smoothing, std::vector<Real> class_weights,
                                                 const Tokenizer* template_of, std::size_t around,
                                                 std::optional<PairTemplate> pair)
    : model_(model),
      train_(labelled(std::move(train), pair.has_value())),
      validation_(labelled(std::move(validation), pair.has_value())),
      label_smoothing_(label_smoothing),
      class_weights_(std::move(class_weights)),
      template_of_(template_of),
      around_(around),
      pair_(pair),
      measure_(model.classes()) {}

std::int64_t ClassificationObjective::tokens(Split split, std::span<const std::uint32_t> chosen) const {
  const ColumnSubset& e = of(split);
  std::size_t sum = 0;
  for (const std::uint32_t i : chosen) {
    const std::size_t first = e.count(0, e.subset.at(i));
    if (!pair_) {
      sum += first + around_;
      continue;
    }
    const std::size_t all = first + e.count(2, e.subset.at(i)) + pair_->around;
    sum += std::min(all, static_cast<std::size_t>(model_.length()));
  }
  return static_cast<std::int64_t>(sum);
}

void ClassificationObjective::prepare(Split split, std::span<const std::uint32_t> chosen,
                                      const BatchPart& part, BatchSlot slot) {
  const ColumnSubset& e = of(split);
  Slot& to = slot_of(slot);
  to.batch.clear();
  to.useful = 0;
  to.loss_scale = 1.0 / static_cast<double>(part.sequences);
  for (Index i = 0; i < part.end(); ++i) {
    const std::int64_t example = e.subset.at(chosen[i]);
    Index second = 0;
    const std::span<const std::int32_t> ids = read(e, example, to, second);
    const Index length = model_.padded_length(static_cast<Index>(ids.size()));
    if (i < part.begin()) {
      to.batch.skip(ids, length);
      continue;
    }
    if (pair_ && model_.segments() == 2) {
      to.batch.add_pair(ids, second, length);
    } else {
      to.batch.add(ids, length);
    }
    to.useful += static_cast<std::int64_t>(ids.size());
    if (model_.reads_bags()) add_values(e.columns->values(e.column[0], example), e.ids(0, example), to);
    to.batch.labels.push_back(e.ids(1, example).front());
  }
  to.batch.finish(part);
}

std::span<const std::int32_t> ClassificationObjective::read(const ColumnSubset& e, std::int64_t example,
                                                            Slot& to, Index& second) const {
  const std::span<const std::int32_t> ids = e.ids(0, example);
  if (skips_unknown_) {
    to.whole.clear();
    std::copy_if(ids.begin(), ids.end(), std::back_inserter(to.whole), is_known);
    return to.whole;
  }
  if (template_of_ == nullptr) return ids;
  if (pair_) {
    second = add_pair_template(*template_of_, *pair_, ids, e.ids(2, example), model_.length(), to.whole);
  } else {
    add_template(*template_of_, around_, ids, model_.length(), to.whole);
  }
  return to.whole;
}

void ClassificationObjective::add_values(std::span<const float> values, std::span<const std::int32_t> ids,
                                         Slot& to) const {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (skips_unknown_ && !is_known(ids[i])) continue;
    to.batch.values.push_back(values.empty() ? 1 : values[i]);  // terms that occur count 1
  }
}

void ClassificationObjective::begin_epoch(std::int64_t) {
  skips_unknown_ = is_unknown_rare_ && is_row_zero(*model_.term_weights(), kUnknownTermId);
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

// --- The row of the registry -------------------------------------------------------------------------------

namespace {

class ClassificationTaskModel : public TaskModel {
 public:
  ClassificationTaskModel(const TextClassifierFamily& family, const Recipe& recipe, const TaskFiles& given)
      : recipe_(recipe),
        family_(family),
        tokenizer_(load_side(given.source_tokenizer, "--tokenizer")),
        labels_as_(given.labels_as) {
    if (given.labels.empty())
      throw UsageError("--labels is missing (the label set; vectorize --learn labels makes one)");
    labels_ = load_label_names(given.labels);
    const bool reads_terms = family.reads_terms(recipe.model);
    model_ = family.make(recipe.model, reads_terms ? recipe.terms.size : recipe.source_tokenizer.size);
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
      if (family.line_form(recipe.model).uses_template)
        around_ = tokens_around(tokenizer_, model_->length(), given.source_tokenizer);
      if (family.reads_pairs(recipe.model))
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
    family_.take_first_weights(recipe_.model, *model_);
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
    const std::filesystem::path from = family_.line_form(recipe_.model).tokenizer_from;
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
  const TextClassifierFamily& family_;
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
  family_of(recipe.model).complete(recipe, load_label_names(given.labels), given.labels);
}

std::unique_ptr<TaskModel> prepare_classification(const Recipe& recipe, const TaskFiles& given) {
  const TextClassifierFamily& family = text_classifier_family(family_of(recipe.model));
  if (!given.target_tokenizer.empty() && !family.reads_pairs(recipe.model))
    throw UsageError("--target-tokenizer is for recipes with model.kind: encoder_decoder");
  return std::make_unique<ClassificationTaskModel>(family, recipe, given);
}

}  // namespace headwater
