// The choice of the next token, which stands after the model.
#pragma once

#include <cstdint>
#include <span>

#include "layers/builder.hpp"

namespace headwater {

class NextToken {
 public:
  virtual ~NextToken() = default;
  // hidden: what the model's output layer reads, [B, D]; next: an id for each row.
  virtual void choose(const ForwardContext& context, const Variable& hidden,
                      std::span<std::int32_t> next) const = 0;
};

}  // namespace headwater
