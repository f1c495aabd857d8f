// Vectors of texts by an encoder. The directory holds config.json, model.safetensors and tokenizer.json.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "families/kind.hpp"
#include "families/model_directory.hpp"
#include "families/source_ids.hpp"
#include "models/text_embedder.hpp"
#include "text/tokenizer/tokenizer.hpp"

namespace headwater {

struct LoadedTextEncoder {
  std::filesystem::path files;  // the folder that was read
  Tokenizer tokenizer;
  std::unique_ptr<TextEmbedder> model;
  std::size_t around;  // special tokens that the tokenizer's template puts around a text

  void source_ids(std::string_view text, SourceIds& found) const {
    find_source_ids(tokenizer, around, model->length(), text, found);
  }
};

// Throws Error naming the file, and what does not fit.
LoadedTextEncoder load_text_encoder(const ModelFolder& folder);
// The model of a config.json, without its parameters' memory. Throws Error "where: what".
std::unique_ptr<TextEmbedder> text_embedder_of_config(const Json& config, const std::string& where);

// The model section of a recipe with these settings.
ModelSection model_section(const TextEmbedderSettings& settings);

}  // namespace headwater
