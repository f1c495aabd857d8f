#include "families/encoder_rows.hpp"

#include "families/config.hpp"

namespace headwater {

static MixingUse text_mixing(std::string_view kind) {
  return {.kind = kind, .allows = [](const MixerKind& mixer) { return mixer.encodes_texts; }};
}

void encoder_rows(schema::Visitor& v, TextEncoderSettings& s, std::string_view kind) {
  const MixingUse mixing = text_mixing(kind);
  mixing_rows(v, s.mixing, s.transformer, mixing);
  const BlockKeys keys = block_keys(s.mixing, mixing);
  rows(v, s.transformer, keys);
  v.field("encoder_layers", &s.encoder_layers, schema::Between{0, 1000, "blocks"},
          "blocks of the encoder, one after the other");
  v.field("segments", &s.segments, schema::Between{0, 2, "segments"},
          "2: a vector for each text of a pair, added to its tokens (Devlin et al. 2019); 0: none");
  v.field("embedding_norm", &s.embedding_norm, schema::Anything{},
          "a layer norm after the sum of the embeddings (Devlin et al. 2019)", keys.feed_forward);
}

void read_encoder_settings(const Json& config, ModelSection& section, TextEncoderSettings& encoder) {
  if (config.find("uncounted_token") != nullptr)
    encoder.uncounted_token = whole(config, "uncounted_token", 0, 10000000);
  read_settings(config, section.settings());
}

void padding_row(schema::Visitor& v, Padding& padding) {
  v.field("padding", &padding,
          {"nothing is computed for positions without a token",
           "every text is filled up to length, and its padding counts as tokens",
           "every text is filled up to length; its padding is pooled, but not attended to"},
          "what becomes of the positions that a short text leaves empty");
}

void pooling_row(schema::Visitor& v, ops::Pooling& pooling, const schema::Meaning& what, bool has_last) {
  schema::OneOf words{{{ops::Pooling::max, "the largest value of each feature"},
                       {ops::Pooling::mean, "the mean of each feature"},
                       {ops::Pooling::first, "the first token alone"}}};
  if (has_last) words.words.emplace_back(ops::Pooling::last, "the last token alone");
  v.field("pooling", &pooling, words, what);
}

void check_encoder(const TextEncoderSettings& s, const Complain& complain) {
  check_transformer(s.transformer, s.mixing.has_attention(), complain);
  check_mixing(s.mixing, s.transformer, complain);
  if (s.padding == Padding::pooled && s.transformer.attention_window > 0) {
    complain({"model", "attention_window"},
             "is for padding: none or attended (remove it: padding that is pooled only has no place among "
             "keys)");
  }
  const auto leaves_out = [](const MixerKind& mixer) { return mixer.leaves_out_keys; };
  if (s.padding == Padding::pooled && !leaves_out(mixer_kind(s.mixing.mixing))) {
    complain({"model", "padding"}, "pooled is for mixing: " + text_mixing("").names(leaves_out) +
                                       " (write attended, or none: only attention can leave padding out)");
  }
}

}  // namespace headwater
