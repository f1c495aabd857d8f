// config.json of Marian's layout.
#include "pretrained/config.hpp"
#include "pretrained/layouts/foreign_config.hpp"
#include "pretrained/layouts/marian.hpp"
#include "support/error.hpp"

namespace headwater {

namespace {

// The layer norms of that library have no other.
constexpr double kMarianEpsilon = 1e-5;

// The same number for both stacks.
std::int64_t of_both(const Json& config, const std::string& of, std::int64_t max) {
  const std::int64_t encoder = whole(config, "encoder_" + of, 1, max),
                     decoder = whole(config, "decoder_" + of, 1, max);
  if (encoder != decoder)
    refuse_member("decoder_" + of, std::to_string(decoder), std::to_string(encoder) + " as in the encoder");
  return encoder;
}

std::string shared_of(const Json& config) {
  const bool is_tied = truth_of(config, "tie_word_embeddings", true);
  if (truth_of(config, "share_encoder_decoder_embeddings", true)) return is_tied ? "all" : "source_target";
  return is_tied ? "target_output" : "none";
}

// Members of older files that change what is computed, where they are not as always.
void check_older_members(const Json& config) {
  for (const char* name : {"normalize_before", "normalize_embedding", "add_final_layer_norm",
                           "add_bias_logits", "use_bias_in_attention_free_layers"})
    if (truth_of(config, name, false)) refuse_member(name, "true", "false");
  if (!truth_of(config, "static_position_embeddings", true))
    refuse_member("static_position_embeddings", "false", "true");
  if (member_said(config, "quantization_config") != nullptr)
    throw Error("\"quantization_config\": weights of whole numbers are not read");
}

std::int32_t id_at(const Json& config, std::string_view name, std::int64_t vocabulary) {
  const Json& member = config.at(name);
  if (member.is_array() && member.as_array().size() == 1) {
    Json one;
    one.set(name, member.as_array().front());
    return static_cast<std::int32_t>(whole(one, name, 0, vocabulary - 1));
  }
  return static_cast<std::int32_t>(whole(config, name, 0, vocabulary - 1));
}

struct Vocabularies {
  std::int64_t source, target;
};
Vocabularies vocabularies(const Json& config) {
  constexpr std::int64_t kMost = 10000000;
  const std::int64_t source = whole(config, "vocab_size", 1, kMost);
  const std::int64_t target = member_said(config, "decoder_vocab_size") != nullptr
                                  ? whole(config, "decoder_vocab_size", 1, kMost)
                                  : source;
  return {source, target};
}

}  // namespace

std::unique_ptr<EncoderDecoder> marian_of_config(const Json& config) {
  check_older_members(config);
  EncoderDecoderSettings settings;
  TransformerSettings& t = settings.transformer;
  t.width = whole(config, "d_model", 2, 65536);
  if (t.width % 2 != 0) refuse_member("d_model", std::to_string(t.width), "an even number");
  t.heads = of_both(config, "attention_heads", 1024);
  if (t.width % t.heads != 0)
    refuse_member("encoder_attention_heads", std::to_string(t.heads),
                  "a divisor of d_model " + std::to_string(t.width));
  t.feed_forward_width = of_both(config, "ffn_dim", 1000000);
  t.norm = "post";
  t.norm_epsilon = kMarianEpsilon;
  t.activation = activation_of_member(config.at("activation_function"), "activation_function");
  t.positions = "sinusoidal_halves";
  t.scale_embedding = truth_of(config, "scale_embedding", false);
  t.length = whole(config, "max_position_embeddings", 1, 1000000);
  t.initialization = "vaswani";
  settings.encoder_layers = whole(config, "encoder_layers", 0, 1000);
  settings.decoder_layers = whole(config, "decoder_layers", 1, 1000);
  settings.share_embeddings = shared_of(config);
  const auto [source, target] = vocabularies(config);
  if (shares_tables(settings) && source != target)
    refuse_member(
        "decoder_vocab_size", std::to_string(target),
        std::to_string(source) + " as \"vocab_size\", since share_encoder_decoder_embeddings is true");
  marian_ids(config);
  return std::make_unique<EncoderDecoder>(settings, source, target);
}

TranslationIds marian_ids(const Json& config) {
  const std::int64_t target = vocabularies(config).target;
  return {.pad = id_at(config, "pad_token_id", target),
          .start = id_at(config, "decoder_start_token_id", target),
          .end = id_at(config, "eos_token_id", target)};
}

std::string unsayable_in_marian(const EncoderDecoderSettings& settings) {
  const TransformerSettings& t = settings.transformer;
  UnsayableKeys keys("Marian");
  keys.expect("norm", t.norm, "post");
  keys.expect("norm_epsilon", Json(t.norm_epsilon).dump(), Json(kMarianEpsilon).dump());
  keys.expect("positions", t.positions, "sinusoidal_halves");
  // Their library loads no weights of that arrangement.
  if (settings.share_embeddings == "source_target")
    keys.add("share_embeddings", "source_target", "none, target_output or all");
  if (head_width_of(t) * t.heads != t.width)
    keys.add("head_width", std::to_string(head_width_of(t)), "width / heads");
  return keys.text();
}

Json marian_config_of(const EncoderDecoder& model, const TranslationIds& ids) {
  const EncoderDecoderSettings& settings = model.settings();
  if (const std::string text = unsayable_in_marian(settings); !text.empty()) throw Error(text);
  const TransformerSettings& t = settings.transformer;
  Json config;
  config.set("architectures", Json::Array{"MarianMTModel"});
  config.set("model_type", kMarianType);
  config.set("is_encoder_decoder", true);
  config.set("d_model", t.width);
  config.set("encoder_layers", settings.encoder_layers);
  config.set("decoder_layers", settings.decoder_layers);
  config.set("num_hidden_layers", settings.encoder_layers);
  config.set("encoder_attention_heads", t.heads);
  config.set("decoder_attention_heads", t.heads);
  config.set("encoder_ffn_dim", feed_forward_width_of(t));
  config.set("decoder_ffn_dim", feed_forward_width_of(t));
  config.set("activation_function", member_of_activation(t.activation));
  config.set("scale_embedding", t.scale_embedding);
  config.set("max_position_embeddings", t.length);
  config.set("static_position_embeddings", true);
  config.set("normalize_before", false);
  config.set("normalize_embedding", false);
  config.set("dropout", t.dropout);
  config.set("attention_dropout", t.attention_dropout);
  config.set("activation_dropout", 0.0);
  config.set("vocab_size", model.source_vocabulary());
  config.set("decoder_vocab_size", model.target_vocabulary());
  config.set("share_encoder_decoder_embeddings", shares_tables(settings));
  config.set("tie_word_embeddings", ties_output(settings));
  config.set("pad_token_id", std::int64_t{ids.pad});
  config.set("decoder_start_token_id", std::int64_t{ids.start});
  config.set("eos_token_id", std::int64_t{ids.end});
  config.set("forced_eos_token_id", Json());
  config.set("dtype", "float32");
  return config;
}

}  // namespace headwater
