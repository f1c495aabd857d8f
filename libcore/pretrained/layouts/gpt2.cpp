// A directory in GPT-2's layout, read whole; its config.json.
#include "pretrained/layouts/gpt2.hpp"

#include "pretrained/config.hpp"
#include "pretrained/layouts/foreign_config.hpp"
#include "pretrained/model_directory.hpp"
#include "pretrained/tokenizer_files.hpp"
#include "support/error.hpp"

namespace headwater {

namespace {

constexpr double kGpt2Dropout = 0.1;  // as that library has it where the file says nothing

// Members that change what is computed, where they are not as always.
void check_gpt2_members(const Json& config) {
  for (const char* name : {"scale_attn_by_inverse_layer_idx", "add_cross_attention"})
    if (truth_of(config, name, false)) refuse_member(name, "true", "false");
  if (!truth_of(config, "scale_attn_weights", true)) refuse_member("scale_attn_weights", "false", "true");
  if (member_said(config, "quantization_config") != nullptr)
    throw Error("\"quantization_config\": weights of whole numbers are not read");
}

}  // namespace

std::string unsayable_in_gpt2(const LanguageModelSettings& settings) {
  const TransformerSettings& t = settings.transformer;
  UnsayableKeys keys("GPT-2");
  keys.expect("norm", t.norm, "pre");
  keys.expect("positions", t.positions, "learned");
  keys.expect("scale_embedding", t.scale_embedding, false);
  keys.expect("output_bias", settings.output_bias, false);
  if (head_width_of(t) * t.heads != t.width)
    keys.add("head_width", std::to_string(head_width_of(t)), "width / heads");
  return keys.text();
}

std::unique_ptr<LanguageModel> gpt2_of_config(const Json& config) {
  check_gpt2_members(config);
  LanguageModelSettings settings;
  TransformerSettings& t = settings.transformer;
  t.width = whole(config, "n_embd", 1, 65536);
  t.heads = whole(config, "n_head", 1, 1024);
  if (t.width % t.heads != 0)
    refuse_member("n_head", std::to_string(t.heads), "a divisor of n_embd " + std::to_string(t.width));
  if (member_said(config, "n_inner") != nullptr) t.feed_forward_width = whole(config, "n_inner", 1, 1000000);
  t.norm = "pre";
  t.norm_epsilon = epsilon_of(config, "layer_norm_epsilon", 1e-5);
  const Json* const activation = member_said(config, "activation_function");
  t.activation =
      activation != nullptr ? activation_of_member(*activation, "activation_function") : "gelu_tanh";
  t.length = whole(config, "n_positions", 1, 1000000);
  t.dropout = share_of(config, "resid_pdrop", kGpt2Dropout);
  t.attention_dropout = share_of(config, "attn_pdrop", kGpt2Dropout);
  t.initialization = "normal";
  settings.embedding_dropout = share_of(config, "embd_pdrop", kGpt2Dropout);
  settings.layers = whole(config, "n_layer", 1, 1000);
  settings.tie_embeddings = truth_of(config, "tie_word_embeddings", true);
  settings.output_bias = false;
  if (const Json* const delimiter = member_said(config, "delimiter"))
    settings.delimiter = delimiter->as_string();
  return std::make_unique<LanguageModel>(settings, whole(config, "vocab_size", 1, 10000000));
}

Json gpt2_config_of(const LanguageModel& model, const SpecialIds& ids) {
  const LanguageModelSettings& settings = model.settings();
  if (const std::string text = unsayable_in_gpt2(settings); !text.empty()) throw Error(text);
  const TransformerSettings& t = settings.transformer;
  const auto id_or_null = [](std::int32_t id) { return id >= 0 ? Json(std::int64_t{id}) : Json(); };
  Json config;
  config.set("architectures", Json::Array{"GPT2LMHeadModel"});
  config.set("model_type", kGpt2Type);
  config.set("vocab_size", model.vocabulary());
  config.set("n_positions", t.length);
  config.set("n_embd", t.width);
  config.set("n_layer", settings.layers);
  config.set("n_head", t.heads);
  config.set("n_inner", feed_forward_width_of(t));
  config.set("activation_function", member_of_activation(t.activation));
  config.set("resid_pdrop", t.dropout);
  config.set("embd_pdrop", settings.embedding_dropout);
  config.set("attn_pdrop", t.attention_dropout);
  config.set("layer_norm_epsilon", t.norm_epsilon);
  config.set("tie_word_embeddings", settings.tie_embeddings);
  config.set("bos_token_id", id_or_null(ids.start));
  config.set("eos_token_id", id_or_null(ids.end));
  config.set("pad_token_id", id_or_null(ids.pad));
  if (!settings.delimiter.empty())
    config.set("delimiter", settings.delimiter);  // other programs pass over it
  config.set("dtype", "float32");
  return config;
}

LoadedLanguageModel load_gpt2(const ModelFolder& folder) {
  std::unique_ptr<LanguageModel> model =
      language_model_of_config(folder.config, folder.config_path().string());
  const std::filesystem::path& files = folder.path;
  const bool has_one = folder.has("tokenizer.json");
  if (!has_one && !(folder.has("vocab.json") && folder.has("merges.txt"))) {
    throw Error(
        files.string() +
        ": has no tokenizer.json, and no vocab.json with merges.txt (a model without its tokenizer reads "
        "no text)");
  }
  Tokenizer tokenizer = Tokenizer::load(has_one ? files / "tokenizer.json" : files);
  if (tokenizer.vocabulary_size() > model->vocabulary()) {
    throw Error(files.string() + ": the tokenizer has " + std::to_string(tokenizer.vocabulary_size()) +
                " tokens, config.json has rows for " + std::to_string(model->vocabulary()));
  }
  const std::int32_t delimiter = delimiter_of(model->settings(), tokenizer, files.string());
  read_gpt2_parameters(folder.weights(), model->parameters());
  return {files, std::move(tokenizer), std::move(model), delimiter};
}

std::vector<DirectoryFile> gpt2_files(const LoadedLanguageModel& model) {
  const SpecialIds ids = model.tokenizer.special_ids();
  const Json config = gpt2_config_of(*model.model, ids);
  Json generation;
  for (const char* name : {"bos_token_id", "eos_token_id", "pad_token_id"})
    generation.set(name, config.at(name));
  return {{"config.json", config.dump(2) + "\n"},
          {"generation_config.json", generation.dump(2) + "\n"},
          tokenizer_file(model.tokenizer),
          tokenizer_config_file(model.tokenizer, model.model->length())};
}

}  // namespace headwater
