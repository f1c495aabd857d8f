// The tokenizer that a recipe asks for, and learning it from text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "recipe/recipe.hpp"
#include "text/learning/tokenizer_learner.hpp"

namespace headwater {

// A tokenizer to learn; the defaults are those of recipes.
struct TokenizerToLearn : TokenizerSettings {
  std::vector<std::string> special = {};  // tokens beside the usual ones
  std::string text_template = "none";     // or bert
  bool has_start_end = false;             // [START] and [END]
};

// The size to learn where the recipe has room for `size` tokens. A SubwordTextEncoder comes within 1 % of
// what it aims at, and has start and end beyond it.
std::int64_t size_to_learn(std::string_view kind, std::int64_t size);
// The tokenizer of this side, "source" or "target".
TokenizerToLearn tokenizer_to_learn(const Recipe& recipe, std::string_view side);
// Throws UsageError for settings that do not go together.
TokenizerLearner learner_of(const TokenizerToLearn& tokenizer);

// The most tokens of a text of this side that the model reads, without [START], [END] and those of a
// template; 0: any number.
std::int64_t max_text_tokens(const Recipe& recipe, std::string_view side);

}  // namespace headwater
