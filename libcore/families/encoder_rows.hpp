// The rows of what kinds with an encoder of texts share, and what must hold between them.
#pragma once

#include <string>
#include <string_view>

#include "families/mixing_rows.hpp"
#include "families/text_encoder/model.hpp"
#include "recipe/recipe.hpp"
#include "support/json.hpp"

namespace headwater {

// For a kind that is called so ("classifier"): what mixes, the blocks, the embeddings.
void encoder_rows(schema::Visitor& v, TextEncoderSettings& s, std::string_view kind);
void padding_row(schema::Visitor& v, Padding& padding);
// max | mean | first, where it `has_last` also last; `what` the key means to that kind.
void pooling_row(schema::Visitor& v, ops::Pooling& pooling, const schema::Meaning& what,
                 bool has_last = false);

// Reads a config.json: the keys of its kind, and the uncounted token of a published encoder, which no recipe
// says. `encoder` are the section's settings. Throws as read_settings does.
void read_encoder_settings(const Json& config, ModelSection& section, TextEncoderSettings& encoder);

void check_encoder(const TextEncoderSettings& s, const Complain& complain);

}  // namespace headwater
