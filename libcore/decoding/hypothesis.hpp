// A continuation of a prompt.
#pragma once

#include <cstdint>
#include <vector>

#include "decoding/generation_settings.hpp"

namespace headwater {

struct Hypothesis {
  std::vector<std::int32_t> ids;  // without end token
  bool is_ended = false;          // by an end token
  std::int32_t end_id = -1;       // by this one
  // What follows is 0 and empty where no scores are wanted. Natural logarithms, of the tokens that were
  // generated: not of a prompt's.
  std::vector<double> token_log_probabilities;  // of ids, and of the end token where there is one
  double log_probability = 0;                   // their sum
  double score = 0;                             // divided by the length penalty
};

using Hypotheses = std::vector<Hypothesis>;  // the best first

// What the log-probability of a hypothesis is divided by: the penalty of `tokens` >= 1, the end token
// counted. Its bits are the same on every machine.
double length_penalty(const GenerationSettings& settings, std::int64_t tokens);

}  // namespace headwater
