// What a file of ids holds, as vectorize --output dataset writes it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "checkpoint/safetensors.hpp"
#include "support/json.hpp"
#include "text/tokenizer/tokenizer.hpp"

namespace headwater {

class StreamSummary {
 public:
  // Reads all ids once. With the tokenizer that made them, else null: also how many are unknown. Throws Error
  // where the file is no such file, or another tokenizer's.
  StreamSummary(const Safetensors& file, const Tokenizer* tokenizer);

  std::string text() const;
  Json json() const;

 private:
  std::int64_t vocabulary_ = 0, tokens_ = 0, different_ = 0;
  std::int64_t unknown_ = -1;  // -1: not known
  std::string hash_;           // of the vocabulary
};

}  // namespace headwater
