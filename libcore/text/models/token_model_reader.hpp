// Reads the member "model" of a tokenizer.json by its type. A new type is a reader and a row of the table.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "support/json.hpp"
#include "text/tokenizer/token_model.hpp"

namespace headwater {

// What a reader is given: the member, "PATH: model", and the special tokens of the file, which text never
// gives.
struct ModelPart {
  const Json& json;
  std::string where;
  const std::set<std::string, std::less<>>& special;
};

struct ModelOfFile {
  std::vector<std::string> surfaces;  // in the order of their ids
  std::int32_t unknown_id = -1;
  std::shared_ptr<const TokenModel> model;
};

// Throws Error "where: what"; also for a type that is not known.
ModelOfFile read_token_model(const ModelPart& part);

// The member "vocab" {surface: id}: ids from 0 without gaps.
std::vector<std::string> read_vocab(const ModelPart& part);

// The id of a surface, or Error "where.member: ... is not in the vocabulary".
std::int32_t id_of_surface(const std::vector<std::string>& surfaces, const std::string& surface,
                           const ModelPart& part, const char* member);

// The surfaces as a model may find them in text: special ones are empty, and no piece of text is.
std::vector<std::string> findable_surfaces(const ModelOfFile& file, const ModelPart& part);

}  // namespace headwater
