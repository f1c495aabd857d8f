// The layout in which Hugging Face's transformers keeps Marian's translators (model_type "marian"): what its
// config.json says, and how its tensors are named and shaped.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/safetensors.hpp"
#include "models/encoder_decoder.hpp"
#include "pretrained/translator.hpp"
#include "support/json.hpp"

namespace headwater {

inline constexpr std::string_view kMarianType = "marian";

// The model of such a config.json, without the parameters' memory, and its ids. Throws Error naming the
// member that is missing, out of range, or says what this program cannot do.
std::unique_ptr<EncoderDecoder> marian_of_config(const Json& config);
TranslationIds marian_ids(const Json& config);
// Which keys of the recipe have values that the layout cannot say, all in one sentence; empty: none.
std::string unsayable_in_marian(const EncoderDecoderSettings& settings);
// The other way. Throws Error with that sentence.
Json marian_config_of(const EncoderDecoder& model, const TranslationIds& ids);

// Loads a folder in that layout with tokenizers: source-tokenizer.json and target-tokenizer.json,
// tokenizer.json for both, or source.spm, target.spm and vocab.json. Throws Error naming the file.
LoadedTranslator load_marian(const ModelFolder& folder);

// The files beside model.safetensors of a directory in that layout, with which it is read back with the same
// translations. Throws Error naming the key of the recipe whose value the layout cannot say.
std::vector<DirectoryFile> marian_files(const LoadedTranslator& model);

// Fills the parameters, which have no memory yet, from the tensors of such a model.
void read_marian_parameters(const Safetensors& tensors, Parameters& parameters);
// model.safetensors of that layout.
void write_marian_parameters(const Parameters& parameters, const ByteSink& sink);

}  // namespace headwater
