// A model directory: raw text in, raw text out. Layout of the Hugging Face hub: config.json,
// model.safetensors, source- and target-tokenizer.json, generation_config.json, recipe.yaml;
// checkpoints/<step>/ hold the same files and what resuming needs.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "models/encoder_decoder.hpp"
#include "support/json.hpp"
#include "text/tokenizer.hpp"

namespace headwater {

// Everything that translating needs.
struct TranslationModel {
  std::filesystem::path files;  // the folder that was read: the directory itself or a checkpoint
  Tokenizer source_tokenizer, target_tokenizer;
  std::unique_ptr<EncoderDecoder> model;
  std::int64_t most_tokens =
      0;  // of a translation: max_length of generation_config.json; 0: the model's length
};

// `path` is a model directory (its best checkpoint is read; the newest complete one where there is no best
// yet) or one checkpoint. Throws Error naming the file, and what does not fit: a missing or further tensor, a
// wrong shape, a vocabulary of another size.
TranslationModel load_translation_model(const std::filesystem::path& path);

// The folder that load_translation_model would read.
std::filesystem::path model_files(const std::filesystem::path& path);

// config.json of an encoder-decoder, and back. Throws Error "where: what".
Json config_of(const EncoderDecoder& model, const Tokenizer& source, const Tokenizer& target);
std::unique_ptr<EncoderDecoder> model_of_config(const Json& config, const std::string& where);
Json generation_config_of(const Tokenizer& target, std::int64_t most_tokens);

// The tensors of a safetensors file into parameters of the same names and shapes; none may be missing or left
// over.
void read_parameters(const std::filesystem::path& file, Parameters& parameters);
// The same for parameters without memory yet, for inference. A file that this program wrote holds them as
// they are used: it stays mapped, nothing is copied.
void map_parameters(const std::filesystem::path& file, Parameters& parameters);

}  // namespace headwater
