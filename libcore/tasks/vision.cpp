#include "tasks/vision.hpp"

#include <cmath>

#include "support/error.hpp"
#include "support/hash.hpp"
#include "support/numbers.hpp"
#include "tasks/config.hpp"
#include "tasks/image_processor.hpp"
#include "tasks/label_names.hpp"
#include "tasks/model_directory.hpp"
#include "tasks/model_rows.hpp"
#include "tasks/vit.hpp"

namespace headwater {

// --- Its section of a recipe -------------------------------------------------------------------------------

static void image_rows(schema::Visitor& v, ImagePipelineSettings& s) {
  v.field(
      "normalization", &s.normalization,
      schema::OneOf{{{"symmetric", "from -1 to 1: x / 127.5 - 1"},
                     {"unit", "from 0 to 1: x / 255"},
                     {"standardized",
                      "mean 0 and variance 1 by channel over the training images; the model keeps both"}}},
      "which numbers the bytes of a pixel become");
  v.field("resizing", &s.resizing,
          schema::OneOf{{{"none", "an error"},
                         {"bilinear", "resized, without antialiasing"},
                         {"crop", "a window of the model's size: anywhere in training, else the middle"}}},
          "what becomes of images of another height or width than the model's");
  v.field("random_flip", &s.random_flip,
          schema::OneOf{{{"none", "no image"},
                         {"horizontal", "half of them, left to right"},
                         {"vertical", "half of them, upside down"},
                         {"horizontal_and_vertical", "both, each on its own"}}},
          "which images of training are mirrored, drawn anew in each epoch as what follows");
  v.field("random_rotation", &s.random_rotation, schema::Between{0, 1, schema::kNoUnit},
          "training images are turned by up to this share of a full turn, either way");
  v.field("random_zoom_height", &s.random_zoom_height, schema::kShare,
          "their height is scaled by a factor of up to so much above or below 1");
  v.field("random_zoom_width", &s.random_zoom_width, schema::kShare, "the same of their width");
  v.field("random_crop_padding", &s.random_crop_padding, schema::Between{0, 4096, "pixels"},
          "training images get so much on each side, then a window of the model's size is cut out anywhere");
  v.field("fill_mode", &s.fill_mode,
          schema::OneOf{{{"reflect", "the image mirrored at its edge: d c b a | a b c d"},
                         {"constant", "fill_value"},
                         {"wrap", "the image again"},
                         {"nearest", "the pixel at the edge"}}},
          "what stands beyond the edge of an image that was turned, zoomed or padded");
  v.field("fill_value", &s.fill_value, schema::Between{-1000, 1000, schema::kNoUnit},
          "of fill_mode constant: a normalized number");
  v.field("interpolation", &s.interpolation,
          schema::OneOf{{{"bilinear", "linear between four pixels"}, {"nearest", "the nearest pixel"}}},
          "what stands between the pixels of an image that was turned or zoomed");
}

static void settings_rows(schema::Visitor& v, VisionSettings& s) {
  constexpr schema::Between kSide{1, 8192, "pixels"};
  v.field("image_height", &s.image_height, kSide, "height of the images");
  v.field("image_width", &s.image_width, kSide, "width of the images");
  v.field("channels", &s.channels, schema::Between{1, 16, "numbers"},
          "what a pixel holds: 1 is grey, 3 is colour");
  image_rows(v, s.images);
  v.field("patch_size", &s.patch_size, kSide,
          "side of a patch; a patch is what a token is to a text (Dosovitskiy et al. 2021)");
  v.field("mixing", &s.mixing,
          schema::OneOf{{{"attention", "multi-head self-attention (Vaswani et al. 2017)"},
                         {"averaged_attention",
                          "the mean over heads as wide as the model, of queries and keys that the activation "
                          "follows and without projections of values and result"}}},
          "what mixes the patches of an image");
  block_rows(v, s.transformer);
  v.field("positions", &s.transformer.positions,
          schema::OneOf{{{"learned", "a table of parameters, a row for each place"},
                         {"none", "nothing: the order of patches is not seen"}}},
          "what is added to a patch for its place");
  v.field("layers", &s.layers, schema::Between{1, 1000, "blocks"},
          "blocks of the encoder, one after the other");
  v.field("has_second_activation", &s.has_second_activation, schema::Anything{},
          "the activation follows the second layer of the feed-forward too");
  v.field("feed_forward_dropout", &s.feed_forward_dropout, schema::kShare,
          "share of the numbers that is set to 0 in training, after each layer of the feed-forward");
  v.field("pooling", &s.pooling,
          schema::OneOf{{{"class_token", "a token of its own before the patches (Dosovitskiy et al. 2021)"},
                         {"flatten", "all patches side by side"}}},
          "what of an image's tokens the head reads");
  v.field("head_widths", &s.head_widths, schema::Between{1, 65536, "units"},
          "widths of the dense layers (GELU) before the last");
  v.field("head_dropout", &s.head_dropout, schema::kShare,
          "share of the numbers that is set to 0 in training, before and after each of them");
  classes_row(v, s.classes);
  initialization_row(v, s.transformer.initialization);
}

static void check_settings(const VisionSettings& s, const Recipe& recipe, const Complain& complain) {
  check_transformer(s.transformer, true, complain);
  if (s.mixing == "averaged_attention" && head_width_of(s.transformer) != s.transformer.width) {
    complain({"model", "head_width"}, "averaged_attention has heads as wide as the model (write " +
                                          std::to_string(s.transformer.width) + ")");
  }
  check_classes({.head = "softmax", .classes = s.classes}, recipe, complain);
  if (s.grid().patches() == 0) {
    complain({"model", "patch_size"}, "a patch of " + std::to_string(s.patch_size) +
                                          " pixels is larger than the image (choose a smaller one)");
  }
}

static const ModelKind kVision{
    .name = "vision",
    .meaning = "a vision Transformer that gives images a label (Dosovitskiy et al. 2021)",
    .columns = {},
    .metrics = {"loss", "accuracy", "macro_f1", "roc_auc"},
    .family = "classifiers",
    .defaults = SettingsOf<VisionSettings>::defaults};

ModelSection model_section(const VisionSettings& settings) { return model_section(kVision, settings); }

// --- The objective -----------------------------------------------------------------------------------------

// A sentence about the pixels that are in no patch; empty where all are in one.
static std::string pixels_left_out(const VisionSettings& settings) {
  const std::int64_t rows = settings.image_height % settings.patch_size,
                     columns = settings.image_width % settings.patch_size;
  if (rows == 0 && columns == 0) return {};
  return "model.patch_size is " + std::to_string(settings.patch_size) + ": the last " + counted(rows, "row") +
         " and " + counted(columns, "column") + " of the images, " + std::to_string(settings.image_height) +
         "x" + std::to_string(settings.image_width) + " pixels, are in no patch";
}

ImagePipeline image_pipeline(const VisionSettings& settings, const ChannelStatistics& statistics,
                             const ImageDataset& images, std::string_view where) {
  try {
    return {settings.images, statistics, images.shape(), settings.image_shape()};
  } catch (const Error& error) {
    throw Error(std::string(where) + ": " + error.what());
  }
}

void ImagePacker::add(const ImagePipeline& pipeline, const ImageDataset& images, std::int64_t example,
                      const ImageDraws* draws, ImageBatch& batch) {
  batch.add(pipeline.apply(images.pixels(example), draws, scratch_), settings_.grid());
  batch.labels.push_back(images.label(example));
}

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

std::string VisionObjective::data_hash() const {
  Hasher hasher;
  for (const Subset* e : {&train_, &validation_}) e->add_to(hasher);
  return hasher.digest();
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
  const kernels::CrossEntropyTotals totals =
      model_.loss(context, packed.batch, smoothing, packed.loss_scale, weights);
  // A loss that is not finite ends the run, with a better word than a probability that is none.
  if (split == Split::validation && std::isfinite(totals.loss))
    measure_.add(packed.batch.labels, model_.probabilities(context, packed.batch));
  LossTotals result;
  result.loss = totals.loss;
  result.correct = totals.correct;
  result.predicted = result.sequences = result.positions = totals.tokens;
  result.useful = totals.tokens * model_.settings().grid().patches();
  return result;
}

// --- The directory -----------------------------------------------------------------------------------------

namespace {
constexpr const char* kVisionType = "headwater_vision";
constexpr const char *kImageMean = "image_mean", *kImageStd = "image_std";

// Directories from before images had a pipeline lack its keys: they have the defaults.
Json with_image_keys(Json config) {
  Json defaults;
  ModelSection section = model_section(VisionSettings());
  write_settings(defaults, section.settings());
  for (const char* key :
       {"normalization", "resizing", "random_flip", "random_rotation", "random_zoom_height",
        "random_zoom_width", "random_crop_padding", "fill_mode", "fill_value", "interpolation", "mixing"}) {
    if (config.find(key) == nullptr) config.set(key, defaults.at(key));
  }
  return config;
}

bool is_vit(const Json& config) { return config.at("model_type").as_string() == kVitType; }

std::vector<double> channel_numbers(const Json& config, const char* name, std::int64_t channels) {
  std::vector<double> out;
  for (const Json& number : config.at(name).as_array()) {
    out.push_back(number.as_number());
    if (!(std::abs(out.back()) <= 255)) throw Error(quote(name) + " is not of numbers from -255 to 255");
  }
  if (static_cast<std::int64_t>(out.size()) != channels) {
    throw Error(quote(name) + " has " + std::to_string(out.size()) + " numbers, the images " +
                std::to_string(channels) + " channels");
  }
  return out;
}

ChannelStatistics statistics_of_config(const Json& config, const VisionSettings& settings,
                                       const std::string& where) {
  if (!settings.images.is_standardized()) return {};
  try {
    return {channel_numbers(config, kImageMean, settings.channels),
            channel_numbers(config, kImageStd, settings.channels)};
  } catch (const Error& error) {
    throw Error(where + ": " + error.what());
  }
}

ImageReading reading_of_config(const Json& config, const std::string& where) {
  try {
    return reading_of_members(config);
  } catch (const Error& error) {
    throw Error(where + ": " + error.what());
  }
}
}  // namespace

Json config_of(const VisionModel& model, const LabelSet& labels, const ChannelStatistics& statistics,
               const std::optional<ImageReading>& reading) {
  ModelSection section = model_section(model.settings());
  Json config;
  config.set("architectures", Json::Array{"HeadwaterVision"});
  config.set("model_type", kVisionType);
  write_settings(config, section.settings());
  if (model.settings().images.is_standardized()) {
    config.set(kImageMean, Json::Array(statistics.mean.begin(), statistics.mean.end()));
    config.set(kImageStd, Json::Array(statistics.std.begin(), statistics.std.end()));
  }
  if (reading) write_reading(config, *reading);
  config.set("problem_type", "single_label_classification");
  write_labels(config, labels);
  return config;
}

std::unique_ptr<VisionModel> vision_model_of_config(const Json& config, const std::string& where) {
  try {
    if (is_vit(config)) return std::make_unique<VisionModel>(vit_settings_of(config));
    ModelSection section(kVision);
    read_settings(with_image_keys(config), section.settings());
    whole(config, "classes", 2, 100000);  // of a model it is not open
    return std::make_unique<VisionModel>(section.as<VisionSettings>());
  } catch (const Error& error) {
    throw Error(where + ": " + error.what());
  }
}

VisionFiles load_vision_model(const std::filesystem::path& path) {
  const std::filesystem::path files = model_files(path);
  check_answer(files, Answer::image_label);
  const Json config = read_config(files);
  if (is_vit(config)) return load_vit(files, config);
  const std::string where = (files / "config.json").string();
  std::unique_ptr<VisionModel> model = vision_model_of_config(config, where);
  LabelSet labels = labels_of_config(config, where);
  map_parameters(files / "model.safetensors", model->parameters());
  ChannelStatistics statistics = statistics_of_config(config, model->settings(), where);
  return {files, std::move(labels), std::move(statistics), std::move(model),
          reading_of_config(config, where)};
}

ImageDatasetSettings image_settings(const VisionSettings& settings) {
  ImageShape shape = settings.image_shape();
  if (settings.images.takes_other_sizes()) shape.height = shape.width = 0;
  return {.shape = shape, .classes = settings.classes};
}

// --- Training ----------------------------------------------------------------------------------------------

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

// --- The row of the registry -------------------------------------------------------------------------------

class VisionTask : public Task {
 public:
  const ModelKind& kind() const override { return kVision; }
  Answer answer() const override { return Answer::image_label; }
  std::string_view model_type() const override { return kVisionType; }
  std::string_view foreign_type() const override { return kVitType; }
  std::string_view what_it_is() const override { return "a model of images (use classify)"; }
  std::string_view example() const override { return "image"; }
  std::string_view next_tool() const override { return "classify"; }
  std::vector<std::string> text_files() const override { return {}; }
  std::vector<TokenAxis> token_axes() const override {
    return {{"head.weight", 1, "config.json"}, {"head.bias", 0, "config.json"}};
  }
  std::int64_t max_line_ids(const ModelSection&) const override { return 0; }
  // Reads a recipe's one file of images: read_examples() has a word for more, or none.
  void complete(Recipe& recipe, const TaskFiles& given) const override {
    const VisionSettings& settings = recipe.model.as<VisionSettings>();
    if (settings.classes != 0 || given.data.size() != 1 || given.data.front() == "-") return;
    ImageDataset images(image_settings(settings));
    images.add_file(given.data.front());
    complete(recipe, labels_of(images, given.data.front()), given.data.front());
  }
  void complete(Recipe& recipe, const LabelSet& labels, const std::string& where) const override {
    take_classes(recipe.model.as<VisionSettings>().classes, labels, where);
    check_completed(recipe);
  }
  std::unique_ptr<TaskModel> prepare(const Recipe& recipe, const TaskFiles& given) const override {
    if (!given.source_tokenizer.empty() || !given.target_tokenizer.empty() || !given.labels.empty() ||
        !given.terms.empty()) {
      throw UsageError("tokenizers, --labels and --terms are for texts (images have their labels with them)");
    }
    return std::make_unique<VisionTaskModel>(recipe);
  }
  ModelDescription describe(const Recipe& recipe) const override {
    const VisionSettings& settings = recipe.model.as<VisionSettings>();
    const VisionModel model(settings);
    ModelDescription description = description_of(model);
    description.legend += open_classes(settings.classes, model.settings().classes);
    return description;
  }
  ModelDescription describe(const Json& config, const std::string& where) const override {
    return description_of(*vision_model_of_config(config, where));
  }
  void check_weights(const Json& config, const std::filesystem::path& files) const override {
    const auto model = vision_model_of_config(config, (files / "config.json").string());
    if (is_vit(config)) return read_vit_parameters(weights_of(files), *model);
    map_parameters(weights_of(files), model->parameters());
  }
  std::string_view layout() const override { return "ViT's"; }
  std::string unsayable(const ModelSection& model) const override {
    return unsayable_in_vit(model.as<VisionSettings>());
  }
  std::unique_ptr<AttentionTracer> tracer(const std::filesystem::path& files) const override {
    throw Error(files.string() + ": holds a model of images, whose tokens are no words");
  }

 private:
  static ModelDescription description_of(const VisionModel& model) {
    const VisionSettings& s = model.settings();
    return {model.summary(), "P: patches, and the class token; FLOPs: a forward pass over an image of " +
                                 std::to_string(s.image_height) + "x" + std::to_string(s.image_width) +
                                 " pixels"};
  }
};

}  // namespace

const Task& vision_task() {
  static const VisionTask task;
  return task;
}

}  // namespace headwater
