// What decoding may generate, how it searches, and when it ends.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "families/generation_config.hpp"
#include "families/translator/shortlist.hpp"
#include "layers/packed_weights.hpp"
#include "recipe/recipe.hpp"
#include "text/tokenizer/tokenizer.hpp"

namespace headwater {

// Which tokens may follow so that the bytes of a text stay characters: for tokenizers whose tokens may be
// parts of one.
class CharacterGuard {
 public:
  // What a text ends with: whole characters, or a part of one that so many and such bytes complete (the
  // states of a recognizer of UTF-8, The Unicode Standard, table 3-7). Broken: bytes that no byte makes a
  // character.
  enum class State : std::uint8_t { whole, one, two, three, after_e0, after_ed, after_f0, after_f4, broken };

  // `end`: the end token; -1: there is none.
  CharacterGuard(const Tokenizer& tokenizer, std::int32_t end) : tokenizer_(tokenizer), end_(end) {}
  // Null where each token of the tokenizer is of whole characters.
  static std::shared_ptr<const CharacterGuard> of(const Tokenizer& tokenizer, std::int32_t end);

  // The state after one token more. NUL is broken: no line holds it.
  State next(State state, std::int32_t id) const;
  // After a text from its begin; what is broken is passed over.
  State after(std::span<const std::int32_t> ids) const;
  // All tokens after which the state is broken. From any thread.
  std::span<const std::int32_t> banned(State state) const;

 private:
  // Whether the token is a part of a character, or has a NUL; `bytes` are its own.
  bool is_partial(std::int32_t id, std::string& bytes) const;

  Tokenizer tokenizer_;
  std::int32_t end_;
  mutable std::array<std::once_flag, 8> is_made_;
  mutable std::array<std::vector<std::int32_t>, 8> banned_;
};

// Filters act in this order, each on what the one before left, as in Hugging Face's library.
struct SamplingSettings {
  double repetition_penalty = 1;  // of tokens that the text has, prompt and all (penalize_repetition)
  double temperature = 1;         // divides the logits
  std::int64_t top_k = 0;         // the most likely so many (Fan et al. 2018); 0: all
  double top_p = 1;               // the fewest that hold this share of the probability (Holtzman et al. 2020)
  double min_p = 0;  // those with at least this share of the most likely one's (Nguyen et al. 2024)
  std::uint64_t seed = 1;
};

struct AlignmentSettings {
  std::optional<Index> layer;  // of the decoder, from 0; none: the last
  std::optional<Index> head;   // none: the mean of all
};

// A caller sets the first part; generation_settings() of a model fills in the rest.
struct GenerationSettings {
  // As a recipe or the model's files say it. max_new_tokens counts no end token; 0: as many as the model's
  // length allows. num_beams above 1 is beam search.
  DecodingSettings search = {};
  std::int64_t n_best = 1;                          // hypotheses that are given, at most num_beams
  bool allows_unknown = false;                      // [UNK] may be chosen
  bool wants_scores = false;                        // of greedy decoding; beam search has them
  std::optional<SamplingSettings> sampling = {};    // in place of a search
  std::optional<AlignmentSettings> alignment = {};  // of translations; none: no alignments
  ComputeType compute_type = ComputeType::float32;  // of the search; alignments are of float32

  std::int32_t start_id = 2;                       // what an encoder-decoder's decoder reads first
  std::int32_t end_id = 3;                         // ends a sequence and is no part of it; -1: there is none
  std::vector<std::int32_t> other_end_ids = {};    // that end one, too
  std::int64_t max_length = 0;                     // of the prompt's tokens and the new ones; 0: any
  std::int64_t min_length = 0;                     // no end token before so many tokens, the prompt's counted
  std::vector<std::int32_t> suppress_tokens = {};  // are never chosen
  std::vector<std::int32_t> begin_suppress_tokens = {};          // are not chosen first
  std::vector<std::vector<std::int32_t>> banned_sequences = {};  // do not occur in what is generated
  std::int32_t forced_start_id = -1;  // follows a prompt of one token; -1: any token does
  bool forces_end = false;            // the longest text ends with end_id
  std::int64_t vocabulary_limit = 0;  // only ids below are chosen, where the output layer has rows
                                      // without a token; 0: all
  // Texts may grow longer than the model's length (window_begin), by max_new_tokens, which is not 0 then.
  // For language models.
  bool slides = false;
  bool renormalizes = false;      // of beams: the tokens that may be chosen have a sum of probabilities of 1
  double repetition_penalty = 1;  // of beams; Sampler has it for one hypothesis
  std::shared_ptr<const CharacterGuard> characters = nullptr;  // the text stays UTF-8; or none
  std::shared_ptr<const Shortlist> shortlist = nullptr;        // of what sources may become; or none

  bool is_end(std::int32_t id) const {
    return id >= 0 && (id == end_id || std::ranges::find(other_end_ids, id) != other_end_ids.end());
  }
  // The only token that may follow `made` tokens after a prompt of `prompt`, where `room` fit; -1: any.
  std::int32_t forced(std::int64_t prompt, std::int64_t made, std::int64_t room) const {
    if (forces_end && made + 1 == room) return end_id;
    return prompt + made == 1 ? forced_start_id : -1;
  }
};

// Puts what a published model's generation_config.json says over `search`: end tokens, forced and forbidden
// ones, penalties. Ids from `vocabulary` on are no tokens.
void set_published(GenerationSettings& search, const GenerationConfig& config, std::int64_t vocabulary);

// How the files draw tokens, where anything asks for that. Throws Error where they ask for what is not done.
SamplingSettings sampling_settings(const GenerationConfig& config);
// The same; nothing where the files ask for a search.
std::optional<SamplingSettings> sampling_of_files(const GenerationConfig& config);

}  // namespace headwater
