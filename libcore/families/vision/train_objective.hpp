// Learning to give images a label.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/image_pipeline.hpp"
#include "families/train_labels.hpp"
#include "families/vision/directory.hpp"
#include "families/vision/model.hpp"
#include "training/objective.hpp"

namespace headwater {

// What training images are drawn from, and what they are standardized by.
struct ImagePreparation {
  std::uint64_t seed = 0;
  ChannelStatistics statistics;
};

class VisionObjective : public Objective {
 public:
  // Takes ImageDatasets.
  // `class_weights` as of ClassificationObjective.
  VisionObjective(VisionModel& model, Subset train, Subset validation, double label_smoothing,
                  std::vector<Real> class_weights = {}, const ImagePreparation& preparation = {});

  Parameters& parameters() override { return model_.parameters(); }
  std::int64_t width() const override { return model_.settings().transformer.width; }
  std::size_t examples(Split split) const override { return of(split).count(); }
  std::int64_t tokens(Split split, std::span<const std::uint32_t> chosen) const override;
  std::string data_hash() const override { return hash_of(train_, validation_); }
  void begin_epoch(std::int64_t epoch) override { epoch_ = epoch; }
  void prepare(Split split, std::span<const std::uint32_t> chosen, const BatchPart& part,
               BatchSlot slot) override;
  LossTotals loss(const ForwardContext& context, Split split, BatchSlot slot) override;
  std::span<const Metric* const> metrics() const override { return measure_.metrics(); }
  void begin_validation() override { measure_.clear(); }
  void finish_validation(ValidationFigures& figures) override { measure_.finish(figures); }

 private:
  const Subset& of(Split split) const { return split == Split::train ? train_ : validation_; }
  struct Slot {
    explicit Slot(const VisionSettings& settings) : packer(settings) {}
    ImagePacker packer;
    ImageBatch batch;
    double loss_scale = 0;  // one over the global batch's images: the loss is their mean
  };
  Slot& slot_of(BatchSlot slot) { return slots_[slot == BatchSlot::first ? 0 : 1]; }

  VisionModel& model_;
  Subset train_, validation_;
  double label_smoothing_;
  std::vector<Real> class_weights_;
  std::uint64_t seed_;
  std::int64_t epoch_ = 0;
  std::optional<ImagePipeline> train_pipeline_, validation_pipeline_;  // none: no images
  LabelMeasure measure_;                                               // of the running validation
  Slot slots_[2];  // reused: a step after the largest allocates nothing
};

}  // namespace headwater
