// Learning to give texts, or bags of their terms, one label each.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/token_dataset.hpp"
#include "families/classifier/model.hpp"
#include "families/linear_classifier/model.hpp"
#include "families/source_ids.hpp"
#include "families/text_encoder/model.hpp"
#include "families/train_labels.hpp"
#include "text/tokenizer/tokenizer.hpp"
#include "training/objective.hpp"

namespace headwater {

class ClassificationObjective : public Objective {
 public:
  // Takes data sets with the columns "source" (a bag for a bag of words) and "label", of pairs of texts also
  // "target". `template_of` puts `around` special tokens around each text, or those of `pair` around each
  // pair; null: texts are read as they are. `class_weights`, one a class: how often an example of training
  // counts; none: once.
  ClassificationObjective(TextClassifier& model, Subset train, Subset validation, double label_smoothing,
                          std::vector<Real> class_weights = {}, const Tokenizer* template_of = nullptr,
                          std::size_t around = 0, std::optional<PairTemplate> pair = {});

  // Too few bags of training have [UNK]: where its weights are zero, as of a model that begins here, they
  // stay so.
  void leave_out_unknown() { is_unknown_rare_ = true; }

  Parameters& parameters() override { return model_.parameters(); }
  std::int64_t width() const override { return model_.width(); }
  std::size_t examples(Split split) const override { return of(split).subset.count(); }
  std::int64_t tokens(Split split, std::span<const std::uint32_t> chosen) const override;
  std::string data_hash() const override { return hash_of(train_.subset, validation_.subset); }
  void begin_epoch(std::int64_t epoch) override;
  void prepare(Split split, std::span<const std::uint32_t> chosen, const BatchPart& part,
               BatchSlot slot) override;
  // The gradient of the mean over the sequences. Useful tokens are those of the texts: padding does not
  // count.
  LossTotals loss(const ForwardContext& context, Split split, BatchSlot slot) override;
  std::span<const Metric* const> metrics() const override { return measure_.metrics(); }
  void begin_validation() override { measure_.clear(); }
  void finish_validation(ValidationFigures& figures) override { measure_.finish(figures); }

 protected:
  TextClassifier& model() { return model_; }
  // How often an example of each class counts; none: once.
  std::span<const Real> class_weights() const { return class_weights_; }
  // What prepare() has packed.
  const ClassBatch& batch(BatchSlot slot) { return slot_of(slot).batch; }

 private:
  const ColumnSubset& of(Split split) const { return split == Split::train ? train_ : validation_; }
  struct Slot {
    ClassBatch batch;
    std::vector<std::int32_t> whole;  // a text or a pair with its special tokens; a bag without [UNK]
    std::int64_t useful = 0;
    double loss_scale = 0;  // one over the global batch's sequences: the loss is their mean
  };
  // The ids that the model reads of an example, with special tokens, or of a bag without [UNK] where that is
  // left out, valid until the next call; and, of a pair, where its second text begins.
  std::span<const std::int32_t> read(const ColumnSubset& e, std::int64_t example, Slot& to,
                                     Index& second) const;
  // What each of a bag's ids counts.
  void add_values(std::span<const float> values, std::span<const std::int32_t> ids, Slot& to) const;
  Slot& slot_of(BatchSlot slot) { return slots_[slot == BatchSlot::first ? 0 : 1]; }

  TextClassifier& model_;
  ColumnSubset train_, validation_;
  double label_smoothing_;
  std::vector<Real> class_weights_;
  const Tokenizer* template_of_;
  std::size_t around_;
  std::optional<PairTemplate> pair_;
  bool is_unknown_rare_ = false, skips_unknown_ = false;  // [UNK] of bags
  LabelMeasure measure_;                                  // of the running validation
  Slot slots_[2];  // reused: a step after the largest allocates nothing
};

// Fits a linear classifier to all training examples at once.
class LinearObjective : public ClassificationObjective {
 public:
  // As of ClassificationObjective. `model` is what that objective is given.
  template <class... Arguments>
  explicit LinearObjective(LinearClassifier& model, Arguments&&... arguments)
      : ClassificationObjective(model, std::forward<Arguments>(arguments)...), linear_(model) {}

  bool is_solved() const override { return true; }
  LossTotals solve() override;

 private:
  LinearClassifier& linear_;
};

}  // namespace headwater
