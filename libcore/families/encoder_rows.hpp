// The rows of what kinds with an encoder of texts share, and what must hold between them.
#pragma once

#include <string>

#include "families/family.hpp"
#include "families/model_rows.hpp"
#include "families/text_encoder/model.hpp"
#include "recipe/recipe.hpp"
#include "support/json.hpp"

namespace headwater {

// What further keys `mixing` reads.
void mixing_rows(schema::Visitor& v, MixingSettings& s, const TransformerSettings& transformer,
                 const std::string& kind);
// `mixing` of a kind with a decoder, and the size of its kernel; `has_lstm`: a word more.
void decoder_mixing_rows(schema::Visitor& v, MixingSettings& s, const std::string& kind, bool has_lstm);
// The keys of recurrent layers; `both`: of two directions, too; `cells`: the words of `mixing` that are such.
void recurrent_rows(schema::Visitor& v, MixingSettings& s, const std::string& kind, bool both,
                    std::string_view cells = "lstm or gru");
// Which keys of blocks are read, with the words of what is said about others.
class MixingKeys {
 public:
  MixingKeys(const MixingSettings& s, const std::string& kind);
  schema::When feed_forward() const { return {!is_recurrent_, who_, "blocks with a feed-forward"}; }
  BlockKeys blocks() const {
    const schema::When attention{has_attention_, who_, of_attention_};
    return {attention, feed_forward(), attention};
  }

 private:
  bool has_attention_, is_recurrent_;
  std::string who_, of_attention_;
};
// For a kind that is called so ("classifier") in messages: what mixes, the blocks, the embeddings.
void encoder_rows(schema::Visitor& v, TextEncoderSettings& s, const std::string& kind);
void padding_row(schema::Visitor& v, std::string& padding);
// max | mean | first, where it `has_last` also last; `what` the key means to that kind.
void pooling_row(schema::Visitor& v, std::string& pooling, const schema::Meaning& what,
                 bool has_last = false);

// Of a config.json: the keys of its kind, and the uncounted token of a published encoder, which no recipe
// says. `encoder` are the section's settings. Throws as read_settings does.
void read_encoder_settings(const Json& config, ModelSection& section, TextEncoderSettings& encoder);

// Shows its attention where it mixes by attention.
Offer offer_with_mixing(std::string noun, const MixingSettings& s, std::vector<Ability> abilities);

void check_mixing(const MixingSettings& s, const Complain& complain);
void check_encoder(const TextEncoderSettings& s, const Complain& complain);

}  // namespace headwater
