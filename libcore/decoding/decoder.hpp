// Continues sequences with key and value caches: one token of each sequence a step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "decoding/candidate_columns.hpp"
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

// Decodes with one model again and again: packed weights and working memory are kept. The model's weights
// must not change while this lives.
class Decoder {
 public:
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
                                           std::span<const Phrases> phrases) const;

  const CachedModel& model_;
  PackedWeights packed_;
  double largest_hidden_;  // Euclidean length of a row for which all logits are finite
  Arena arena_;
};

// Prompts that one thread decodes side by side, and what every way of choosing their tokens needs.
struct DecodingGroup {
  const CachedModel& model;
  const ForwardContext& context;  // with packed weights; its tape does not record
  const GenerationSettings& settings;
  double largest_hidden;
  const Prompts& prompts;
  std::span<const Index> room;                        // how many ids may follow each prompt
  std::span<Hypotheses> results;                      // of each prompt, empty at first
  std::span<const Phrases> phrases = {};              // of each prompt, where one has some; for beam search
  std::span<const CandidateColumns> candidates = {};  // for each prompt; empty: all tokens
};

// The ids that the caches of these prompts must hold.
Index capacity_of(const DecodingGroup& group);
// Throws LineError with sequence[row], the prompt of each row, where a row's logits may not be finite.
void check_hidden(const DecodingGroup& group, const Variable& hidden, std::span<const Index> sequence);

// Where texts slide: slots[row], if it is full, reads the end of texts[row] anew, but for the last id, which
// the next step reads.
void slide(const DecodingGroup& group, DecoderState& state, std::span<const Index> slots,
           std::span<const std::span<const std::int32_t>> texts);

// What a model reads of a text that is longer than it was trained for: where the ids begin that a model of
// `length` positions reads of a text of `tokens` ids, to choose the next. A text that is too long loses its
// first half-length, as often as it must: the rest is read anew, at the positions from 0 on. So for half a
// length of new ids nothing is read twice, and it is a function of the text alone, however much of it was the
// prompt.
Index window_begin(Index tokens, Index length);

// What is read of each prompt at first.
Prompts windows_of(const Prompts& prompts, Index length);

// Beam search (Sutskever et al. 2014): num_beams hypotheses of each prompt side by side, n_best of those that
// ended.
void decode_with_beams(const DecodingGroup& group);

// A token a step, one hypothesis a prompt; `first`: the number of the group's first one.
void decode_token_by_token(const DecodingGroup& group, const TokenByToken& how, std::size_t first);

}  // namespace headwater
