// Training examples whose text is cut into subwords anew in each epoch (subword regularization: Kudo 2018;
// BPE dropout: Provilkov et al. 2020).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "recipe/recipe.hpp"
#include "text/tokenizer/token_model.hpp"
#include "text/tokenizer/tokenizer.hpp"

namespace headwater {

// Resamples one column. What is drawn depends on seed, epoch, example and column alone.
class SubwordResampling {
 public:
  // Leaves ids as they are.
  SubwordResampling() = default;
  // `column`: 0 or 1. `max_length`: of a line with its special tokens. `where` names the tokenizer in
  // messages: UsageError where its model makes no such choices.
  SubwordResampling(const Tokenizer& tokenizer, const SubwordSamplingSettings& settings, std::uint64_t seed,
                    std::uint32_t column, std::int64_t max_length, const std::string& where);

  // The ids of this example in this epoch; `ids` are those of its text without choices. They lie in
  // `sampled`, or are `ids` themselves: where these are not what the tokenizer makes of their text (an
  // unknown token, a line that was cut), and where the choices made more than max_length.
  std::span<const std::int32_t> apply(std::span<const std::int32_t> ids, std::int64_t epoch,
                                      std::uint32_t example, std::vector<std::int32_t>& sampled) const;

 private:
  bool is_on_ = false;
  const Tokenizer* tokenizer_ = nullptr;
  SubwordSampling sampling_;
  std::uint64_t seed_ = 0;
  std::uint32_t column_ = 0;
  std::size_t max_length_ = 0;
};

}  // namespace headwater
