// A model directory: raw text in, raw text or labels out. Layout of the Hugging Face hub: config.json,
// model.safetensors, recipe.yaml; of a translator source- and target-tokenizer.json, generation_config.json;
// of a classifier tokenizer.json, of a bag of words terms.tsv too (classifier_directory.hpp).
// checkpoints/<step>/ hold the same files and what resuming needs.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>

#include "models/encoder_decoder.hpp"
#include "support/json.hpp"
#include "text/tokenizer.hpp"

namespace headwater {

enum class ModelKind { encoder_decoder, classifier, bag_of_words };

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

// The folder that loading `path` would read, whatever kind of model it holds. The files that the kind needs
// were compared with the manifest.
std::filesystem::path model_files(const std::filesystem::path& path);
// config.json of such a folder, and what kind of model it says. Throws Error naming the file.
Json read_config(const std::filesystem::path& files);
ModelKind model_kind(const std::filesystem::path& files);
// Throws Error that says what the folder holds and which tool reads it, where it is none of these kinds.
void check_kind(const std::filesystem::path& files, std::initializer_list<ModelKind> wanted);

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
