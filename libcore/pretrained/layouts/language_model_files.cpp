#include "pretrained/layouts/language_model_files.hpp"

#include "pretrained/language_model.hpp"
#include "pretrained/tokenizer_files.hpp"
#include "support/error.hpp"

namespace headwater {

ModelTokenizers one_tokenizer(const ModelFolder& folder) {
  const bool has_one = folder.has("tokenizer.json");
  if (!has_one && !folder.has("vocab.txt") && !(folder.has("vocab.json") && folder.has("merges.txt"))) {
    throw Error(
        folder.path.string() +
        ": has no tokenizer.json, no vocab.txt, and no vocab.json with merges.txt (a model without its "
        "tokenizer reads no text)");
  }
  return {Tokenizer::load(folder.path)};
}

ExportParts language_model_parts(const ModelFolder& folder, Json& ours) {
  const auto loaded = std::make_shared<LoadedLanguageModel>(load_language_model(folder));
  const SpecialIds ids = loaded->tokenizer.special_ids();
  Json generation;
  for (const auto& [name, id] :
       {std::pair{"bos_token_id", ids.start}, {"eos_token_id", ids.end}, {"pad_token_id", ids.pad}}) {
    ours.set(name, id >= 0 ? Json(std::int64_t{id}) : Json());
    generation.set(name, ours.at(name));
  }
  return {{loaded, &loaded->model->parameters()},
          {{"generation_config.json", generation.dump(2) + "\n"},
           tokenizer_file(loaded->tokenizer),
           tokenizer_config_file(loaded->tokenizer, loaded->model->length())}};
}

}  // namespace headwater
