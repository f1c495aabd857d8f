// A shortlist learned from pairs: the likeliest translations of each source token
// (data/word_translations.hpp).
#pragma once

#include <cstdint>
#include <string>

#include "data/token_dataset.hpp"
#include "families/translator/directory.hpp"
#include "recipe/recipe.hpp"

namespace headwater {

struct LearnedShortlist {
  std::string bytes;  // of its file
  // Of some of the pairs: how many tokens the list of a source has, and which share of the target's tokens.
  double tokens = 0, coverage = 0;
  std::int64_t without_list = 0;  // source tokens that stand in too few pairs
};

// Of pairs with the columns of translation_columns(). The same bytes with any number of threads.
LearnedShortlist learn_shortlist(const TokenDataset& pairs, const LoadedTranslator& model,
                                 const ShortlistSettings& settings);

}  // namespace headwater
