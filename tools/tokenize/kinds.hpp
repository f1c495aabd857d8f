// The kinds of tokenizers that --learn knows: what each is, and which options it reads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/learning/subword_learner.hpp"

namespace headwater::tokenize {

struct Kind {
  std::string_view name;
  const SubwordKind* subword = nullptr;  // of words and characters none
  bool splits_punctuation = false, has_min_frequency = false, has_coverage = false, has_suffix = false,
       has_special = true;
};

// nullptr where there is none.
const Kind* find_kind(std::string_view name);
std::vector<std::string> learned_kinds();  // their names
// "word, character or ...", and of those that have something "... and ...".
std::string kind_names();
std::string kind_names(bool Kind::*has);

}  // namespace headwater::tokenize
