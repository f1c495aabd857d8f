// Which tokens may not come next.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decoding/generation_settings.hpp"
#include "tensor/kernels/argmax/top_logits.hpp"

namespace headwater {

// The tokens that a step's rows may not choose: clear(), then add() each row's text in order, then columns().
// Its memory is kept.
class TokenBans {
 public:
  explicit TokenBans(const GenerationSettings& settings);

  bool reads_texts() const { return settings_.no_repeat_ngram_size > 0; }
  void clear();
  // `text`: what the row has read, prompt and all; may be empty where texts are not read. `others`: what it
  // may not choose besides.
  void add(std::span<const std::int32_t> text, std::span<const std::int32_t> others = {});
  // Valid until the next call: for rows that have `new_tokens` generated ones.
  kernels::BannedColumns columns(std::int64_t new_tokens) const;

 private:
  const GenerationSettings& settings_;
  std::vector<std::int32_t> suppressed_, suppressed_with_end_;
  std::vector<Index> offsets_;
  std::vector<std::int32_t> columns_;
};

}  // namespace headwater
