// Marian's layout: what its config.json says, and tensors there and back.
#include "families/translator/directory.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <limits>

#include "error_text.hpp"
#include "families/model_directory.hpp"
#include "families/registry.hpp"
#include "layouts.hpp"
#include "same_bits.hpp"
#include "scratch_directory.hpp"

using namespace headwater;

namespace {

constexpr SharedEmbeddings kSharings[] = {SharedEmbeddings::none, SharedEmbeddings::target_output,
                                          SharedEmbeddings::all};

EncoderDecoderSettings sayable(SharedEmbeddings shared) {
  EncoderDecoderSettings settings;
  TransformerSettings& t = settings.transformer;
  t.width = 8;
  t.heads = 2;
  t.head_width = 4;
  t.feed_forward_width = 12;
  t.norm_epsilon = 1e-5;
  t.activation = ops::Activation::silu;
  t.positions = Positions::sinusoidal_halves;
  t.scale_embedding = true;
  t.length = 6;
  t.initialization = Initialization::vaswani;
  settings.encoder_layers = 2;
  settings.share_embeddings = shared;
  return settings;
}

std::unique_ptr<EncoderDecoder> made(const EncoderDecoderSettings& settings) {
  auto model = std::make_unique<EncoderDecoder>(settings, 9, 9);
  model->parameters().allocate(false);
  model->parameters().initialize(3);
  return model;
}

const Layout& marian() { return layout_named("marian"); }

Json marian_config_of(const EncoderDecoderSettings& settings, const TranslationIds& ids) {
  Json ours = settings_json(model_section(settings));
  ours.set("source_vocabulary_size", std::int64_t{9}).set("target_vocabulary_size", std::int64_t{9});
  ours.set("pad_token_id", std::int64_t{ids.pad}).set("decoder_start_token_id", std::int64_t{ids.start});
  return their_config(marian(), ours.set("eos_token_id", std::int64_t{ids.end}));
}

Json good_config() {
  return marian_config_of(sayable(SharedEmbeddings::all), {.pad = 8, .start = 8, .end = 0});
}

void read_marian_parameters(const Safetensors& tensors, Parameters& parameters) {
  Json ours;
  read_tensors(marian(), tensors, ours.set("width", std::int64_t{8}), parameters);
}

std::string said_of(const Json& config) {
  return error_text(
      [&] { (void)encoder_decoder_of_config(model_config(config, "config.json").config, "config.json"); });
}

void write_tensors_of(const Parameters& parameters, const fs::path& path) {
  NewFile file(path);
  write_tensors(marian(), parameters, Json(Json::Object{}),
                [&](std::string_view bytes) { file.write(bytes); });
  file.finish();
}

// A file with the tensors of another and some more.
void write_more(const fs::path& from, const std::vector<TensorView>& more, const fs::path& to) {
  const Safetensors tensors(from);
  std::vector<TensorView> all = tensors.tensors();
  all.insert(all.end(), more.begin(), more.end());
  write_file(to, to_safetensors(all));
}

}  // namespace

TEST_CASE("Marian's layout: a model and its config.json are read back, bit for bit") {
  for (SharedEmbeddings shared : kSharings) {
    INFO(name_of(shared));
    const ScratchDirectory scratch;
    const auto model = made(sayable(shared));
    write_tensors_of(model->parameters(), scratch.path() / "model.safetensors");
    const Json config = marian_config_of(sayable(shared), {.pad = 8, .start = 7, .end = 0});
    const Json ours = our_config(marian(), Json::parse(config.dump(), "config.json"));
    const auto again = encoder_decoder_of_config(ours, "config.json");
    CHECK(again->settings().share_embeddings == shared);
    CHECK(again->settings().transformer.activation == ops::Activation::silu);
    CHECK(again->settings().transformer.scale_embedding);
    CHECK(again->length() == 6);
    CHECK(ours.at("pad_token_id").as_integer() == 8);
    CHECK(ours.at("decoder_start_token_id").as_integer() == 7);
    CHECK(ours.at("eos_token_id").as_integer() == 0);
    read_marian_parameters(Safetensors(scratch.path() / "model.safetensors"), again->parameters());
    CHECK(same_bits(model->parameters().values(), again->parameters().values()));
  }
}

TEST_CASE("Marian's layout: an id that is none, or one of several, is an error that names it") {
  const auto said = [](const char* name, const char* value) {
    Json config = good_config();
    config.set(name, Json::parse(value, "test"));
    return error_text([&] { (void)our_config(marian(), config); });
  };
  CHECK(said("eos_token_id", "[0]") == "(no error)");
  CHECK(
      said("eos_token_id", "[1, 3]") ==
      "\"eos_token_id\" is [1,3], expected one token id, 0 to 8 (a list belongs in generation_config.json)");
  for (const char* const name : {"eos_token_id", "pad_token_id", "decoder_start_token_id"}) {
    for (const char* const value :
         {"null", "9", "-1", "1.5", "\"</s>\"", "[]", "[null]", "{}", "true", "1e300"}) {
      INFO(said(name, value));
      CHECK(said(name, value)
                .starts_with("\"" + std::string(name) + "\" is " + std::string(value).substr(0, 1)));
    }
  }
  for (const char* const name :
       {"d_model", "encoder_layers", "activation_function", "max_position_embeddings"})
    CHECK(said(name, "{}").starts_with("\"" + std::string(name) + "\""));
}

TEST_CASE("Marian's layout: weights are turned round, tables are not") {
  const ScratchDirectory scratch;
  const auto model = made(sayable(SharedEmbeddings::target_output));
  write_tensors_of(model->parameters(), scratch.path() / "model.safetensors");
  const Safetensors file(scratch.path() / "model.safetensors");
  const Parameter& inner = *model->parameters().find("encoder.1.feed_forward.inner.weight");
  const TensorView& fc1 = file.at("model.encoder.layers.1.fc1.weight");
  CHECK(fc1.shape == std::vector<std::int64_t>{12, 8});
  CHECK(read_floats(fc1)[3 * 8 + 5] == inner.value.row(5)[3]);
  const Parameter& table = *model->parameters().find("target_embedding.tokens");
  CHECK(read_floats(file.at("model.decoder.embed_tokens.weight"))[4 * 8 + 5] == table.value.row(4)[5]);
  CHECK(file.at("final_logits_bias").shape == std::vector<std::int64_t>{1, 9});
  CHECK(file.find("lm_head.weight") == nullptr);
}

TEST_CASE("Marian's layout: half-precision weights are read") {
  const ScratchDirectory scratch;
  const auto model = made(sayable(SharedEmbeddings::all));
  Index i = 0;  // whole numbers of 1/8: exact as halves
  for (Real& value : model->parameters().values()) value = static_cast<Real>(++i % 15 - 7) / 8;
  const fs::path path = scratch.path() / "model.safetensors";
  write_tensors_of(model->parameters(), path);
  const Safetensors single(path);
  std::vector<std::vector<std::uint16_t>> halves;
  std::vector<TensorView> tensors;
  for (TensorView tensor : single.tensors()) {
    auto& half = halves.emplace_back();
    for (const float value : read_floats(tensor)) {
      const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
      const std::uint32_t exponent = (bits >> 23) & 0xFF;
      half.push_back(static_cast<std::uint16_t>(
          exponent == 0 ? 0 : (bits >> 31 << 15) | ((exponent - 112) << 10) | ((bits >> 13) & 0x3FF)));
    }
    tensor.dtype = Dtype::f16;
    tensor.bytes = {reinterpret_cast<const char*>(half.data()), half.size() * 2};
    tensors.push_back(tensor);
  }
  write_file(scratch.path() / "half.safetensors", to_safetensors(tensors));
  const auto again = std::make_unique<EncoderDecoder>(sayable(SharedEmbeddings::all), 9, 9);
  read_marian_parameters(Safetensors(scratch.path() / "half.safetensors"), again->parameters());
  CHECK(same_bits(model->parameters().values(), again->parameters().values()));
}

TEST_CASE("Marian's layout: what a file says twice must be the same, and nothing is passed over") {
  const ScratchDirectory scratch;
  const auto model = made(sayable(SharedEmbeddings::all));
  const fs::path plain = scratch.path() / "plain.safetensors", path = scratch.path() / "m.safetensors";
  write_tensors_of(model->parameters(), plain);
  const Parameter& table = *model->parameters().find("embedding.tokens");
  std::vector<Real> other(table.value.data, table.value.data + table.size());
  const auto read = [&](const std::vector<TensorView>& more) {
    write_more(plain, more, path);
    return error_text([&] {
      EncoderDecoder again(sayable(SharedEmbeddings::all), 9, 9);
      read_marian_parameters(Safetensors(path), again.parameters());
    });
  };
  const std::vector<Real> sinusoids = sinusoidal_positions(6, 8, Positions::sinusoidal_halves);
  CHECK(read({float_tensor("lm_head.weight", {9, 8}, other.data()),
              float_tensor("model.encoder.embed_tokens.weight", {9, 8}, other.data()),
              float_tensor("model.encoder.embed_positions.weight", {6, 8}, sinusoids.data())}) ==
        "(no error)");
  other[5] += 1;
  CHECK(read({float_tensor("lm_head.weight", {9, 8}, other.data())}) ==
        path.string() +
            ": tensor \"lm_head.weight\" differs from \"model.shared.weight\", which config.json "
            "says it is");
  CHECK(read({float_tensor("model.encoder.embed_positions.weight", {6, 8}, other.data())}) ==
        path.string() +
            ": tensor \"model.encoder.embed_positions.weight\" does not hold Marian's sinusoids (if convert "
            "--layout ctranslate2 wrote it, for CTranslate2: name the model that it was made of)");
  CHECK(
      read({float_tensor("model.encoder.layers.2.fc1.bias", {12}, other.data())}) ==
      path.string() +
          ": tensor \"model.encoder.layers.2.fc1.bias\" is no part of the model that config.json describes");
}

TEST_CASE("Marian's layout: a shared table is read under any one of its names") {
  const ScratchDirectory scratch;
  const fs::path plain = scratch.path() / "plain.safetensors", alone = scratch.path() / "alone.safetensors";
  struct Case {
    SharedEmbeddings shared;
    const char* stored_as;
    std::vector<const char*> names;
  };
  const Case cases[] = {
      {SharedEmbeddings::all,
       "model.shared.weight",
       {"lm_head.weight", "model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight"}},
      {SharedEmbeddings::source_target,
       "model.shared.weight",
       {"model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight"}},
      {SharedEmbeddings::target_output, "model.decoder.embed_tokens.weight", {"lm_head.weight"}}};
  for (const auto& [shared, stored_as, names] : cases) {
    const auto model = made(sayable(shared));
    fs::remove(plain);
    write_tensors_of(model->parameters(), plain);
    for (const char* const name : names) {
      INFO(name_of(shared) << ": " << name);
      std::vector<TensorView> tensors;
      const Safetensors file(plain);
      for (TensorView tensor : file.tensors()) {
        if (tensor.name == stored_as) tensor.name = name;
        tensors.push_back(tensor);
      }
      write_file(alone, to_safetensors(tensors, {{stored_as, name}}));
      EncoderDecoder again(sayable(shared), 9, 9);
      read_marian_parameters(Safetensors(alone), again.parameters());
      CHECK(same_bits(model->parameters().values(), again.parameters().values()));
    }
    // Under none of them.
    const Safetensors file(plain);
    std::vector<TensorView> tensors = file.tensors();
    std::erase_if(tensors, [&](const TensorView& tensor) { return tensor.name == stored_as; });
    write_file(alone, to_safetensors(tensors));
    EncoderDecoder again(sayable(shared), 9, 9);
    CHECK(error_text([&] {
            read_marian_parameters(Safetensors(alone), again.parameters());
          }).find(stored_as) != std::string::npos);
  }
}

TEST_CASE("Marian's layout: tensors that do not fit, or are not finite, are named") {
  const ScratchDirectory scratch;
  const auto model = made(sayable(SharedEmbeddings::all));
  const fs::path path = scratch.path() / "m.safetensors";
  const auto read = [&](const EncoderDecoderSettings& settings) {
    return error_text([&] {
      EncoderDecoder again(settings, 9, 9);
      read_marian_parameters(Safetensors(path), again.parameters());
    });
  };
  write_tensors_of(model->parameters(), path);
  EncoderDecoderSettings settings = sayable(SharedEmbeddings::all);
  settings.transformer.feed_forward_width = 13;
  CHECK(read(settings) ==
        path.string() +
            ": tensor \"model.encoder.layers.0.fc1.weight\" has shape [12, 8], config.json asks for [13, 8]");
  settings = sayable(SharedEmbeddings::all);
  settings.decoder_layers = 2;
  CHECK(read(settings).find("\"model.decoder.layers.1.self_attn.q_proj.weight\"") != std::string::npos);
  model->parameters().find("encoder.0.feed_forward.outer.bias")->value.data[2] =
      std::numeric_limits<Real>::infinity();
  fs::remove(path);
  write_tensors_of(model->parameters(), path);
  CHECK(read(sayable(SharedEmbeddings::all)) ==
        path.string() +
            ": tensor \"model.encoder.layers.0.fc2.bias\": a number is not "
            "finite (take another file)");
}

TEST_CASE("Marian's layout: a config.json that cannot be read is one line that names the member") {
  CHECK(said_of(good_config()) == "(no error)");
  struct Case {
    const char* name;
    Json value;
    const char* says;
  };
  const Case cases[] = {
      {"d_model", 0, "\"d_model\" is 0, expected 2 to 65536"},
      {"d_model", 7, "\"d_model\" is 7, expected an even number"},
      {"d_model", "8", "expected"},
      {"d_model", Json(), "expected"},
      {"d_model", 1e300, "expected"},
      {"encoder_attention_heads", 4, "\"decoder_attention_heads\" is 2, expected 4 as in the encoder"},
      {"decoder_ffn_dim", 16, "\"decoder_ffn_dim\" is 16, expected 12 as in the encoder"},
      {"encoder_ffn_dim", 100000000, "\"encoder_ffn_dim\" is 100000000, expected 1 to 1000000"},
      {"encoder_layers", -1, "\"encoder_layers\" is -1, expected 0 to 1000"},
      {"decoder_layers", 0, "\"decoder_layers\" is 0, expected 1 to 1000"},
      {"activation_function", "mish",
       "\"activation_function\" is \"mish\", expected one of relu, gelu, gelu_new, gelu_fast, "
       "gelu_pytorch_tanh, silu, swish"},
      {"max_position_embeddings", 1000001, "\"max_position_embeddings\" is 1000001"},
      {"vocab_size", 0, "\"vocab_size\" is 0"},
      {"decoder_vocab_size", 10, "\"decoder_vocab_size\" is 10, expected 9"},
      {"scale_embedding", "yes", "\"scale_embedding\" is neither true nor false"},
      {"normalize_before", true, "\"normalize_before\" is true, expected false"},
      {"normalize_embedding", true, "\"normalize_embedding\" is true, expected false"},
      {"static_position_embeddings", false, "\"static_position_embeddings\" is false, expected true"},
      {"quantization_config", Json::Object{}, "\"quantization_config\""},
      {"pad_token_id", 9, "\"pad_token_id\" is 9, expected one token id, 0 to 8"},
      {"eos_token_id", Json::Array{0, 1}, "\"eos_token_id\" is [0,1], expected one token id"},
      {"decoder_start_token_id", -1, "\"decoder_start_token_id\" is -1, expected one token id, 0 to 8"}};
  for (const Case& c : cases) {
    const std::string said = said_of(good_config().set(c.name, c.value));
    INFO(c.name, ": ", said);
    CHECK(said.starts_with("config.json: "));
    CHECK(said.find(c.says) != std::string::npos);
    CHECK(said.find('\n') == std::string::npos);
  }
  const Json good = good_config();
  for (const auto& [name, value] : good.as_object()) {
    Json config;
    for (const auto& [kept, of_kept] : good.as_object())
      if (kept != name) config.set(kept, of_kept);
    const std::string said = said_of(config);
    INFO(name, ": ", said);
    CHECK((said == "(no error)" || said.find(quote(name)) != std::string::npos));
  }
  CHECK(said_of(good_config().set("eos_token_id", Json::Array{0})) == "(no error)");
  CHECK(said_of(good_config().set("d_model", 65536).set("max_position_embeddings", 1000000)).find("length") !=
        std::string::npos);
}

TEST_CASE("Marian's layout: a setting that it cannot say is named") {
  const auto refused = [](const auto& change) {
    EncoderDecoderSettings settings = sayable(SharedEmbeddings::none);
    change(settings.transformer);
    return said_of_settings("marian", model_section(settings));
  };
  CHECK(refused([](TransformerSettings& t) { t.norm = NormPlacement::pre; }) ==
        "model.norm is pre, which Marian's layout cannot say (only post; train with that)");
  CHECK(refused([](TransformerSettings& t) { t.norm_epsilon = 1e-3; }) ==
        "model.norm_epsilon is 0.001, which Marian's layout cannot say (only 1e-05; train with that)");
  CHECK(refused([](TransformerSettings& t) { t.positions = Positions::learned; }) ==
        "model.positions is learned, which Marian's layout cannot say (only sinusoidal_halves; train with "
        "that)");
  CHECK(refused([](TransformerSettings& t) { t.head_width = 5; }) ==
        "model.head_width is 5, which Marian's layout cannot say (only width / heads; train with that)");
  CHECK(refused([](TransformerSettings&) {}) == "(no error)");
  CHECK(said_of_settings("marian", model_section(sayable(SharedEmbeddings::source_target))) ==
        "model.share_embeddings is source_target, which Marian's layout cannot say (only none, target_output "
        "or "
        "all; train with that)");
}
