// Translation with an encoder-decoder, which has two tokenizers in its directory.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "families/family.hpp"
#include "families/generation_config.hpp"
#include "families/model_directory.hpp"
#include "families/source_ids.hpp"
#include "families/translator/model.hpp"
#include "families/translator/shortlist.hpp"
#include "text/tokenizer/tokenizer.hpp"

namespace headwater {

// Target ids with a meaning of their own.
struct TranslationIds {
  std::int32_t pad = -1;  // -1: none
  std::int32_t start = -1, end = -1;
  bool operator==(const TranslationIds&) const = default;
};
// Those of the tokenizer's special tokens.
TranslationIds translation_ids(const Tokenizer& target);

// Whether a model reads special tokens around a source that the tokenizer does not have.
bool lacks_source_ends(const EncoderDecoderSettings& settings, const Tokenizer& source);

// Everything that translating needs.
struct LoadedTranslator {
  std::filesystem::path files = {};  // the folder that was read: the directory itself or a checkpoint
  Tokenizer source_tokenizer, target_tokenizer;
  std::unique_ptr<EncoderDecoder> model = {};
  std::int64_t max_new_tokens = 0;   // of a translation (generation_config.json); 0: the model's length
  GenerationConfig generation = {};  // how it generates, but for that; a recipe's keys in training
  TranslationIds ids = {};
  bool uses_template = false;  // of the source tokenizer; our own models read ids as vectorize makes them
  bool appends_end = false;    // to a source
  std::shared_ptr<const Shortlist> shortlist = nullptr;  // of what sources may become; or none

  // Ids of a text as the encoder reads it, with the special tokens around it, at most the model's length;
  // none for a text without a token. A published model was trained with its special tokens around what was
  // kept of a text, and has them so; our own read what vectorize makes, the first ids of a line.
  SourceIds source_ids(std::string_view text) const;
  // The text of an id that the decoder reads. The start may be behind the vocabulary.
  std::string target_surface(std::int32_t id) const;
};

// `path` is a model directory (its best checkpoint is read; the newest complete one where there is no best
// yet) or one checkpoint. Throws Error naming the file, and what does not fit: a missing or further tensor, a
// wrong shape, a vocabulary of another size.
LoadedTranslator load_translator(const std::filesystem::path& path);
LoadedTranslator load_translator(const ModelFolder& folder);
// Its attention for one example.
std::unique_ptr<AttentionTracer> attention_tracer(LoadedTranslator model);

// The hidden states of its encoder.
std::unique_ptr<TextStates> text_states(LoadedTranslator model);

// The model section of a recipe with these settings.
ModelSection model_section(const EncoderDecoderSettings& settings);

// config.json, and back (without the parameters' memory). Throws Error "where: what".
Json config_of(const EncoderDecoder& model, const Tokenizer& source, const Tokenizer& target);
std::unique_ptr<EncoderDecoder> encoder_decoder_of_config(const Json& config, const std::string& where);
// All files of a directory but the weights. decoding.max_new_tokens 0: the model's length.
std::vector<DirectoryFile> translator_files(const EncoderDecoder& model, const Tokenizer& source,
                                            const Tokenizer& target, const DecodingSettings& decoding);
// Beside them in a directory that was made of one with a shortlist.
inline constexpr const char* kShortlistFile = "shortlist.bin";

}  // namespace headwater
