// Vectors of texts by an encoder. The directory holds config.json, model.safetensors and tokenizer.json.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "families/attention_trace.hpp"
#include "families/family.hpp"
#include "families/hidden_states.hpp"
#include "families/model_directory.hpp"
#include "families/source_ids.hpp"
#include "families/text_encoder/model.hpp"
#include "text/tokenizer/tokenizer.hpp"

namespace headwater {

struct LoadedTextEncoder {
  std::filesystem::path files;  // the folder that was read
  Tokenizer tokenizer;
  std::unique_ptr<TextEmbedder> model;
  std::size_t around;  // special tokens that the tokenizer's template puts around a text
  Index length;        // tokens of a text that are read, special ones counted
  Uncounted uncounted;

  void source_ids(std::string_view text, SourceIds& found) const {
    find_source_ids(tokenizer, around, length, text, found, uncounted);
  }
};

// Throws Error naming the file, and what does not fit.
LoadedTextEncoder load_text_encoder(const ModelFolder& folder);
// The model of a config.json, without its parameters' memory. Throws Error "where: what".
std::unique_ptr<TextEmbedder> text_embedder_of_config(const Json& config, const std::string& where);

// The model section of a recipe with these settings.
ModelSection model_section(const TextEmbedderSettings& settings);

// --- For all that have an encoder of texts -----------------------------------------------------------------

// An example is a text; each token of it is a query. What is derived from it owns the model.
class EncoderTracer : public AttentionTracer {
 public:
  // `name`: what the model is called, "classifier".
  EncoderTracer(std::string name, const TextEncoder& encoder) : name_(std::move(name)), encoder_(encoder) {}
  void check(const AttentionSelection& selection) const override;
  void visit(Arena& arena, std::span<const AttentionExample> examples, const AttentionSelection& selection,
             const UseHeads& use) const override;

 private:
  std::string name_;
  const TextEncoder& encoder_;
};

// For what has an encoder of texts; what is derived from it owns the model.
class EncoderStates : public TextStates {
 public:
  explicit EncoderStates(const TextEncoder& encoder) : encoder_(encoder) {}
  Index padded_length(Index words) const override { return encoder_.padded_length(words); }
  Index width(Index /*layers*/) const override { return encoder_.width(); }
  Index layers() const override { return encoder_.settings().encoder_layers; }
  Variable states(const ForwardContext& context, const ClassBatch& batch, Index layers) const override {
    return encoder_.states(context, batch.source, batch.segment_of, batch.words, layers);
  }
  std::string_view blocks() const override { return kEncoderBlocks; }

 private:
  const TextEncoder& encoder_;
};

}  // namespace headwater
