#include "families/layouts/language_model_files.hpp"

#include "families/language_model.hpp"
#include "families/tokenizer_files.hpp"
#include "support/error.hpp"

namespace headwater {

ModelTokenizers one_tokenizer(const ModelFolder& folder) {
  const bool has_one = folder.has("tokenizer.json");
  if (!has_one && folder.has("tekken.json"))
    throw Error(folder.path.string() +
                ": has tekken.json alone, a tokenizer of another program, which is not read (in Python: "
                "AutoTokenizer.from_pretrained(DIR).save_pretrained(NEW) writes a tokenizer.json)");
  if (!has_one && !folder.has("vocab.txt") && !(folder.has("vocab.json") && folder.has("merges.txt"))) {
    throw Error(
        folder.path.string() +
        ": has no tokenizer.json, no vocab.txt, and no vocab.json with merges.txt (a model without its "
        "tokenizer reads no text)");
  }
  return {Tokenizer::load(folder.path)};
}

// As ours: padding, start, the unknown token and the delimiter are never chosen. What a published model says
// stays.
static Json language_generation_config(const ModelFolder& folder, const LoadedLanguageModel& model) {
  if (folder.layout != nullptr) return generation_members(folder);
  const SpecialIds ids = model.tokenizer.special_ids();
  Json generation;
  for (const auto& [name, id] :
       {std::pair{"bos_token_id", ids.start}, {"eos_token_id", ids.end}, {"pad_token_id", ids.pad}})
    generation.set(name, id >= 0 ? Json(std::int64_t{id}) : Json());
  Json::Array suppressed;
  for (const std::int32_t id : {ids.pad, ids.start, model.tokenizer.unknown_id(), model.delimiter}) {
    if (id >= 0 && id != ids.end) suppressed.emplace_back(std::int64_t{id});
  }
  if (!suppressed.empty()) generation.set("suppress_tokens", std::move(suppressed));
  return generation;
}

ExportParts language_model_parts(const ModelFolder& folder, Json& ours) {
  const auto loaded = std::make_shared<LoadedLanguageModel>(load_language_model(folder));
  const Json generation = language_generation_config(folder, *loaded);
  for (const char* const name : {"bos_token_id", "eos_token_id", "pad_token_id"}) {
    const Json* const id = generation.find(name);
    ours.set(name, id != nullptr ? *id : Json());
  }
  return {{loaded, &loaded->model->parameters()},
          {{"generation_config.json", generation.dump(2) + "\n"},
           {"tokenizer.json", published_tokenizer_text(loaded->tokenizer)},
           tokenizer_config_file(loaded->tokenizer, loaded->model->length())}};
}

}  // namespace headwater
