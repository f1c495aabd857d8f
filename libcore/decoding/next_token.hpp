// The choice of the next token, which stands after the model.
#pragma once

#include <cstdint>
#include <span>

#include "layers/builder.hpp"
#include "tensor/kernels/argmax/top_logits.hpp"

namespace headwater {

// The rows of a step, one a sequence.
struct StepRows {
  Variable hidden;                         // what the model's output layer reads, [B, D]
  kernels::BannedColumns banned;           // what may not be chosen
  std::span<const std::uint64_t> numbers;  // whose random numbers each row draws
  std::int64_t new_tokens = 0;             // generated before this step
};

// What was chosen for a row: -1 where nothing may be. The log-probability is 0 where the choice knows none.
struct Chosen {
  std::int32_t id = -1;
  double log_probability = 0;
};

class NextToken {
 public:
  virtual ~NextToken() = default;
  // One for each row. From any thread. The context has packed weights.
  virtual void choose(const ForwardContext& context, const StepRows& rows,
                      std::span<Chosen> chosen) const = 0;
};

}  // namespace headwater
