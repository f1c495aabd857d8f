// Continues sequences with key and value caches: one token of each sequence a step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "decoding/ensemble.hpp"
#include "decoding/generation_settings.hpp"
#include "decoding/next_token.hpp"
#include "decoding/phrases.hpp"
#include "layers/packed_weights.hpp"
#include "models/cached_model.hpp"

namespace headwater {

// A continuation of a prompt.
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

// Decodes with one model, or several, again and again: packed weights and working memory are kept. The
// models' weights must not change while this lives.
class Decoder {
 public:
  explicit Decoder(DecodingModels models) : models_(std::move(models)) {}
  explicit Decoder(const CachedModel& model, ComputeType compute_type = ComputeType::float32);

  // For each prompt, none longer than the model's length unless settings.slides, what follows it: the n_best
  // hypotheses of beam search, or fewer where there are fewer, and the one of greedy decoding where num_beams
  // is 1. A result depends on its own prompt only: the same for every batch, of either compute type. Throws
  // LineError with the prompt's number where what the output layer reads is not finite, or so large that its
  // logits may not be.
  // `phrases`, where given: what the hypotheses of each prompt contain, by beam search; where there is no
  // room for all of them, none is asked for.
  std::vector<Hypotheses> decode(const Prompts& prompts, const GenerationSettings& settings,
                                 std::span<const Phrases> phrases = {});
  // One hypothesis each, by another choice.
  std::vector<Hypotheses> decode(const Prompts& prompts, const GenerationSettings& settings,
                                 const TokenByToken& how);

 private:
  // decode_group(group, number of its first prompt) for groups that run at the same time.
  template <class F>
  std::vector<Hypotheses> decode_groups(const Prompts& prompts, const GenerationSettings& settings,
                                        std::span<const Phrases> phrases, const F& decode_group);
  // By the shortlist of the settings, and what phrases need; none without a shortlist.
  std::vector<CandidateColumns> candidates(const Prompts& prompts, const GenerationSettings& settings,
                                           std::span<const Phrases> phrases, Arena& arena) const;

  DecodingModels models_;
  Arena arena_;
};

}  // namespace headwater
