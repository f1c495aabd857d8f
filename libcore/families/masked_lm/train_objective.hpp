// Learning to tell hidden tokens of texts; of pairs of sentences, too, whether the second follows the first.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "families/masked_lm/masking.hpp"
#include "families/masked_lm/model.hpp"
#include "families/masked_lm/train_texts.hpp"
#include "training/objective.hpp"

namespace headwater {

class MaskedLmObjective : public Objective {
 public:
  // The texts of both splits are of one kind. `seed`: of what is hidden.
  MaskedLmObjective(MaskedLanguageModel& model, std::unique_ptr<MaskedTexts> train,
                    std::unique_ptr<MaskedTexts> validation, Masking masking, std::uint64_t seed);

  Parameters& parameters() override { return model_.parameters(); }
  std::int64_t width() const override { return model_.width(); }
  std::size_t examples(Split split) const override { return of(split).count(); }
  std::int64_t tokens(Split split, std::span<const std::uint32_t> chosen) const override;
  std::string data_hash() const override;
  void begin_epoch(std::int64_t epoch) override { epoch_ = epoch; }
  // Training texts are hidden anew in each epoch, validation texts always in the same way.
  void prepare(Split split, std::span<const std::uint32_t> chosen, const BatchPart& part,
               BatchSlot slot) override;
  LossTotals loss(const ForwardContext& context, Split split, BatchSlot slot) override;
  std::span<const Loss> losses() const override {
    return losses_.size() > 1 ? std::span<const Loss>(losses_) : std::span<const Loss>();
  }

 private:
  struct Slot {
    MaskedBatch batch;
    MaskedLmScales scales;  // each one over its predictions in the global batch
    PairedText text;
    MaskedText masked;
  };
  const MaskedTexts& of(Split split) const { return *(split == Split::train ? train_ : validation_); }
  Slot& slot_of(BatchSlot slot) { return slots_[slot == BatchSlot::first ? 0 : 1]; }
  // Room for the most that these texts may have.
  void reserve(Slot& to, Split split, std::span<const std::uint32_t> chosen) const;
  void add(Slot& to) const;

  MaskedLanguageModel& model_;
  std::unique_ptr<MaskedTexts> train_, validation_;
  Masking masking_;
  std::uint64_t seed_;
  std::int64_t epoch_ = 0;
  std::vector<Loss> losses_;
  Slot slots_[2];  // reused: a step after the largest allocates nothing
};

}  // namespace headwater
