#include "pretrained/layouts/one_tokenizer.hpp"

#include "support/error.hpp"

namespace headwater {

ModelTokenizers one_tokenizer(const ModelFolder& folder) {
  const bool has_one = folder.has("tokenizer.json");
  if (!has_one && !(folder.has("vocab.json") && folder.has("merges.txt"))) {
    throw Error(
        folder.path.string() +
        ": has no tokenizer.json, and no vocab.json with merges.txt (a model without its tokenizer reads "
        "no text)");
  }
  return {Tokenizer::load(has_one ? folder.path / "tokenizer.json" : folder.path)};
}

}  // namespace headwater
