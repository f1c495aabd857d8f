// The layout in which Hugging Face's transformers keeps GPT-2 and models of its kind (model_type "gpt2"):
// what its config.json says, and how its tensors are named and shaped.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "checkpoint/safetensors.hpp"
#include "models/language_model.hpp"
#include "pretrained/language_model.hpp"
#include "support/json.hpp"

namespace headwater {

inline constexpr std::string_view kGpt2Type = "gpt2";

// The model of such a config.json, without the parameters' memory. Throws Error naming the member that is
// missing, out of range, or says what this program cannot do.
std::unique_ptr<LanguageModel> gpt2_of_config(const Json& config);
// Which keys of the recipe have values that the layout cannot say, all in one sentence; empty: none.
std::string unsayable_in_gpt2(const LanguageModelSettings& settings);
// The other way. Throws Error with that sentence.
Json gpt2_config_of(const LanguageModel& model, const SpecialIds& ids);

// Loads a folder in that layout with its tokenizer: tokenizer.json, or vocab.json and merges.txt. Throws
// Error naming the file.
LoadedLanguageModel load_gpt2(const ModelFolder& folder);

// The files beside model.safetensors of a directory in that layout. Throws Error naming the key of the recipe
// whose value the layout cannot say.
std::vector<DirectoryFile> gpt2_files(const LoadedLanguageModel& model);

// Fills the parameters, which have no memory yet, from the tensors of such a model; their names may begin
// with "transformer.".
void read_gpt2_parameters(const Safetensors& tensors, Parameters& parameters);
// model.safetensors of that layout.
void write_gpt2_parameters(const Parameters& parameters, const ByteSink& sink);

}  // namespace headwater
