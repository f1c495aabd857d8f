// A directory in ViT's layout, read whole; its config.json.
#include "pretrained/layouts/vit.hpp"

#include <map>
#include <set>
#include <tuple>

#include "pretrained/config.hpp"
#include "pretrained/image_processor.hpp"
#include "pretrained/label_names.hpp"
#include "pretrained/layouts/foreign_config.hpp"
#include "pretrained/model_directory.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

namespace headwater {

namespace {

constexpr const char* kProcessorFile = "preprocessor_config.json";
constexpr std::int64_t kMaxClasses = 100000;

// What read() returns; what it throws gets the place.
template <class Read>
auto placed(const std::string& where, const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    throw Error(where + ": " + error.what());
  }
}

// Members that change what is computed, where they are not as always.
void check_vit_members(const Json& config) {
  if (!truth_of(config, "qkv_bias", true)) refuse_member("qkv_bias", "false", "true");
  if (member_said(config, "quantization_config") != nullptr)
    throw Error("\"quantization_config\": weights of whole numbers are not read");
}

// A number of pixels for both sides, or [height, width].
std::pair<std::int64_t, std::int64_t> sides_at(const Json& config, const char* name) {
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

std::map<std::int64_t, std::string> names_of(const Json& config) {
  const Json* const member = member_said(config, "id2label");
  if (member == nullptr) return {{0, "LABEL_0"}, {1, "LABEL_1"}};  // as that library has it
  std::map<std::int64_t, std::string> names;
  const Json::Object& labels = member->as_object();
  for (const auto& [id, name] : labels) {
    const bool is_number = !id.empty() && id.size() < 10 && id.find_first_not_of("0123456789") == id.npos &&
                           (id.size() == 1 || id.front() != '0');
    if (!is_number) throw Error("\"id2label\" has " + quote(id) + " where an id is expected");
    names[std::stoll(id)] = name.as_string();
  }
  const auto classes = static_cast<std::int64_t>(names.size());
  if (classes < 2 || classes > kMaxClasses || names.rbegin()->first != classes - 1) {
    throw Error("\"id2label\" has " + std::to_string(classes) +
                " names, expected those of 0, 1 and so on (at least 2)");
  }
  return names;
}

// Throws Error naming the file.
ImageProcessing read_image_processor(const ModelFolder& folder, const ImageShape& shape) {
  const std::string where = (folder.path / kProcessorFile).string();
  Json config = Json(Json::Object{});
  if (folder.has(kProcessorFile)) config = Json::parse(folder.read(kProcessorFile, 1 << 20), where);
  return placed(where, [&] { return image_processing_of(config, shape); });
}

}  // namespace

std::string unsayable_in_vit(const VisionSettings& settings) {
  const TransformerSettings& t = settings.transformer;
  UnsayableKeys keys("ViT");
  keys.expect("mixing", settings.mixing, "attention");
  keys.expect("norm", t.norm, "pre");
  keys.expect("positions", t.positions, "learned");
  if (head_width_of(t) * t.heads != t.width)
    keys.add("head_width", std::to_string(head_width_of(t)), "width / heads");
  keys.expect("pooling", settings.pooling, "class_token");
  keys.expect("has_second_activation", settings.has_second_activation, false);
  keys.expect("head_widths", shape_text(settings.head_widths), "[]");
  if (settings.images.resizing == "crop") keys.add("resizing", "crop", "none or bilinear");
  return keys.text();
}

VisionSettings vit_settings_of(const Json& config) {
  check_vit_members(config);
  VisionSettings settings;
  TransformerSettings& t = settings.transformer;
  t.width = whole(config, "hidden_size", 1, 65536);
  t.heads = whole(config, "num_attention_heads", 1, 1024);
  if (t.width % t.heads != 0)
    refuse_member("num_attention_heads", std::to_string(t.heads),
                  "a divisor of hidden_size " + std::to_string(t.width));
  t.feed_forward_width = whole(config, "intermediate_size", 1, 1000000);
  t.norm = "pre";
  t.norm_epsilon = epsilon_of(config, "layer_norm_eps", 1e-12);
  const Json* const activation = member_said(config, "hidden_act");
  t.activation = activation != nullptr ? activation_of_member(*activation, "hidden_act") : "gelu";
  t.positions = "learned";
  t.dropout = share_of(config, "hidden_dropout_prob", 0);
  t.attention_dropout = share_of(config, "attention_probs_dropout_prob", 0);
  t.initialization = "normal";
  settings.layers = whole(config, "num_hidden_layers", 1, 1000);
  std::tie(settings.image_height, settings.image_width) = sides_at(config, "image_size");
  const auto [height, width] = sides_at(config, "patch_size");
  if (height != width)
    refuse_member("patch_size", "[" + std::to_string(height) + ", " + std::to_string(width) + "]",
                  "a square");
  settings.patch_size = height;
  settings.channels = whole(config, "num_channels", 1, kMaxImageChannels);
  settings.images.resizing = "bilinear";
  settings.pooling = "class_token";
  settings.classes = static_cast<std::int64_t>(names_of(config).size());
  return settings;
}

LabelSet vit_labels_of(const Json& config, const std::string& where) {
  std::set<std::string> seen;
  Json names = Json(Json::Object{});
  for (const auto& [id, name] : placed(where, [&] { return names_of(config); })) {
    std::string label = name;
    if (seen.contains(label)) label.append(" (").append(std::to_string(id)).append(")");
    names.as_object().emplace_back(std::to_string(id), label);
    seen.insert(std::move(label));
  }
  Json labels;
  labels.set("classes", static_cast<std::int64_t>(names.as_object().size()));
  labels.set("id2label", std::move(names));
  return labels_of_config(labels, where);
}

Json vit_config_of(const VisionModel& model, const LabelSet& labels) {
  const VisionSettings& settings = model.settings();
  if (const std::string text = unsayable_in_vit(settings); !text.empty()) throw Error(text);
  const TransformerSettings& t = settings.transformer;
  Json config;
  config.set("architectures", Json::Array{"ViTForImageClassification"});
  config.set("model_type", kVitType);
  config.set("hidden_size", t.width);
  config.set("num_hidden_layers", settings.layers);
  config.set("num_attention_heads", t.heads);
  config.set("intermediate_size", feed_forward_width_of(t));
  config.set("hidden_act", member_of_activation(t.activation));
  config.set("hidden_dropout_prob", t.dropout);
  config.set("attention_probs_dropout_prob", t.attention_dropout);
  config.set("layer_norm_eps", t.norm_epsilon);
  config.set("qkv_bias", true);
  if (settings.image_height == settings.image_width) {
    config.set("image_size", settings.image_height);
  } else {
    config.set("image_size", Json::Array{settings.image_height, settings.image_width});
  }
  config.set("patch_size", settings.patch_size);
  config.set("num_channels", settings.channels);
  config.set("problem_type", "single_label_classification");
  write_labels(config, labels);
  config.set("dtype", "float32");
  return config;
}

LoadedVisionModel load_vit(const ModelFolder& folder) {
  const Json& config = folder.config;
  const std::string where = folder.config_path().string();
  VisionSettings settings = placed(where, [&] { return vit_settings_of(config); });
  LabelSet labels = vit_labels_of(config, where);
  ImageProcessing processing = read_image_processor(folder, settings.image_shape());
  settings.images.normalization = processing.normalization;
  settings.images.resizing = processing.resizing;
  auto model = placed(where, [&] { return std::make_unique<VisionModel>(settings); });
  read_vit_parameters(folder.weights(), *model);
  return {folder.path, std::move(labels), std::move(processing.statistics), std::move(model),
          processing.reading};
}

std::vector<DirectoryFile> vit_files(const LoadedVisionModel& model) {
  const VisionSettings& settings = model.model->settings();
  const Json config = vit_config_of(*model.model, model.labels);
  const Json processor = image_processor_of(
      {settings.images.normalization, settings.images.resizing, model.statistics, model.reading},
      settings.image_shape());
  return {{"config.json", config.dump(2) + "\n"}, {kProcessorFile, processor.dump(2) + "\n"}};
}

}  // namespace headwater
