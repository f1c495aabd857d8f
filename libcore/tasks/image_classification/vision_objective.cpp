#include "tasks/image_classification/vision_objective.hpp"

#include <cmath>
#include <utility>

#include "data/image_dataset.hpp"

namespace headwater {

static std::optional<ImagePipeline> pipeline_of(const Subset& subset, const VisionSettings& settings,
                                                const ChannelStatistics& statistics, std::string_view where) {
  if (subset.dataset == nullptr) return std::nullopt;
  return image_pipeline(settings, statistics, static_cast<const ImageDataset&>(*subset.dataset), where);
}

VisionObjective::VisionObjective(VisionModel& model, Subset train, Subset validation, double label_smoothing,
                                 std::vector<Real> class_weights, const ImagePreparation& preparation)
    : model_(model),
      train_(std::move(train)),
      validation_(std::move(validation)),
      label_smoothing_(label_smoothing),
      class_weights_(std::move(class_weights)),
      seed_(preparation.seed),
      train_pipeline_(pipeline_of(train_, model.settings(), preparation.statistics, "the training images")),
      validation_pipeline_(
          pipeline_of(validation_, model.settings(), preparation.statistics, "the validation images")),
      measure_(model.settings().classes),
      slots_{Slot(model.settings()), Slot(model.settings())} {}

// All images are of one size: so many patches each.
std::int64_t VisionObjective::tokens(Split, std::span<const std::uint32_t> chosen) const {
  return static_cast<std::int64_t>(chosen.size()) * model_.settings().grid().patches();
}

void VisionObjective::prepare(Split split, std::span<const std::uint32_t> chosen, const BatchPart& part,
                              BatchSlot slot) {
  const Subset& e = of(split);
  const auto& images = static_cast<const ImageDataset&>(*e.dataset);
  Slot& to = slot_of(slot);
  to.batch.clear();
  to.loss_scale = 1.0 / static_cast<double>(part.sequences);
  const ImagePipeline& pipeline = split == Split::train ? *train_pipeline_ : *validation_pipeline_;
  const bool is_random = split == Split::train && model_.settings().images.is_random();
  for (Index i = part.begin(); i < part.end(); ++i) {
    const std::int64_t example = e.at(chosen[static_cast<std::size_t>(i)]);
    const ImageDraws draws = is_random ? image_draws(seed_, epoch_, example) : ImageDraws();
    to.packer.add(pipeline, images, example, is_random ? &draws : nullptr, to.batch);
  }
  to.packer.finish(to.batch, part);
}

LossTotals VisionObjective::loss(const ForwardContext& context, Split split, BatchSlot slot) {
  const Slot& packed = slot_of(slot);
  const double smoothing = split == Split::train ? label_smoothing_ : 0;
  const std::span<const Real> weights = split == Split::train ? class_weights_ : std::span<const Real>();
  const Variable features = model_.features(context, packed.batch);
  const kernels::CrossEntropyTotals totals =
      model_.loss(context, features, packed.batch.labels, smoothing, packed.loss_scale, weights);
  // A loss that is not finite ends the run, with a better word than a probability that is none.
  if (split == Split::validation && std::isfinite(totals.loss))
    measure_.add(packed.batch.labels, model_.probabilities(context, features));
  LossTotals result;
  result.loss = totals.loss;
  result.correct = totals.correct;
  result.predicted = result.sequences = result.positions = totals.tokens;
  result.useful = totals.tokens * model_.settings().grid().patches();
  return result;
}

}  // namespace headwater
