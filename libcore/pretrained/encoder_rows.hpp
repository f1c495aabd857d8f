// The rows of what kinds with an encoder of texts share, and what must hold between them.
#pragma once

#include <string>

#include "models/text_encoder.hpp"
#include "recipe/recipe.hpp"

namespace headwater {

// What further keys `mixing` reads.
void mixing_rows(schema::Visitor& v, MixingSettings& s, const TransformerSettings& transformer,
                 const std::string& kind);
// `mixing` of a kind with a decoder, and these.
void decoder_mixing_rows(schema::Visitor& v, MixingSettings& s, const TransformerSettings& transformer,
                         const std::string& kind);
// Of a kind that is called so ("classifier") in messages: what mixes, the blocks, the embeddings.
void encoder_rows(schema::Visitor& v, TextEncoderSettings& s, const std::string& kind);
void padding_row(schema::Visitor& v, std::string& padding);
// max | mean | first; `what` the key means to that kind.
void pooling_row(schema::Visitor& v, std::string& pooling, const schema::Meaning& what);

void check_mixing(const MixingSettings& s, const Complain& complain);
void check_encoder(const TextEncoderSettings& s, const Complain& complain);

}  // namespace headwater
