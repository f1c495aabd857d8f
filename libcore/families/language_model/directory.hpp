// A language model, which has one tokenizer in its directory.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "families/family.hpp"
#include "families/generation_config.hpp"
#include "families/language_model/model.hpp"
#include "families/model_directory.hpp"
#include "text/tokenizer/tokenizer.hpp"

namespace headwater {

struct ExportParts;  // families/layouts/layout.hpp

// Everything that continuing a text needs.
struct LoadedLanguageModel {
  std::filesystem::path files;  // the folder that was read: the directory itself or a checkpoint
  Tokenizer tokenizer;
  std::unique_ptr<LanguageModel> model;
  std::int32_t delimiter = -1;       // the token after every prompt (model.delimiter); -1: none
  GenerationConfig generation = {};  // for generate, which reads it: other tools do not need it

  // The ids of a text that is to be continued, the delimiter after them.
  std::vector<std::int32_t> prompt_ids(std::string_view text) const;
};

// The id of model.delimiter; -1 where there is none. Throws UsageError where the tokenizer, of this path, has
// no such special token.
std::int32_t delimiter_of(const LanguageModelSettings& settings, const Tokenizer& tokenizer,
                          const std::string& path);

// `path` as for load_translator. Throws Error naming the file, and what does not fit; also where the
// directory holds another kind of model.
LoadedLanguageModel load_language_model(const std::filesystem::path& path);
LoadedLanguageModel load_language_model(const ModelFolder& folder);
// Its attention for one example.
std::unique_ptr<AttentionTracer> attention_tracer(LoadedLanguageModel model);

// Its hidden states.
std::unique_ptr<TextStates> text_states(LoadedLanguageModel model);

// The model section of a recipe with these settings.
ModelSection model_section(const LanguageModelSettings& settings);

// config.json, and back (without the parameters' memory). Throws Error "where: what".
Json config_of(const LanguageModel& model, const Tokenizer& tokenizer);
std::unique_ptr<LanguageModel> language_model_of_config(const Json& config, const std::string& where);

// What a published layout has of a language model beside config.json and weights; `ours` gets its special
// ids.
ExportParts language_model_parts(const ModelFolder& folder, Json& ours);

}  // namespace headwater
