// Which tokens may not come next.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decoding/generation_settings.hpp"
#include "tensor/kernels/argmax/argmax.hpp"

namespace headwater {

// The tokens that a step's rows may not choose: clear(), then add() each row's text in order, then columns().
// Its memory is kept.
class TokenBans {
 public:
  explicit TokenBans(const GenerationSettings& settings);

  bool reads_texts() const;
  // For rows that have `new_tokens` generated ones.
  void clear(std::int64_t new_tokens);
  // `text`: what the row has read, prompt and all; may be empty where texts are not read. `others`: what it
  // may not choose besides.
  void add(std::span<const std::int32_t> text, std::span<const std::int32_t> others = {});
  // Valid until the next call.
  kernels::BannedColumns columns() const;

 private:
  void add_repeated(std::span<const std::int32_t> text);
  void add_sequences(std::span<const std::int32_t> text);

  const GenerationSettings& settings_;
  std::int64_t new_tokens_ = 0;
  std::vector<std::int32_t> ends_, suppressed_, suppressed_with_end_;
  std::vector<Index> offsets_;
  std::vector<std::int32_t> columns_;
};

}  // namespace headwater
