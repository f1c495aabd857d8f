// Training a classifier on id lines or bags of words with one label each.
#pragma once

#include "models/class_scores.hpp"
#include "models/text_classifier.hpp"
#include "training/chosen_examples.hpp"
#include "training/objective.hpp"

namespace headwater {

class ClassificationObjective : public Objective {
 public:
  using Examples = ChosenExamples;  // columns "source" (a bag for a bag_of_words) and "label"
  ClassificationObjective(TextClassifier& model, Examples train, Examples validation, double label_smoothing);

  Parameters& parameters() override { return model_.parameters(); }
  std::int64_t width() const override { return model_.settings().width; }
  std::size_t examples(Split split) const override { return of(split).count(); }
  std::int64_t tokens(Split split, std::span<const std::uint32_t> chosen) const override;
  std::string data_hash() const override;
  void prepare(Split split, std::span<const std::uint32_t> chosen, const BatchPart& part,
               BatchSlot slot) override;
  // Of the mean over the sequences. Useful tokens are those of the texts: padding that a model keeps does not
  // count.
  LossTotals loss(const ForwardContext& context, Split split, BatchSlot slot) override;
  void begin_validation() override { measure_.clear(); }
  void finish_validation(ValidationFigures& figures) override;

 private:
  void measure(const ForwardContext& context, const Variable& features, const ClassBatch& batch);
  const Examples& of(Split split) const { return split == Split::train ? train_ : validation_; }
  struct Slot {
    ClassBatch batch;
    std::int64_t useful = 0;
    double loss_scale = 0;  // one over the global batch's sequences: the loss is their mean
  };
  static void add_values(std::span<const float> values, std::span<const std::int32_t> ids, Slot& to);
  Slot& slot_of(BatchSlot slot) { return slots_[slot == BatchSlot::first ? 0 : 1]; }

  TextClassifier& model_;
  Examples train_, validation_;
  double label_smoothing_;
  ClassMeasure measure_;  // of the running validation
  Slot slots_[2];         // reused: a step after the largest allocates nothing
};

}  // namespace headwater
