// Which tokens of a text are hidden from a model that is to tell them, and what stands in their places.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "recipe/recipe.hpp"
#include "support/random.hpp"

namespace headwater {

// The epoch that validation texts, and those of evaluate, are hidden for: one that training never reaches.
inline constexpr std::uint32_t kValidationEpoch = 0xFFFFFFFF;

// What masking knows of a tokenizer; vectors have an entry for each id.
struct MaskingVocabulary {
  std::int32_t mask_id = -1;
  std::vector<std::uint8_t> is_special;  // such tokens are neither hidden nor drawn
  // A word begins with a token of the one, and after a token of the other.
  std::vector<std::uint8_t> begins_word, ends_word;
};

// A text with hidden tokens, and memory to make the next one in.
struct MaskedText {
  std::vector<std::int32_t> ids;     // as the model reads them
  std::vector<std::int32_t> places;  // of the hidden tokens in `ids`, ascending
  std::vector<std::int32_t> were;    // what they were
  // For spans, one a hidden token: the places of the tokens before and after its span, and its own in the
  // span, from 0.
  std::vector<std::int32_t> before, after, within;

  // Room for a text of so many tokens.
  void reserve(std::size_t tokens);

  struct Scratch {
    std::vector<std::int32_t> order;      // of the units, the first ones drawn
    std::vector<std::int32_t> begins;     // place of each unit's first token; units do not cross special ones
    std::vector<std::int32_t> ends;       // the place after its last
    std::vector<std::uint8_t> is_hidden;  // one a token
  } scratch;
};

// Hides tokens of texts (Devlin et al. 2019, sec. 3.1; whole words as in BERT's later releases; spans of
// Joshi et al. 2020, sec. 3.1). What is drawn depends on the stream alone.
class Masking {
 public:
  struct Settings {
    double share = 0.15;  // of a text's tokens, special ones not counted; at least one
    MaskingUnit unit = MaskingUnit::token;
    double mask_share = 0.8;  // of the hidden tokens (spans): [MASK] stands there
    double random_share =
        0.1;  // another token, drawn from all that are not special; of the rest the token itself
    double span_probability = 0.2;  // of the geometric distribution of a span's words
    std::int64_t longest_span = 10;
  };

  Masking(const Settings& settings, MaskingVocabulary vocabulary);

  // Hides up to share · n of the n tokens that are not special, and at least one where there is one. Replaces
  // what `made` held.
  void hide(const RandomStream& stream, std::span<const std::int32_t> ids, MaskedText& made) const;
  // How many tokens of n are hidden at the most.
  std::int64_t most_hidden(std::int64_t tokens) const;

  // Words of a span for a number in [0, 1): geometric, without what is longer than the longest. The mean
  // is 3.8 for the settings of Joshi et al.
  std::int64_t span_words(double uniform) const;

  const Settings& settings() const { return settings_; }

 private:
  class Draw;

  Settings settings_;
  MaskingVocabulary vocabulary_;
  std::vector<std::int32_t> ordinary_;      // ids that a random token is drawn from
  std::vector<double> span_probabilities_;  // cumulated, of 1, 2, ... words
};

}  // namespace headwater
