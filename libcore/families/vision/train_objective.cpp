#include "families/vision/train_objective.hpp"

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/image_dataset.hpp"
#include "families/label_names.hpp"
#include "families/registry.hpp"
#include "families/train_labels.hpp"
#include "families/train_task.hpp"
#include "families/vision/directory.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"

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
    const std::int64_t example = e.at(chosen[i]);
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

// --- The row of the registry -------------------------------------------------------------------------------

// A sentence about the pixels that are in no patch; empty where all are in one.
static std::string pixels_left_out(const VisionSettings& settings) {
  const std::int64_t rows = settings.image_height % settings.patch_size,
                     columns = settings.image_width % settings.patch_size;
  if (rows == 0 && columns == 0) return {};
  return "model.patch_size is " + std::to_string(settings.patch_size) + ": the last " + counted(rows, "row") +
         " and " + counted(columns, "column") + " of the images, " + std::to_string(settings.image_height) +
         "x" + std::to_string(settings.image_width) + " pixels, are in no patch";
}

namespace {

class VisionTaskModel : public TaskModel {
 public:
  explicit VisionTaskModel(const Recipe& recipe)
      : recipe_(recipe), model_(recipe.model.as<VisionSettings>()) {}
  Parameters& parameters() override { return model_.parameters(); }
  std::unique_ptr<Dataset> new_dataset() const override {
    return std::make_unique<ImageDataset>(image_settings(model_.settings()));
  }
  std::unique_ptr<Objective> objective(Subset train, Subset validation) override {
    const auto& images = static_cast<const ImageDataset&>(*train.dataset);
    labels_ = labels_of(images, "the images' labels");
    const auto* const checked = static_cast<const ImageDataset*>(validation.dataset);
    if (checked->label_names() != images.label_names())
      throw Error(
          "validation: images with other labels than those of training (make both by vectorize --images with "
          "the same --labels FILE)");
    if (images.reading()) reading_ = images.reading()->reading;
    checked->check_reading(reading_.value_or(ImageReading()), "validation", "those of training");
    check_both_labels(recipe_, *labels_, validation.count(), [&](std::size_t i) {
      return checked->label(validation.at(static_cast<std::uint32_t>(i)));
    });
    const auto label = [&](std::size_t i) { return images.label(train.at(static_cast<std::uint32_t>(i))); };
    notes_ = unlearned_labels(*labels_, train.count(), label);
    std::vector<Real> weights = class_weights(recipe_, *labels_, train.count(), label);
    if (model_.settings().images.is_standardized()) statistics_ = channel_statistics(train);
    return std::make_unique<VisionObjective>(
        model_, std::move(train), std::move(validation), recipe_.training.label_smoothing, std::move(weights),
        ImagePreparation{.seed = recipe_.seed, .statistics = statistics_});
  }
  std::vector<DirectoryFile> files() const override {
    return {{"config.json", config_of(model_, *labels_, statistics_, reading_).dump(2) + "\n",
             "set of labels", "id2label"}};
  }
  std::vector<std::string> notes() const override {
    std::vector<std::string> notes = notes_;
    if (std::string text = pixels_left_out(model_.settings()); !text.empty())
      notes.push_back(std::move(text));
    return notes;
  }

 private:
  const Recipe& recipe_;
  VisionModel model_;
  std::optional<LabelSet> labels_;  // of the training images
  ChannelStatistics statistics_;    // of these too, where they are asked for
  std::optional<ImageReading> reading_;
  std::vector<std::string> notes_;
};

}  // namespace

// Reads a recipe's one file of images: read_examples() has a word for more, or none.
void complete_image_classification(Recipe& recipe, const TaskFiles& given) {
  const VisionSettings& settings = recipe.model.as<VisionSettings>();
  if (settings.classes != 0 || given.data.size() != 1 || given.data.front() == "-") return;
  ImageDataset images(image_settings(settings));
  images.add_file(given.data.front());
  family_of(recipe.model).complete(recipe, labels_of(images, given.data.front()), given.data.front());
}

std::unique_ptr<TaskModel> prepare_image_classification(const Recipe& recipe, const TaskFiles& given) {
  if (!given.source_tokenizer.empty() || !given.target_tokenizer.empty() || !given.labels.empty() ||
      !given.terms.empty()) {
    throw UsageError("tokenizers, --labels and --terms are for texts (images have their labels with them)");
  }
  return std::make_unique<VisionTaskModel>(recipe);
}

}  // namespace headwater
