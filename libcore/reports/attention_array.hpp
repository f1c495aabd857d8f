// Attention weights of several heads as one NumPy array.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "families/attention_trace.hpp"
#include "support/files.hpp"

namespace headwater {

// A NumPy file: float32 [layers, heads, q, k], little-endian, of one example and kind, each head of each
// layer once, layers outside. Weights wait in an UnnamedFile.
class AttentionArray {
 public:
  // The next head, whose rows follow, some at a time. Throws Error where it is of another example or kind.
  void begin(const AttentionRecord& record);
  void rows(std::span<const float> weights);
  // The same of a record with its weights.
  void add(const AttentionRecord& record);
  // The bytes of the file. Throws Error where there are no heads, or not the same of each layer.
  void write(const std::function<void(std::string_view)>& take) const;

 private:
  struct Head {
    std::int64_t layer, head;
  };
  std::size_t heads_a_layer() const;
  [[noreturn]] void refuse(std::int64_t example, AttentionKind kind, const Head& head) const;

  std::int64_t example_ = 0, queries_ = 0, keys_ = 0;
  AttentionKind kind_ = AttentionKind::encoder;
  std::vector<Head> heads_;
  UnnamedFile weights_;
};

}  // namespace headwater
