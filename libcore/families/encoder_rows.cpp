#include "families/encoder_rows.hpp"

#include "families/config.hpp"

namespace headwater {

// "a classifier with mixing: mlp", of a kind as messages call it.
static std::string who_mixes(const std::string& kind, const MixingSettings& s) {
  return (kind.starts_with('e') ? "an " : "a ") + kind + " with mixing: " + s.mixing;
}

static void kernel_row(schema::Visitor& v, MixingSettings& s, const std::string& kind) {
  v.field(
      "kernel_size", &s.kernel_size, schema::Between{1, 255, "tokens"},
      "of mixing: convolution: an odd number of neighbouring tokens that it sees, of images the side of a "
      "square of patches",
      schema::When{s.mixing == "convolution", who_mixes(kind, s), kind + " with mixing: convolution"});
}

void mixing_rows(schema::Visitor& v, MixingSettings& s, const TransformerSettings& transformer,
                 const std::string& kind) {
  const std::string who = who_mixes(kind, s);
  v.field("mixing_width", &s.mixing_width, schema::Between{0, 1e6, "features"}, "hidden layer of mixing: mlp",
          schema::Follows{"model.feed_forward_width", feed_forward_width_of(transformer)},
          schema::When{s.mixing == "mlp", who, kind + " with mixing: mlp"});
  kernel_row(v, s, kind);
}

void decoder_mixing_rows(schema::Visitor& v, MixingSettings& s, const std::string& kind, bool has_lstm) {
  schema::OneOf words{{{"attention", "multi-head self-attention (Vaswani et al. 2017)"},
                       {"convolution",
                        "a depthwise separable convolution over the neighbours of a token or patch, in "
                        "decoders over those before it (Chollet 2017)"}}};
  if (has_lstm)
    words.words.emplace_back("lstm",
                             "a block is an LSTM layer (Hochreiter and Schmidhuber 1997) and dropout, "
                             "without norms, residual sum and feed-forward");
  words.words.emplace_back(
      "gru",
      "a block is a GRU layer (Cho et al. 2014) and dropout, without norms, residual sum and feed-forward");
  v.field("mixing", &s.mixing, words, "what mixes the tokens of a text");
  kernel_row(v, s, kind);
}

void recurrent_rows(schema::Visitor& v, MixingSettings& s, const std::string& kind, bool both,
                    std::string_view cells) {
  const std::string who = who_mixes(kind, s);
  if (both) {
    v.field(
        "bidirectional", &s.bidirectional, schema::Anything{},
        "of recurrent layers: a second one reads each text from its end, and the states of both are added "
        "(Schuster and Paliwal 1997)",
        schema::When{s.is_recurrent(), who, kind + " with mixing: " + std::string(cells)});
  }
  v.field("reset_after", &s.reset_after, schema::Anything{},
          "of mixing: gru: the reset gate acts on the product with the state, which then has a bias, as in "
          "Keras and PyTorch; `false`: on the state itself (Cho et al. 2014)",
          schema::When{s.mixing == "gru", who, kind + " with mixing: gru"});
}

MixingKeys::MixingKeys(const MixingSettings& s, const std::string& kind)
    : has_attention_(s.has_attention()),
      is_recurrent_(s.is_recurrent()),
      who_(who_mixes(kind, s)),
      of_attention_(kind + " with mixing: attention") {}

Offer offer_with_mixing(std::string noun, const MixingSettings& s, std::vector<Ability> abilities) {
  if (!s.has_attention()) return {std::move(noun) + " with mixing: " + s.mixing, std::move(abilities)};
  abilities.push_back(Ability::show_attention);
  return {std::move(noun), std::move(abilities)};
}

void check_mixing(const MixingSettings& s, const Complain& complain) {
  if (s.mixing == "convolution" && s.kernel_size % 2 == 0)
    complain({"model", "kernel_size"},
             "an even kernel has no middle (write " + std::to_string(s.kernel_size + 1) + ")");
}

void encoder_rows(schema::Visitor& v, TextEncoderSettings& s, const std::string& kind) {
  v.field("mixing", &s.mixing.mixing,
          schema::OneOf{
              {{"attention", "multi-head self-attention (Vaswani et al. 2017)"},
               {"fourier", "the Fourier transform, without parameters (FNet, Lee-Thorp et al. 2021)"},
               {"mlp",
                "two layers over the positions of the tokens or patches (MLP-Mixer, Tolstikhin et al. 2021)"},
               {"convolution",
                "a depthwise separable convolution over the neighbours of a token or patch, in decoders over "
                "those before it (Chollet 2017)"},
               {"lstm",
                "a block is an LSTM layer (Hochreiter and Schmidhuber 1997) and dropout, without norms, "
                "residual sum and feed-forward"},
               {"gru",
                "a block is a GRU layer (Cho et al. 2014) and dropout, without norms, residual sum and "
                "feed-forward"}}},
          "what mixes the tokens of a text");
  // What is read depends on what the reader has just put there.
  mixing_rows(v, s.mixing, s.transformer, kind);
  recurrent_rows(v, s.mixing, kind, true);
  const MixingKeys keys(s.mixing, kind);
  rows(v, s.transformer, keys.blocks());
  v.field("encoder_layers", &s.encoder_layers, schema::Between{0, 1000, "blocks"},
          "blocks of the encoder, one after the other");
  v.field("segments", &s.segments, schema::Between{0, 2, "segments"},
          "2: a vector for each text of a pair, added to its tokens (Devlin et al. 2019); 0: none");
  v.field("embedding_norm", &s.embedding_norm, schema::Anything{},
          "a layer norm after the sum of the embeddings (Devlin et al. 2019)", keys.feed_forward());
}

void read_encoder_settings(const Json& config, ModelSection& section, TextEncoderSettings& encoder) {
  if (config.find("uncounted_token") != nullptr)
    encoder.uncounted_token = whole(config, "uncounted_token", 0, 10000000);
  read_settings(config, section.settings());
}

void padding_row(schema::Visitor& v, std::string& padding) {
  v.field("padding", &padding,
          schema::OneOf{
              {{"none", "nothing is computed for positions without a token"},
               {"attended", "every text is filled up to length, and its padding counts as tokens"},
               {"pooled", "every text is filled up to length; its padding is pooled, but not attended to"}}},
          "what becomes of the positions that a short text leaves empty");
}

void pooling_row(schema::Visitor& v, std::string& pooling, const schema::Meaning& what, bool has_last) {
  schema::OneOf words{{{"max", "the largest value of each feature"},
                       {"mean", "the mean of each feature"},
                       {"first", "the first token alone"}}};
  if (has_last) words.words.emplace_back("last", "the last token alone");
  v.field("pooling", &pooling, words, what);
}

void check_encoder(const TextEncoderSettings& s, const Complain& complain) {
  check_transformer(s.transformer, s.mixing.mixing == "attention", complain);
  check_mixing(s.mixing, complain);
  if (s.padding == "pooled" && s.transformer.attention_window > 0) {
    complain(
        {"model", "attention_window"},
        "is for padding: none or attended (remove it: padding that is pooled only has no place among keys)");
  }
  if (s.padding == "pooled" && s.mixing.mixing != "attention") {
    complain(
        {"model", "padding"},
        "pooled is for mixing: attention (write attended, or none: only attention can leave padding out)");
  }
}

}  // namespace headwater
