// GPT-2's layout: what its config.json says, and tensors there and back.
#include "families/language_model/directory.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "error_text.hpp"
#include "families/registry.hpp"
#include "layouts.hpp"
#include "same_bits.hpp"
#include "scratch_directory.hpp"

using namespace headwater;

namespace {

LanguageModelSettings gpt2_settings(bool is_tied) {
  LanguageModelSettings settings;
  TransformerSettings& t = settings.transformer;
  t.width = 8;
  t.heads = 2;
  t.feed_forward_width = 12;
  t.norm = NormPlacement::pre;
  t.norm_epsilon = 1e-5;
  t.activation = ops::Activation::gelu_tanh;
  t.length = 6;
  t.dropout = 0.2;
  settings.layers = 2;
  settings.tie_embeddings = is_tied;
  settings.output_bias = false;
  return settings;
}

std::unique_ptr<LanguageModel> made_gpt2(const LanguageModelSettings& settings) {
  auto model = std::make_unique<LanguageModel>(settings, 9);
  model->parameters().allocate(false);
  Index i = 0;  // all differ, so that no two places can be taken for each other
  for (Real& value : model->parameters().values()) value = static_cast<Real>(++i) / 512;
  return model;
}

const Layout& gpt2() { return layout_named("gpt2"); }

Json gpt2_config_of(const LanguageModelSettings& settings) {
  Json ours = settings_json(model_section(settings));
  ours.set("vocabulary_size", std::int64_t{9}).set("eos_token_id", std::int64_t{3});
  return their_config(gpt2(), ours);
}

Json good_gpt2_config() { return gpt2_config_of(gpt2_settings(true)); }

std::unique_ptr<LanguageModel> gpt2_of_config(const Json& config) {
  return language_model_of_config(our_config(gpt2(), config), "config.json");
}

void read_gpt2_parameters(const Safetensors& tensors, Parameters& parameters) {
  read_tensors(gpt2(), tensors, Json(Json::Object{}), parameters);
}

std::string said_of_gpt2(const Json& config) {
  return error_text([&] { (void)model_config(config, "config.json"); });
}

void write_gpt2(const Parameters& parameters, const fs::path& path) {
  NewFile file(path);
  write_tensors(gpt2(), parameters, Json(Json::Object{}), [&](std::string_view bytes) { file.write(bytes); });
  file.finish();
}

}  // namespace

TEST_CASE(
    "GPT-2's layout: a model and its config.json are read back, bit for bit, with and without a prefix") {
  for (const bool is_tied : {true, false}) {
    INFO(is_tied);
    const ScratchDirectory scratch;
    const fs::path path = scratch.path() / "model.safetensors", bare = scratch.path() / "bare.safetensors";
    const auto model = made_gpt2(gpt2_settings(is_tied));
    write_gpt2(model->parameters(), path);
    Json config = gpt2_config_of(gpt2_settings(is_tied));
    CHECK(config.at("bos_token_id").is_null());
    config = Json::parse(config.dump(), "config.json");
    const auto again = gpt2_of_config(config);
    CHECK(again->settings().tie_embeddings == is_tied);
    CHECK(again->settings().transformer.dropout == 0.2);
    CHECK(again->length() == 6);
    read_gpt2_parameters(Safetensors(path), again->parameters());
    CHECK(same_bits(model->parameters().values(), again->parameters().values()));

    // Older files: no prefix, masks beside the weights, the tied table twice.
    const Safetensors file(path);
    std::vector<TensorView> tensors = file.tensors();
    const std::vector<float> mask(36, 1), minus(1, -10000);
    for (TensorView& tensor : tensors)
      if (tensor.name.starts_with("transformer.")) tensor.name.erase(0, 12);
    tensors.push_back(float_tensor("h.1.attn.bias", {1, 1, 6, 6}, mask.data()));
    tensors.push_back(float_tensor("h.1.attn.masked_bias", {}, minus.data()));
    const Parameter& table = *model->parameters().find("embedding.tokens");
    if (is_tied) tensors.push_back(float_tensor("lm_head.weight", {9, 8}, table.value.data));
    write_file(bare, to_safetensors(tensors));
    const auto third = gpt2_of_config(config);
    read_gpt2_parameters(Safetensors(bare), third->parameters());
    CHECK(same_bits(model->parameters().values(), third->parameters().values()));
  }
}

TEST_CASE("GPT-2's layout: a tied table that is stored as the output layer alone is read") {
  const ScratchDirectory scratch;
  const fs::path path = scratch.path() / "model.safetensors", alone = scratch.path() / "alone.safetensors";
  const auto model = made_gpt2(gpt2_settings(true));
  write_gpt2(model->parameters(), path);
  const Safetensors file(path);
  for (const bool has_prefix : {true, false}) {
    INFO(has_prefix);
    std::vector<TensorView> tensors = file.tensors();
    for (TensorView& tensor : tensors) {
      if (tensor.name == "transformer.wte.weight") tensor.name = "lm_head.weight";
      if (!has_prefix && tensor.name.starts_with("transformer.")) tensor.name.erase(0, 12);
    }
    write_file(alone, to_safetensors(tensors, {{"transformer.wte.weight", "lm_head.weight"}}));
    const auto again = std::make_unique<LanguageModel>(gpt2_settings(true), 9);
    read_gpt2_parameters(Safetensors(alone), again->parameters());
    CHECK(same_bits(model->parameters().values(), again->parameters().values()));
    // An output layer of its own is no table of tokens.
    CHECK(error_text([&] {
            LanguageModel untied(gpt2_settings(false), 9);
            read_gpt2_parameters(Safetensors(alone), untied.parameters());
          }).find("wte.weight") != std::string::npos);
    std::erase_if(tensors, [](const TensorView& tensor) { return tensor.name == "lm_head.weight"; });
    write_file(alone, to_safetensors(tensors));
    CHECK(error_text([&] {
            read_gpt2_parameters(Safetensors(alone), again->parameters());
          }).find("wte.weight") != std::string::npos);
  }
}

TEST_CASE(
    "GPT-2's layout: queries, keys and values stand side by side, an untied output layer is turned round") {
  const ScratchDirectory scratch;
  const fs::path path = scratch.path() / "model.safetensors";
  const auto model = made_gpt2(gpt2_settings(false));
  const Parameters& parameters = model->parameters();
  write_gpt2(parameters, path);
  const Safetensors file(path);
  const TensorView& fused = file.at("transformer.h.1.attn.c_attn.weight");
  CHECK(fused.shape == std::vector<std::int64_t>{8, 24});
  const std::vector<float> values = read_floats(fused),
                           biases = read_floats(file.at("transformer.h.1.attn.c_attn.bias"));
  const char* const names[] = {"query", "key", "value"};
  for (std::size_t part = 0; part < 3; ++part) {
    const std::string name = std::string("decoder.1.self_attention.") + names[part];
    CHECK(values[5 * 24 + part * 8 + 3] == parameters.find(name + ".weight")->value.row(5)[3]);
    CHECK(biases[part * 8 + 3] == parameters.find(name + ".bias")->value.data[3]);
  }
  CHECK(file.at("lm_head.weight").shape == std::vector<std::int64_t>{9, 8});
  CHECK(read_floats(file.at("lm_head.weight"))[7 * 8 + 2] == parameters.find("head.weight")->value.row(2)[7]);
}

TEST_CASE("GPT-2's layout: tensors that do not fit, are too many, differ or are not finite are named") {
  const ScratchDirectory scratch;
  const fs::path plain = scratch.path() / "plain.safetensors", path = scratch.path() / "m.safetensors";
  const auto model = made_gpt2(gpt2_settings(true));
  write_gpt2(model->parameters(), plain);
  const auto read = [](const fs::path& file, const LanguageModelSettings& settings) {
    return error_text([&] {
      LanguageModel again(settings, 9);
      read_gpt2_parameters(Safetensors(file), again.parameters());
    });
  };
  LanguageModelSettings settings = gpt2_settings(true);
  settings.transformer.feed_forward_width = 13;
  CHECK(read(plain, settings) == plain.string() +
                                     ": tensor \"transformer.h.0.mlp.c_fc.weight\" has shape [8, 12], "
                                     "config.json asks for [8, 13]");
  settings = gpt2_settings(true);
  settings.layers = 3;
  CHECK(read(plain, settings).find("\"transformer.h.2.") != std::string::npos);
  CHECK(read(plain, gpt2_settings(false)).find("\"lm_head.weight\"") != std::string::npos);

  const Safetensors file(plain);
  const Parameter& table = *model->parameters().find("embedding.tokens");
  std::vector<Real> other(table.value.data, table.value.data + table.size());
  other[5] += 1;
  const auto read_with = [&](const TensorView& more) {
    std::vector<TensorView> all = file.tensors();
    all.push_back(more);
    write_file(path, to_safetensors(all));
    return read(path, gpt2_settings(true));
  };
  CHECK(read_with(float_tensor("lm_head.weight", {9, 8}, other.data())) ==
        path.string() +
            ": tensor \"lm_head.weight\" differs from \"transformer.wte.weight\", which config.json says it "
            "is");
  CHECK(read_with(float_tensor("transformer.h.2.mlp.c_fc.bias", {12}, other.data())) ==
        path.string() +
            ": tensor \"transformer.h.2.mlp.c_fc.bias\" is no part of the model that config.json describes");
  model->parameters().find("decoder.1.self_attention.key.bias")->value.data[2] =
      std::numeric_limits<Real>::infinity();
  fs::remove(path);
  write_gpt2(model->parameters(), path);
  CHECK(read(path, gpt2_settings(true)) ==
        path.string() +
            ": tensor \"transformer.h.1.attn.c_attn.bias\": a number is not finite "
            "(take another file)");
}

TEST_CASE("GPT-2's layout: a config.json that cannot be read is one line that names the member") {
  CHECK(said_of_gpt2(good_gpt2_config()) == "(no error)");
  struct Case {
    const char* name;
    Json value;
    const char* says;
  };
  const Case cases[] = {{"n_embd", 0, "\"n_embd\" is 0, expected 1 to 65536"},
                        {"n_embd", "8", "expected"},
                        {"n_embd", 1e300, "expected"},
                        {"n_head", 3, "\"n_head\" is 3, expected a divisor of n_embd 8"},
                        {"n_layer", 0, "\"n_layer\" is 0, expected 1 to 1000"},
                        {"n_inner", -1, "\"n_inner\" is -1, expected 1 to 1000000"},
                        {"n_positions", 1000001, "\"n_positions\" is 1000001"},
                        {"vocab_size", 0, "\"vocab_size\" is 0"},
                        {"layer_norm_epsilon", 0, "\"layer_norm_epsilon\" is 0, expected 1e-12 to 0.1"},
                        {"activation_function", "mish",
                         "\"activation_function\" is \"mish\", expected one of relu, gelu, gelu_new"},
                        {"attn_pdrop", 1, "\"attn_pdrop\" is 1, expected 0 to 0.99"},
                        {"embd_pdrop", "0.1", "expected"},
                        {"tie_word_embeddings", "yes", "\"tie_word_embeddings\" is neither true nor false"},
                        {"scale_attn_weights", false, "\"scale_attn_weights\" is false, expected true"},
                        {"scale_attn_by_inverse_layer_idx", true,
                         "\"scale_attn_by_inverse_layer_idx\" is true, expected false"},
                        {"add_cross_attention", true, "\"add_cross_attention\" is true, expected false"},
                        {"quantization_config", Json::Object{}, "\"quantization_config\""},
                        {"delimiter", 3, "expected"}};
  for (const Case& c : cases) {
    const std::string said = said_of_gpt2(good_gpt2_config().set(c.name, c.value));
    INFO(c.name, ": ", said);
    CHECK(said.starts_with("config.json: "));
    CHECK(said.find(c.says) != std::string::npos);
    CHECK(said.find('\n') == std::string::npos);
  }
  const Json good = good_gpt2_config();
  for (const auto& [name, value] : good.as_object()) {
    Json config;
    for (const auto& [kept, of_kept] : good.as_object())
      if (kept != name) config.set(kept, of_kept);
    const std::string said = said_of_gpt2(config);
    INFO(name, ": ", said);
    CHECK((said == "(no error)" || said.find(quote(name)) != std::string::npos));
  }
}

TEST_CASE("GPT-2's layout: a directory without a tokenizer is told so") {
  const ScratchDirectory scratch;
  write_file(scratch.path() / "vocab.json", "{}");  // merges.txt is missing
  write_file(scratch.path() / "config.json", good_gpt2_config().dump());
  CHECK(error_text([&] { load_language_model(scratch.path()); }) ==
        scratch.path().string() +
            ": has no tokenizer.json, no vocab.txt, and no vocab.json with merges.txt (a model without its "
            "tokenizer "
            "reads no text)");
}

TEST_CASE("GPT-2's layout: architectures that it does not read are named") {
  CHECK(said_of_gpt2(good_gpt2_config().set("architectures", Json())) == "(no error)");
  CHECK(said_of_gpt2(good_gpt2_config().set("architectures", Json::Array{"GPT2Model"})) == "(no error)");
  CHECK(said_of_gpt2(good_gpt2_config().set("architectures", Json::Array{"GPT2ForSequenceClassification"})) ==
        "config.json: \"architectures\" is [\"GPT2ForSequenceClassification\"], of \"gpt2\" are read "
        "GPT2LMHeadModel, GPT2Model (" +
            read_are() + ")");
}

TEST_CASE("GPT-2's layout: a setting that it cannot say is named, a delimiter is kept") {
  const auto said = [](const auto& change) {
    LanguageModelSettings settings = gpt2_settings(true);
    change(settings);
    return said_of_settings("gpt2", model_section(settings));
  };
  CHECK(said([](LanguageModelSettings& s) { s.transformer.norm = NormPlacement::post; }) ==
        "model.norm is post, which GPT-2's layout cannot say (only pre; train with that)");
  CHECK(said([](LanguageModelSettings& s) { s.transformer.positions = Positions::none; }) ==
        "model.positions is none, which GPT-2's layout cannot say (only learned; train with that)");
  CHECK(said([](LanguageModelSettings& s) { s.transformer.scale_embedding = true; }) ==
        "model.scale_embedding is true, which GPT-2's layout cannot say (only false; train with that)");
  CHECK(said([](LanguageModelSettings& s) { s.output_bias = true; }) ==
        "model.output_bias is true, which GPT-2's layout cannot say (only false; train with that)");
  CHECK(said([](LanguageModelSettings& s) { s.transformer.head_width = 5; }) ==
        "model.head_width is 5, which GPT-2's layout cannot say (only width / heads; train with that)");
  CHECK(said([](LanguageModelSettings&) {}) == "(no error)");
  LanguageModelSettings settings = gpt2_settings(true);
  settings.delimiter = "[SEP]";
  CHECK(gpt2_of_config(gpt2_config_of(settings))->settings().delimiter == "[SEP]");
}
