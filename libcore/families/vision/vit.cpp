// Vision Transformers, as Hugging Face's transformers keeps them. A weight is [out, in] there, that of the
// patches the one of a convolution.
#include "data/image_shape.hpp"
#include "families/config.hpp"
#include "families/layouts/config_table.hpp"
#include "families/layouts/label_row.hpp"
#include "families/layouts/layout.hpp"
#include "families/registry.hpp"
#include "families/vision/directory.hpp"
#include "families/vision/image_processor.hpp"
#include "support/error.hpp"

namespace headwater {

namespace {

using namespace config_rows;
using namespace tensor_rows;

// A number of pixels for both sides, or [height, width].
std::pair<std::int64_t, std::int64_t> sides_at(const Json& config, std::string_view name) {
  const Json& member = config.at(name);
  if (!member.is_array()) {
    const std::int64_t side = whole(config, name, 1, kMaxImageSide);
    return {side, side};
  }
  const Json::Array& sides = member.as_array();
  if (sides.size() != 2) refuse_member(name, member.dump(), "one number or two");
  Json both;
  both.set("height", sides[0]);
  both.set("width", sides[1]);
  try {
    return {whole(both, "height", 1, kMaxImageSide), whole(both, "width", 1, kMaxImageSide)};
  } catch (const Error& error) {
    throw Error(quote(name) + ": " + error.what());
  }
}

void read_image_size(std::string_view name, const Json& theirs, Json& ours) {
  const auto [height, width] = sides_at(theirs, name);
  ours.set("image_height", height).set("image_width", width);
}
void write_image_size(std::string_view name, const Json& ours, Json& theirs) {
  const Json &height = ours.at("image_height"), &width = ours.at("image_width");
  theirs.set(name, height.dump() == width.dump() ? height : Json(Json::Array{height, width}));
}

void read_patch_size(std::string_view name, const Json& theirs, Json& ours) {
  const auto [height, width] = sides_at(theirs, name);
  if (height != width)
    refuse_member(name, "[" + std::to_string(height) + ", " + std::to_string(width) + "]", "a square");
  ours.set("patch_size", height);
}
void write_patch_size(std::string_view name, const Json& ours, Json& theirs) {
  theirs.set(name, ours.at("patch_size"));
}

constexpr ConfigRow kVitConfig[] = {count("hidden_size", "width", 65536),
                                    count("num_hidden_layers", "layers", 1000),
                                    heads("num_attention_heads", "hidden_size"),
                                    count("intermediate_size", "feed_forward_width", 1000000),
                                    activation("hidden_act", "\"gelu\""),
                                    share("hidden_dropout_prob", "dropout", "0"),
                                    share("attention_probs_dropout_prob", "attention_dropout", "0"),
                                    epsilon("layer_norm_eps", "1e-12"),
                                    fixed("qkv_bias", "true"),
                                    own("image_size", "image_height", read_image_size, write_image_size),
                                    own("patch_size", "patch_size", read_patch_size, write_patch_size),
                                    count("num_channels", "channels", kMaxImageChannels),
                                    problem_type_row(),
                                    label_names_row(),
                                    written("dtype", "\"float32\""),
                                    absent("quantization_config", kWholeNumberWeights)};

constexpr UnsaidKey kVitUnsaid[] = {{"mixing", "attention"},
                                    {"mixing_width", kAnyValue},
                                    {"kernel_size", kAnyValue},
                                    {"norm", "pre"},
                                    {"positions", "learned"},
                                    {"head_width", kWidthByHeads},
                                    {"pooling", "class_token"},
                                    {"class_token_position", "true"},
                                    {"final_norm", "true"},
                                    {"has_second_activation", "false"},
                                    {"head_widths", "[]"},
                                    {"resizing", "none or bilinear", "bilinear"},
                                    // preprocessor_config.json says it, or it is of training alone
                                    {"image_width", kAnyValue},
                                    {"normalization", kAnyValue},
                                    {"initialization", kAnyValue, "normal"},
                                    {"random_flip", kAnyValue},
                                    {"random_rotation", kAnyValue},
                                    {"random_zoom_height", kAnyValue},
                                    {"random_zoom_width", kAnyValue},
                                    {"random_crop_padding", kAnyValue},
                                    {"fill_mode", kAnyValue},
                                    {"fill_value", kAnyValue},
                                    {"interpolation", kAnyValue},
                                    {"feed_forward_dropout", kAnyValue},
                                    {"head_dropout", kAnyValue}};

constexpr TensorRow kVitTensors[] = {
    {.theirs = "vit.embeddings.cls_token", .ours = "embedding.class_token", .form = kTensor, .ones = 2},
    {.theirs = "vit.embeddings.position_embeddings",
     .ours = "embedding.positions",
     .form = kTensor,
     .ones = 1},
    {"vit.embeddings.patch_embeddings.projection.weight", "embedding.patch.weight", kPatches},
    {"vit.embeddings.patch_embeddings.projection.bias", "embedding.patch.bias", kTensor},
    {"vit.encoder.layer.{}.attention.attention.query", "encoder.{}.self_attention.query", kLinear},
    {"vit.encoder.layer.{}.attention.attention.key", "encoder.{}.self_attention.key", kLinear},
    {"vit.encoder.layer.{}.attention.attention.value", "encoder.{}.self_attention.value", kLinear},
    {"vit.encoder.layer.{}.attention.output.dense", "encoder.{}.self_attention.output", kLinear},
    {"vit.encoder.layer.{}.layernorm_before", "encoder.{}.self_attention_norm", kNorm},
    {"vit.encoder.layer.{}.intermediate.dense", "encoder.{}.feed_forward.inner", kLinear},
    {"vit.encoder.layer.{}.output.dense", "encoder.{}.feed_forward.outer", kLinear},
    {"vit.encoder.layer.{}.layernorm_after", "encoder.{}.feed_forward_norm", kNorm},
    {"vit.layernorm", "encoder.norm", kNorm},
    {"classifier", "head", kLinear}};
// Some files hold a layer that the labels are not computed by.
constexpr UnreadTensor kVitUnread[] = {{"vit.pooler.dense.*"}};

ExportParts vit_parts(const ModelFolder& folder, Json&) {
  const auto loaded = std::make_shared<LoadedVisionModel>(load_vision_model(folder));
  const VisionSettings& settings = loaded->model->settings();
  const Json processor = image_processor_of({settings.images.normalization, settings.images.resizing,
                                             loaded->statistics, loaded->reading, settings.images.published},
                                            settings.image_shape());
  ExportParts out{{loaded, &loaded->model->parameters()}, {{kProcessorFile, processor.dump(2) + "\n"}}};
  const Background& background = loaded->reading.background;
  if (!background.drops_transparency)
    out.notes.push_back("other programs do not know the background: lay transparent images on " +
                        background.name() + " before they read them");
  if (folder.layout == nullptr && settings.images.resizing == Resizing::bilinear)
    out.notes.push_back(
        "images of other sizes are resized with antialiasing there: resize them alike before both read them");
  return out;
}

}  // namespace

const Layout& vit_layout() {
  static const Layout layout{.name = "ViT",
                             .model_type = "vit",
                             .architectures = {"ViTForImageClassification"},
                             .family = vision_family,
                             .config = kVitConfig,
                             .unsaid = kVitUnsaid,
                             .prefix = "vit.",
                             .tensors = kVitTensors,
                             .unread = kVitUnread,
                             .parts = vit_parts};
  return layout;
}

}  // namespace headwater
