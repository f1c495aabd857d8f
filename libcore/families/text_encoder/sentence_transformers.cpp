#include "families/text_encoder/sentence_transformers.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "families/config.hpp"
#include "families/layouts/config_table.hpp"
#include "families/layouts/layout.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "text/formats/member_table.hpp"
#include "text/formats/tokenizer_folder.hpp"

namespace headwater {

namespace {

constexpr std::uint64_t kMaxModuleBytes = std::uint64_t{1} << 20;
constexpr std::int64_t kMostTextTokens = 1000000;

// The encoder's file, which has other names, too; those in the folders of pooling and normalization.
constexpr std::string_view kEncoderFile = "sentence_bert_config.json",
                           kPromptsFile = "config_sentence_transformers.json",
                           kPoolingFile = "1_Pooling/config.json", kNormalizeFile = "2_Normalize/config.json";
using RowUse = MemberRow::Use;
constexpr std::string_view kUseLibrary = "make these vectors with sentence-transformers";
constexpr MemberRow kSentenceRows[] = {
    {kEncoderFile, "max_seq_length", RowUse::read},
    {kEncoderFile, "processing_kwargs", RowUse::read},
    {kEncoderFile, "do_lower_case", RowUse::only, "false", "what becomes of case is the tokenizer's"},
    {kEncoderFile, "transformer_task", RowUse::only, "\"feature-extraction\"", kUseLibrary},
    {kEncoderFile, "module_output_name", RowUse::only, "\"token_embeddings\"", kUseLibrary},
    {kEncoderFile, "modality_config", RowUse::only,
     R"({"text":{"method":"forward","method_output_name":"last_hidden_state"}})", kUseLibrary},
    {kEncoderFile, "tokenizer_name_or_path", RowUse::only, "\"\"", "the directory's own tokenizer is read"},
    {kEncoderFile, "model_args", RowUse::read},
    {kEncoderFile, "model_kwargs", RowUse::read},
    {kEncoderFile, "tokenizer_args", RowUse::read},
    {kEncoderFile, "processor_kwargs", RowUse::read},
    {kEncoderFile, "config_args", RowUse::read},
    {kEncoderFile, "config_kwargs", RowUse::read},
    {kEncoderFile, "backend", RowUse::unused},
    {kEncoderFile, "cache_dir", RowUse::unused},
    {kEncoderFile, "unpad_inputs", RowUse::unused},
    {kEncoderFile, "query_length", RowUse::unused},
    {kEncoderFile, "document_length", RowUse::unused},
    {kEncoderFile, "query_expansion", RowUse::unused},
    {kPoolingFile, "word_embedding_dimension", RowUse::read},
    {kPoolingFile, "embedding_dimension", RowUse::read},
    {kPoolingFile, "pooling_mode", RowUse::read},
    {kPoolingFile, "pooling_mode_cls_token", RowUse::read},
    {kPoolingFile, "pooling_mode_max_tokens", RowUse::read},
    {kPoolingFile, "pooling_mode_mean_tokens", RowUse::read},
    {kPoolingFile, "pooling_mode_mean_sqrt_len_tokens", RowUse::read},
    {kPoolingFile, "pooling_mode_weightedmean_tokens", RowUse::read},
    {kPoolingFile, "pooling_mode_lasttoken", RowUse::read},
    {kPoolingFile, "include_prompt", RowUse::unused},
    {kNormalizeFile, "module_input_name", RowUse::only, "\"sentence_embedding\"", kUseLibrary},
    {kNormalizeFile, "module_output_name", RowUse::only, "\"sentence_embedding\"", kUseLibrary},
    {kPromptsFile, "model_type", RowUse::only, "\"SentenceTransformer\"", kUseLibrary},
    {kPromptsFile, "default_prompt_name", RowUse::read},
    {kPromptsFile, "prompts", RowUse::read},
    {kPromptsFile, "similarity_fn_name", RowUse::unused},
    {kPromptsFile, "truncate_dim", RowUse::only, "null",
     "write null, and keep the first columns of what embed writes"},
};

// What is expected, with the way out where it is not so.
std::string or_use_library(const std::string& expected) {
  return expected + " (" + std::string(kUseLibrary) + ")";
}

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

// What of a module's path may be: of the encoder none, of the others a folder.
std::string folder_of(const Json& module) {
  const std::string& path = module.at("path").as_string();
  if (!is_plain_name(path))
    refuse_member("path", quote(path), "the name of a folder beside modules.json (move it there)");
  return path;
}

SentenceModules modules_of(const Json& list) {
  constexpr std::array<std::string_view, 3> kOrder = {"Transformer", "Pooling", "Normalize"};
  const Json::Array& modules = list.as_array();
  for (std::size_t i = 0; i < modules.size(); ++i) {
    const std::string& type = modules[i].at("type").as_string();
    if (i < kOrder.size() && module_name(type) == kOrder[i]) continue;
    const std::string expected(i < kOrder.size() ? kOrder[i] : "no more");
    refuse_member("type", quote(type), or_use_library(expected + " as module " + std::to_string(i)));
  }
  if (modules.size() < 2)
    throw Error("has " + counted(std::ssize(modules), "module") + ", expected " +
                or_use_library("Transformer and Pooling"));
  if (const std::string& path = modules[0].at("path").as_string(); !path.empty())
    refuse_member("path", quote(path),
                  "an encoder in the directory itself (in Python: SentenceTransformer(DIR).save(NEW))");
  return {.pooling_folder = folder_of(modules[1]),
          .normalize_folder = modules.size() > 2 ? folder_of(modules[2]) : std::string()};
}

// As versions from 5.5 on write it: a word, or an array of words whose vectors stand side by side.
std::string pooling_of_mode(const Json& said) {
  const bool is_one = said.is_array() && said.as_array().size() == 1;
  const Json& mode = is_one ? said.as_array().front() : said;
  std::string word = mode.is_string() ? mode.as_string() : std::string();
  if (word == "cls") return "first";
  if (word != "mean" && word != "max")
    refuse_member("pooling_mode", mode.dump(), or_use_library("one of cls, mean, max"));
  return word;
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
    if (!pooling.empty()) refuse_member(name, "true beside another mode", or_use_library("one mode"));
    pooling = word;
  }
  for (const auto& [name, value] : config.as_object()) {
    const bool is_read =
        std::ranges::any_of(kRead, [&, &member = name](const auto& mode) { return mode.first == member; });
    if (name.starts_with("pooling_mode_") && !is_read && truth_of(config, name, false))
      refuse_member(name, "true", or_use_library("false"));
  }
  return pooling.empty() ? "mean" : std::string(pooling);
}

std::string pooling_of(const Json& config, std::int64_t width) {
  for (const char* name : {"word_embedding_dimension", "embedding_dimension"}) {
    if (member_said(config, name) == nullptr) continue;
    const std::int64_t said = config.at(name).as_integer();
    if (said != width)
      refuse_member(name, std::to_string(said),
                    std::to_string(width) + ", the encoder's (take the folder of this model)");
  }
  const Json* const mode = member_said(config, "pooling_mode");
  return mode != nullptr ? pooling_of_mode(*mode) : pooling_of_truths(config);
}

// Whether the weights have the dense layer of BERT's pretraining.
bool has_pooler(const ModelFolder& folder) {
  if (!folder.has("model.safetensors")) return false;
  const Safetensors weights = folder.weights();
  if (folder.is_quantized) return weights.find("pooler.weight") != nullptr;
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
  check_members(kSentenceRows, kPoolingFile, config, where);
  return named(where, [&] { return pooling_of(config, width); });
}

std::int64_t parse_sentence_length(std::string_view text, const std::string& where,
                                   const Json& tokenizer_config) {
  const Json config = Json::parse(text, where);
  check_members(kSentenceRows, kEncoderFile, config, where);
  check_rows(kSentenceRows, kEncoderFile, config, where);
  return named(where, [&] {
    const std::int64_t length = length_of_arguments(config, tokenizer_config);
    if (length > 0 || member_said(config, "max_seq_length") == nullptr) return length;
    return whole(config, "max_seq_length", 1, kMostTextTokens);
  });
}

void check_sentence_normalization(std::string_view text, const std::string& where) {
  check_rows(kSentenceRows, kNormalizeFile, Json::parse(text, where), where);
}

void check_sentence_prompts(std::string_view text, const std::string& where) {
  const Json config = Json::parse(text, where);
  check_rows(kSentenceRows, kPromptsFile, config, where);
  named(where, [&] {
    const Json* const name = member_said(config, "default_prompt_name");
    if (name == nullptr) return;
    const Json* const prompt = config.at("prompts").find(name->as_string());
    if (prompt == nullptr || !prompt->as_string().empty())
      refuse_member("default_prompt_name", quote(name->as_string()),
                    "null (write null here, and the prompt into the texts)");
  });
}

// The longest text by the first of the encoder's files that is there; 0: none says it.
static std::int64_t length_of_encoder(const ModelFolder& folder) {
  for (const char* kind : {"bert", "roberta", "distilbert", "camembert", "albert", "xlm-roberta", "xlnet"}) {
    const std::string name = "sentence_" + std::string(kind) + "_config.json";
    if (!folder.has(name)) continue;
    const std::string settings(TokenizerFolder::kConfigName);
    const Json of_tokenizer =
        folder.has(settings) ? Json::parse(folder.read(settings), (folder.path / settings).string()) : Json();
    return parse_sentence_length(folder.read(name, kMaxModuleBytes), (folder.path / name).string(),
                                 of_tokenizer);
  }
  return 0;
}

void read_sentence_modules(const ModelFolder& folder, Json& ours) {
  if (has_pooler(folder)) ours.set("pooler", true);
  const std::int64_t of_tokenizer = read_tokenizer_folder(folder).max_length;
  ours.set("max_tokens", std::min(of_tokenizer, kMostTextTokens));
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
  ours.set("normalize", !modules.normalize_folder.empty());
  const std::string normalization = modules.normalize_folder + "/config.json";
  if (!modules.normalize_folder.empty() && folder.has(normalization))
    read(normalization, check_sentence_normalization);
  if (const std::int64_t length = length_of_encoder(folder); length > 0) ours.set("max_tokens", length);
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
      .set("pooling_mode_cls_token", settings.pooling == ops::Pooling::first)
      .set("pooling_mode_mean_tokens", settings.pooling == ops::Pooling::mean)
      .set("pooling_mode_max_tokens", settings.pooling == ops::Pooling::max);
  Json length;
  length.set("max_seq_length", settings.max_tokens > 0 ? settings.max_tokens : settings.transformer.length)
      .set("do_lower_case", false);
  return {{"modules.json", Json(std::move(modules)).dump(2) + "\n"},
          {std::string(kPoolingFolder) + "/config.json", pooling.dump(2) + "\n"},
          {"sentence_bert_config.json", length.dump(2) + "\n"}};
}

}  // namespace headwater
