#include "pretrained/layouts/sentence_transformers.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "pretrained/config.hpp"
#include "pretrained/layouts/foreign_config.hpp"
#include "pretrained/layouts/layout.hpp"
#include "support/error.hpp"

namespace headwater {

namespace {

constexpr std::uint64_t kMaxModuleBytes = std::uint64_t{1} << 20;

// f() whose errors name the file.
template <class F>
auto named(const std::string& where, const F& f) {
  try {
    return f();
  } catch (const Error& error) {
    throw Error(where + ": " + error.what());
  }
}

// "Pooling" of sentence_transformers.models.Pooling; newer versions have it in another room.
std::string_view module_name(const std::string& type) {
  constexpr std::string_view kLibrary = "sentence_transformers.";
  if (!type.starts_with(kLibrary)) return type;
  return std::string_view(type).substr(type.rfind('.') + 1);
}

bool is_plain_name(std::string_view name) {
  return !name.empty() && name.size() <= 255 && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\\\0", 3)) == name.npos;
}

// What of a module's path may be: of the encoder none, of the pooling a folder.
std::string folder_of(const Json& module) {
  const std::string& path = module.at("path").as_string();
  if (!is_plain_name(path)) refuse_member("path", quote(path), "the name of a folder beside modules.json");
  return path;
}

SentenceModules modules_of(const Json& list) {
  constexpr std::array<std::string_view, 3> kOrder = {"Transformer", "Pooling", "Normalize"};
  const Json::Array& modules = list.as_array();
  if (modules.size() < 2 || modules.size() > kOrder.size())
    throw Error("has " + std::to_string(modules.size()) +
                " modules (read are Transformer and Pooling, and Normalize after them)");
  for (std::size_t i = 0; i < modules.size(); ++i) {
    const std::string& type = modules[i].at("type").as_string();
    if (module_name(type) != kOrder[i])
      throw Error("module " + std::to_string(i) + " is " + quote(type) + ", expected " +
                  std::string(kOrder[i]) + " (read are Transformer and Pooling, and Normalize after them)");
  }
  if (const std::string& path = modules[0].at("path").as_string(); !path.empty())
    refuse_member("path", quote(path), "an encoder in the directory itself");
  return {.pooling_folder = folder_of(modules[1]), .normalizes = modules.size() == kOrder.size()};
}

// As versions from 5.5 on write it.
std::string pooling_of_mode(const std::string& mode) {
  if (mode == "cls") return "first";
  if (mode != "mean" && mode != "max") refuse_member("pooling_mode", quote(mode), "one of cls, mean, max");
  return mode;
}

// As older ones do: a truth for each mode. Where none is true it is the mean.
std::string pooling_of_truths(const Json& config) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kRead = {
      {{"pooling_mode_cls_token", "first"},
       {"pooling_mode_max_tokens", "max"},
       {"pooling_mode_mean_tokens", "mean"}}};
  std::string_view pooling;
  for (const auto& [name, word] : kRead) {
    if (!truth_of(config, name, false)) continue;
    if (!pooling.empty()) throw Error(quote(name) + " is true beside another mode, and one alone is read");
    pooling = word;
  }
  for (const char* name :
       {"pooling_mode_mean_sqrt_len_tokens", "pooling_mode_weightedmean_tokens", "pooling_mode_lasttoken"}) {
    if (truth_of(config, name, false)) refuse_member(name, "true", "false");
  }
  return pooling.empty() ? "mean" : std::string(pooling);
}

std::string pooling_of(const Json& config, std::int64_t width) {
  for (const char* name : {"word_embedding_dimension", "embedding_dimension"}) {
    if (member_said(config, name) == nullptr) continue;
    const std::int64_t said = config.at(name).as_integer();
    if (said != width) refuse_member(name, std::to_string(said), std::to_string(width) + ", the encoder's");
  }
  const Json* const mode = member_said(config, "pooling_mode");
  return mode != nullptr ? pooling_of_mode(mode->as_string()) : pooling_of_truths(config);
}

// Whether the weights have the dense layer of BERT's pretraining.
bool has_pooler(const ModelFolder& folder) {
  if (!folder.has("model.safetensors")) return false;
  const Safetensors weights = folder.weights();
  const std::string name = "pooler.dense.weight";
  return weights.find(name) != nullptr || weights.find(std::string(folder.layout->prefix) + name) != nullptr;
}

}  // namespace

SentenceModules parse_sentence_modules(std::string_view text, const std::string& where) {
  const Json list = Json::parse(text, where);
  return named(where, [&] { return modules_of(list); });
}

std::string parse_sentence_pooling(std::string_view text, const std::string& where, std::int64_t width) {
  const Json config = Json::parse(text, where);
  return named(where, [&] { return pooling_of(config, width); });
}

std::int64_t parse_sentence_length(std::string_view text, const std::string& where) {
  const Json config = Json::parse(text, where);
  return named(where, [&] {
    if (truth_of(config, "do_lower_case", false))
      refuse_member("do_lower_case", "true", "false (what becomes of case is the tokenizer's)");
    if (member_said(config, "max_seq_length") == nullptr) return std::int64_t{0};
    return whole(config, "max_seq_length", 1, 1000000);
  });
}

void check_sentence_prompts(std::string_view text, const std::string& where) {
  const Json config = Json::parse(text, where);
  named(where, [&] {
    const Json* const name = member_said(config, "default_prompt_name");
    if (name == nullptr) return;
    const Json* const prompt = config.at("prompts").find(name->as_string());
    if (prompt == nullptr || !prompt->as_string().empty())
      refuse_member("default_prompt_name", quote(name->as_string()),
                    "null (no prompt is put before a text; write it into the texts)");
  });
}

void read_sentence_modules(const ModelFolder& folder, Json& ours) {
  if (has_pooler(folder)) ours.set("pooler", true);
  if (!folder.has("modules.json")) return;
  const auto read = [&](const std::string& name, const auto& parse) {
    return parse(folder.read(name, kMaxModuleBytes), (folder.path / name).string());
  };
  const SentenceModules modules = read("modules.json", parse_sentence_modules);
  const std::int64_t width = ours.at("width").as_integer();
  const auto pooling = [&](const std::string& text, const std::string& where) {
    return parse_sentence_pooling(text, where, width);
  };
  ours.set("pooling", read(modules.pooling_folder + "/config.json", pooling));
  ours.set("normalize", modules.normalizes);
  if (folder.has("sentence_bert_config.json"))
    ours.set("max_tokens", read("sentence_bert_config.json", parse_sentence_length));
  if (folder.has("config_sentence_transformers.json"))
    read("config_sentence_transformers.json", check_sentence_prompts);
}

std::vector<DirectoryFile> sentence_modules(const TextEmbedderSettings& settings) {
  constexpr const char* kPoolingFolder = "1_Pooling";
  Json::Array modules;
  const auto add = [&](const std::string& type, const std::string& path) {
    const auto number = static_cast<std::int64_t>(modules.size());
    Json module;
    module.set("idx", number).set("name", std::to_string(number)).set("path", path);
    modules.push_back(module.set("type", "sentence_transformers.models." + type));
  };
  add("Transformer", "");
  add("Pooling", kPoolingFolder);
  if (settings.normalize) add("Normalize", "2_Normalize");
  Json pooling;
  pooling.set("word_embedding_dimension", settings.transformer.width)
      .set("pooling_mode_cls_token", settings.pooling == "first")
      .set("pooling_mode_mean_tokens", settings.pooling == "mean")
      .set("pooling_mode_max_tokens", settings.pooling == "max");
  const std::int64_t positions = settings.transformer.length;
  Json length;
  length.set("max_seq_length", settings.max_tokens > 0 ? std::min(settings.max_tokens, positions) : positions)
      .set("do_lower_case", false);
  return {{"modules.json", Json(std::move(modules)).dump(2) + "\n"},
          {std::string(kPoolingFolder) + "/config.json", pooling.dump(2) + "\n"},
          {"sentence_bert_config.json", length.dump(2) + "\n"}};
}

}  // namespace headwater
