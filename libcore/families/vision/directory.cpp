#include "families/vision/directory.hpp"

#include <cmath>

#include "families/config.hpp"
#include "families/label_names.hpp"
#include "families/mixing_rows.hpp"
#include "families/model_directory.hpp"
#include "families/model_rows.hpp"
#include "families/registry.hpp"
#include "families/vision/image_processor.hpp"
#include "metrics/registry.hpp"
#include "support/error.hpp"

namespace headwater {

// --- Its section of a recipe -------------------------------------------------------------------------------

static void image_rows(schema::Visitor& v, ImagePipelineSettings& s) {
  v.field("normalization", &s.normalization,
          {"from -1 to 1: x / 127.5 - 1", "from 0 to 1: x / 255",
           "mean 0 and variance 1 by channel over the training images; the model keeps both"},
          "which numbers the bytes of a pixel become");
  v.field("resizing", &s.resizing,
          {"an error", "resized, without antialiasing",
           "a window of the model's size: anywhere in training, else the middle"},
          "what becomes of images of another height or width than the model's");
  v.field("random_flip", &s.random_flip,
          {"no image", "half of them, left to right", "half of them, upside down", "both, drawn separately"},
          "which training images are mirrored; drawn anew in each epoch, as are the next four keys");
  v.field("random_rotation", &s.random_rotation, schema::Between{0, 1, schema::kNoUnit},
          "training images are turned by up to this share of a full turn, either way");
  v.field("random_zoom_height", &s.random_zoom_height, schema::kShare,
          "the height of training images is scaled by a factor of up to this share above or below 1");
  v.field("random_zoom_width", &s.random_zoom_width, schema::kShare, "the same for the width");
  v.field("random_crop_padding", &s.random_crop_padding, schema::Between{0, 4096, "pixels"},
          "training images get this many pixels on each side, then a window of the model's size is cut out "
          "at a random place");
  v.field("fill_mode", &s.fill_mode,
          {"the image mirrored at its edge, the last pixel twice", "fill_value", "the image again",
           "the pixel at the edge"},
          "what is beyond the edge of an image that was turned, zoomed or padded");
  v.field("fill_value", &s.fill_value, schema::Between{-1000, 1000, schema::kNoUnit},
          "of fill_mode constant: a normalized number");
  v.field("interpolation", &s.interpolation, {"linear between four pixels", "the nearest pixel"},
          "what is between the pixels of an image that was turned or zoomed");
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
  constexpr MixingUse kMixing{.kind = "vision",
                              .allows = [](const MixerKind& mixer) { return mixer.encodes_images; },
                              .noun = "vision model",
                              .what = "what mixes the patches of an image"};
  mixing_rows(v, s.mixing, s.transformer, kMixing);
  block_rows(v, s.transformer,
             {.attention = block_keys(s.mixing, kMixing).attention, .has_embedding_dropout = false});
  v.field("positions", &s.transformer.positions,
          schema::OneOf{{{Positions::learned, "a table of parameters, a row for each place"},
                         {Positions::none, "nothing: the order of patches is not seen"}}},
          "what is added to a patch for its place");
  v.field(
      "class_token_position", &s.class_token_position, schema::Anything{},
      "a learned position is added to the class token, too",
      schema::When{s.has_class_token(), "pooling " + std::string(name_of(s.pooling)), "pooling class_token"});
  v.field("layers", &s.layers, schema::Between{1, 1000, "blocks"},
          "blocks of the encoder, one after the other");
  v.field("final_norm", &s.final_norm, schema::Anything{}, "one more norm after the last block",
          schema::When{s.transformer.is_pre_norm(), "norm post", "norm pre"});
  v.field("has_second_activation", &s.has_second_activation, schema::Anything{},
          "the activation follows the second layer of the feed-forward too");
  v.field("feed_forward_dropout", &s.feed_forward_dropout, schema::kShare,
          "share of the numbers that is set to 0 in training, after each layer of the feed-forward");
  v.field("pooling", &s.pooling,
          {"a separate token before the patches (Dosovitskiy et al. 2021)",
           "the mean of each feature over the patches", "all patches side by side"},
          "what of an image's tokens the head reads");
  v.field("head_widths", &s.head_widths, schema::Between{1, 65536, "units"},
          "widths of the dense layers (GELU) before the last");
  v.field("head_dropout", &s.head_dropout, schema::kShare,
          "share of the numbers that is set to 0 in training, before and after each of them");
  classes_row(v, s.classes);
  initialization_row(v, s.transformer.initialization, Reads::images);
}

static void check_settings(const VisionSettings& s, const Recipe& recipe, const Complain& complain) {
  check_transformer(s.transformer, s.mixing.has_attention(), complain);
  check_mixing(s.mixing, s.transformer, complain);
  if (mixer_kind(s.mixing.mixing).needs_patches_alone && s.has_class_token()) {
    complain({"model", "pooling"}, "a class token is no patch of an image, which a " + s.mixing.mixing +
                                       " goes over (write mean or flatten)");
  }
  check_classes({.head = HeadType::softmax, .classes = s.classes}, recipe, complain);
  if (s.grid().patches() == 0) {
    complain({"model", "patch_size"}, "a patch of " + std::to_string(s.patch_size) +
                                          " pixels is larger than the image (choose a smaller one)");
  }
}

static const ModelKind kVision{
    .name = "vision",
    .article = "a model of kind",
    .meaning = "a vision Transformer that gives images a label (Dosovitskiy et al. 2021)",
    .columns = {},
    .metrics = validation_metric_names({MetricOf::models, MetricOf::classifiers}),
    .family = "classifiers",
    .defaults = SettingsOf<VisionSettings>::defaults};

ModelSection model_section(const VisionSettings& settings) { return model_section(kVision, settings); }

// --- Its images --------------------------------------------------------------------------------------------

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

// --- The directory -----------------------------------------------------------------------------------------

namespace {
constexpr const char* kVisionType = "headwater_vision";
constexpr const char *kImageMean = "image_mean", *kImageStd = "image_std";

// Directories from before these keys have the defaults.
Json with_later_keys(Json config) {
  VisionSettings settings;
  settings.transformer.norm = NormPlacement::pre;  // which final_norm is of
  Json defaults;
  ModelSection section = model_section(settings);
  write_settings(defaults, section.settings());
  for (const char* key : {"normalization", "resizing", "random_flip", "random_rotation", "random_zoom_height",
                          "random_zoom_width", "random_crop_padding", "fill_mode", "fill_value",
                          "interpolation", "mixing", "class_token_position", "final_norm"}) {
    if (config.find(key) == nullptr) config.set(key, defaults.at(key));
  }
  return config;
}

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
  Json config = begin_config("HeadwaterVision", kVisionType);
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

static ModelSection vision_section(Json config) {
  ModelSection section(kVision);
  read_settings(with_later_keys(std::move(config)), section.settings());
  return section;
}

std::unique_ptr<VisionModel> vision_model_of_config(const Json& config, const std::string& where,
                                                    const std::optional<PublishedResize>& resize) {
  try {
    VisionSettings settings = vision_section(config).as<VisionSettings>();
    whole(config, "classes", 2, 100000);  // of a model it is not open
    settings.images.published = resize;
    return std::make_unique<VisionModel>(settings);
  } catch (const Error& error) {
    throw Error(where + ": " + error.what());
  }
}

// What makes an image the numbers that a model in a published layout reads. Throws Error naming the file.
static ImageProcessing published_processing(const ModelFolder& folder, const ImageShape& shape) {
  const std::string where = (folder.path / kProcessorFile).string();
  Json config = Json(Json::Object{});
  if (folder.has(kProcessorFile)) config = Json::parse(folder.read(kProcessorFile, 1 << 20), where);
  try {
    return image_processing_of(config, shape);
  } catch (const Error& error) {
    throw Error(where + ": " + error.what());
  }
}

ImageProcessing image_processing(const ModelFolder& folder) {
  if (folder.layout != nullptr)
    return published_processing(folder, vision_section(folder.config).as<VisionSettings>().image_shape());
  ImageProcessing processing;
  processing.reading = reading_of_config(folder.config, folder.config_path().string());
  return processing;
}

LoadedVisionModel load_vision_model(const std::filesystem::path& path) {
  return load_vision_model(open_model(path));
}

LoadedVisionModel load_vision_model(const ModelFolder& folder) {
  require(folder, Ability::classify);
  const std::string where = folder.config_path().string();
  Json config = folder.config;
  LabelSet labels = labels_of_config(config, where);
  ImageProcessing processing = image_processing(folder);
  if (folder.layout != nullptr)
    config.set("normalization", name_of(processing.normalization))
        .set("resizing", name_of(processing.resizing));
  std::unique_ptr<VisionModel> model = vision_model_of_config(config, where, processing.resize);
  load_weights(folder, model->parameters());
  if (folder.layout == nullptr)
    processing.statistics = statistics_of_config(config, model->settings(), where);
  return {folder.path,      std::move(labels),  std::move(processing.statistics),
          std::move(model), processing.reading, gives_many_labels(config)};
}

ImageDatasetSettings image_settings(const VisionSettings& settings) {
  ImageShape shape = settings.image_shape();
  if (settings.images.takes_other_sizes()) shape.height = shape.width = 0;
  return {.shape = shape, .classes = settings.classes};
}

// --- The row of the registry -------------------------------------------------------------------------------

namespace {
class VisionFamily : public Family {
 public:
  VisionFamily()
      : Family({.model_kind = kVision,
                .task = Task::image_classification,
                .model_type = kVisionType,
                .noun = "a model of images",
                .example = "image",
                .token_axes = {{"head.weight", 1, "config.json"}, {"head.bias", 0, "config.json"}}}) {}
  Offer offer(const ModelSection& model) const override {
    return offer_with_mixing("a model of images", model.as<VisionSettings>().mixing,
                             {Ability::classify, Ability::embed});
  }
  std::vector<std::string> text_files(const Json&) const override { return {}; }
  void complete(Recipe& recipe, const LabelSet& labels, const std::string& where) const override {
    take_classes(recipe.model.as<VisionSettings>().classes, labels, where, LabelsOf::images);
    check_completed(recipe);
  }
  MadeModel model_of(const Recipe& recipe) const override {
    const VisionSettings& settings = recipe.model.as<VisionSettings>();
    auto model = std::make_unique<VisionModel>(settings);
    const std::int64_t classes = model->settings().classes;
    return made(std::move(model), open_classes(settings.classes, classes));
  }
  MadeModel model_of(const Json& config, const std::string& where) const override {
    return made(vision_model_of_config(config, where), "");
  }
  ModelSection section_of_config(Json config) const override { return vision_section(std::move(config)); }

 private:
  static MadeModel made(std::unique_ptr<VisionModel> model, const std::string& open) {
    const VisionSettings& s = model->settings();
    const std::string tokens = s.has_class_token() ? "P: patches, and the class token" : "P: patches";
    const std::string size = std::to_string(s.image_height) + "x" + std::to_string(s.image_width);
    return made_model(std::move(model),
                      tokens + "; FLOPs: a forward pass over an image of " + size + " pixels" + open);
  }
};

}  // namespace

const Family& vision_family() {
  static const VisionFamily family;
  return family;
}

}  // namespace headwater
