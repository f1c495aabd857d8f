// The ids of surface forms, as Tokenizer::id_of_token has them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "text/tokenizer/tokenizer.hpp"

inline std::vector<std::int32_t> ids_of_tokens(const headwater::Tokenizer& tokenizer,
                                               const std::vector<std::string>& tokens) {
  std::vector<std::int32_t> ids;
  for (const std::string& token : tokens) ids.push_back(tokenizer.id_of_token(token));
  return ids;
}
