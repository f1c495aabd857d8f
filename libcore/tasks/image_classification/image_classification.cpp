#include "tasks/image_classification/image_classification.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/image_dataset.hpp"
#include "families/label_names.hpp"
#include "families/registry.hpp"
#include "families/train_labels.hpp"
#include "families/vision_model.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "tasks/image_classification/vision_objective.hpp"

namespace headwater {

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
  kind_of(recipe.model).complete(recipe, labels_of(images, given.data.front()), given.data.front());
}

std::unique_ptr<TaskModel> prepare_image_classification(const Recipe& recipe, const TaskFiles& given) {
  if (!given.source_tokenizer.empty() || !given.target_tokenizer.empty() || !given.labels.empty() ||
      !given.terms.empty()) {
    throw UsageError("tokenizers, --labels and --terms are for texts (images have their labels with them)");
  }
  return std::make_unique<VisionTaskModel>(recipe);
}

}  // namespace headwater
