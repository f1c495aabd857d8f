#include "pretrained/encoder_rows.hpp"

#include "pretrained/model_rows.hpp"

namespace headwater {

void mixing_rows(schema::Visitor& v, MixingSettings& s, const TransformerSettings& transformer,
                 const std::string& kind) {
  const std::string who = "a " + kind + " with mixing: " + s.mixing;
  v.field("mixing_width", &s.mixing_width, schema::Between{0, 1e6, "features"}, "hidden layer of mixing: mlp",
          schema::Follows{"model.feed_forward_width", feed_forward_width_of(transformer)},
          schema::When{s.mixing == "mlp", who, kind + " with mixing: mlp"});
  v.field(
      "kernel_size", &s.kernel_size, schema::Between{1, 255, "tokens"},
      "an odd number: of mixing: convolution, the tokens or the side of the square of patches that one is "
      "made of",
      schema::When{s.mixing == "convolution", who, kind + " with mixing: convolution"});
}

void decoder_mixing_rows(schema::Visitor& v, MixingSettings& s, const TransformerSettings& transformer,
                         const std::string& kind) {
  v.field(
      "mixing", &s.mixing,
      schema::OneOf{{{"attention", "multi-head self-attention (Vaswani et al. 2017)"},
                     {"convolution",
                      "a depthwise separable convolution over the neighbours of a token, in decoders over "
                      "those before it (Chollet 2017)"}}},
      "what mixes the tokens of a text");
  mixing_rows(v, s, transformer, kind);
}

void check_mixing(const MixingSettings& s, const Complain& complain) {
  if (s.mixing == "convolution" && s.kernel_size % 2 == 0)
    complain({"model", "kernel_size"},
             "an even kernel has no middle (write " + std::to_string(s.kernel_size + 1) + ")");
}

void encoder_rows(schema::Visitor& v, TextEncoderSettings& s, const std::string& kind) {
  v.field(
      "mixing", &s.mixing.mixing,
      schema::OneOf{{{"attention", "multi-head self-attention (Vaswani et al. 2017)"},
                     {"fourier", "the Fourier transform, without parameters (FNet, Lee-Thorp et al. 2021)"},
                     {"mlp", "two layers over the positions (MLP-Mixer, Tolstikhin et al. 2021)"},
                     {"convolution",
                      "a depthwise separable convolution over the neighbours of a token (Chollet 2017)"}}},
      "what mixes the tokens of a text");
  // What is read depends on what the reader has just put there.
  mixing_rows(v, s.mixing, s.transformer, kind);
  const std::string who = "a " + kind + " with mixing: " + s.mixing.mixing;
  const schema::When attention{s.mixing.mixing == "attention", who, kind + " with mixing: attention"};
  rows(v, s.transformer, attention);
  v.field("encoder_layers", &s.encoder_layers, schema::Between{0, 1000, "blocks"},
          "blocks of the encoder, one after the other");
  v.field("segments", &s.segments, schema::Between{0, 2, "segments"},
          "2: a vector for each text of a pair, added to its tokens (Devlin et al. 2019); 0: none");
  v.field("embedding_norm", &s.embedding_norm, schema::Anything{},
          "a layer norm after the sum of the embeddings (Devlin et al. 2019)");
}

void padding_row(schema::Visitor& v, std::string& padding) {
  v.field("padding", &padding,
          schema::OneOf{{{"none", "nothing is computed for positions without a token"},
                         {"attended", "every text is filled up to length, and its padding counts as tokens"},
                         {"pooled", "so filled, but padding is pooled only, not attended to"}}},
          "what becomes of the positions that a short text leaves empty");
}

void pooling_row(schema::Visitor& v, std::string& pooling, const schema::Meaning& what) {
  v.field("pooling", &pooling,
          schema::OneOf{{{"max", "of each feature the largest"},
                         {"mean", "of each feature the mean"},
                         {"first", "the first token alone"}}},
          what);
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
