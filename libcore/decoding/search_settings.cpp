#include "decoding/search_settings.hpp"

namespace headwater {

GenerationSettings search_settings(const DecodingSettings& decoding) {
  GenerationSettings search;
  search.max_new_tokens = decoding.max_new_tokens;
  search.min_new_tokens = decoding.min_new_tokens;
  search.max_length_ratio = decoding.max_length_ratio;
  search.no_repeat_ngram_size = decoding.no_repeat_ngram_size;
  search.num_beams = decoding.num_beams;
  search.length_penalty = decoding.length_penalty;
  if (decoding.length_penalty_kind == "gnmt") search.length_penalty_kind = LengthPenaltyKind::gnmt;
  if (decoding.early_stopping == "never") search.early_stopping = EarlyStopping::never;
  if (decoding.early_stopping == "first") search.early_stopping = EarlyStopping::first;
  return search;
}

}  // namespace headwater
