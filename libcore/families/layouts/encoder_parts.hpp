// What layouts of text encoders have in common beside their tables: the keys of vectors that no config.json
// says, and how a model is written.
#pragma once

#include <string_view>

#include "families/layouts/layout.hpp"

namespace headwater {

// For a text encoder: files beside config.json say it.
inline constexpr UnsaidKey kVectorUnsaid[] = {{"pooling", kAnyValue, "mean"},
                                              {"pooler", kAnyValue, "false"},
                                              {"normalize", kAnyValue, "false"},
                                              {"max_tokens", kAnyValue, "0"},
                                              {"output_dropout", kAnyValue, "0"}};

// Keys of a masked language model in the layouts that have no other head.
inline constexpr UnsaidKey kHiddenTokensAlone[] = {{"next_sentence", "false"}, {"span_boundary", "false"}};

// Before the labels; where it is not said as many as elsewhere.
void read_head_dropout(std::string_view name, const Json& theirs, Json& ours);
void write_head_dropout(std::string_view name, const Json& ours, Json& theirs);
constexpr ConfigRow head_dropout_row() {
  return config_rows::own("classifier_dropout", "output_dropout", read_head_dropout, write_head_dropout);
}

// ExportParts of a text encoder, a classifier and a masked language model.
ExportParts text_encoder_parts(const ModelFolder& folder, Json& ours);
ExportParts text_classifier_parts(const ModelFolder& folder, Json& ours);
ExportParts masked_lm_parts(const ModelFolder& folder, Json& ours);

}  // namespace headwater
