// What decoding may generate, how it searches, and when it ends.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "decoding/character_guard.hpp"

namespace headwater {

// What a hypothesis of `n` tokens, the end token counted, has its log-probability divided by:
// n^alpha, as Marian and Hugging Face's library do, or ((5 + n) / 6)^alpha (Wu et al. 2016, eq. 14).
enum class LengthPenaltyKind { power, gnmt };

// When the search for a sentence ends before its hypotheses do. Each is Hugging Face's rule of the value
// named.
enum class EarlyStopping {
  never,      // ("never") when no live hypothesis can reach the finished ones at any length: exact
  heuristic,  // (false) when none would reach the worst finished one if it ended now
  first       // (true) as soon as num_beams hypotheses have ended
};

struct GenerationSettings {
  std::int32_t start_id = 2;                     // what an encoder-decoder's decoder reads first
  std::int32_t end_id = 3;                       // ends a sequence and is no part of it; -1: there is none
  std::vector<std::int32_t> other_end_ids = {};  // that end one, too
  std::int64_t max_new_tokens = 0;  // without the end token; 0: as many as the model's length allows
  std::int64_t max_length = 0;      // the same with the prompt's tokens; 0: any
  std::int64_t min_length = 0;      // no end token before so many tokens, the prompt's counted
  std::vector<std::int32_t> suppress_tokens = {};                // are never chosen
  std::vector<std::int32_t> begin_suppress_tokens = {};          // are not chosen first
  std::vector<std::vector<std::int32_t>> banned_sequences = {};  // do not occur in what is generated
  std::int32_t forced_start_id = -1;  // follows a prompt of one token; -1: any token does
  bool forces_end = false;            // the longest text ends with end_id
  std::int64_t vocabulary_limit = 0;  // only ids below are chosen, where the output layer has rows
                                      // without a token; 0: all
  std::int64_t min_new_tokens = 0;    // the end token is not chosen before so many others
  double max_length_ratio = 0;        // at most so many new tokens for each of the source; 0: no limit
  // Texts may grow longer than the model's length (text_window.hpp), by max_new_tokens, which is not 0 then.
  // For language models.
  bool slides = false;
  std::int64_t no_repeat_ngram_size = 0;  // no n-gram of this size occurs twice in a text; 0: any may

  std::int64_t num_beams = 1;  // hypotheses that live side by side; 1: greedy
  double length_penalty = 1;   // alpha
  LengthPenaltyKind length_penalty_kind = LengthPenaltyKind::power;
  EarlyStopping early_stopping = EarlyStopping::heuristic;
  double repetition_penalty = 1;  // of beams; Sampler has it for one hypothesis
  bool renormalizes = false;      // of beams: the tokens that may be chosen have a sum of probabilities of 1
  std::int64_t n_best = 1;        // hypotheses that are given, at most num_beams
  bool wants_scores = false;      // of greedy decoding; beam search has them
  std::shared_ptr<const CharacterGuard> characters = nullptr;  // the text stays UTF-8; or none

  bool is_end(std::int32_t id) const {
    return id >= 0 && (id == end_id || std::ranges::find(other_end_ids, id) != other_end_ids.end());
  }
  // The only token that may follow `made` tokens after a prompt of `prompt`, where `room` fit; -1: any.
  std::int32_t forced(std::int64_t prompt, std::int64_t made, std::int64_t room) const {
    if (forces_end && made + 1 == room) return end_id;
    return prompt + made == 1 ? forced_start_id : -1;
  }
};

}  // namespace headwater
