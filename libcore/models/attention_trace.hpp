// What a model hands out besides its result.
#pragma once

#include "layers/attention.hpp"
#include "models/attention_kind.hpp"

namespace headwater {

// Where the weights of one layer can be read from (kernels::attention_weights); valid until the arena is
// reset.
struct AttentionTrace {
  AttentionKind kind;
  Index layer;
  AttentionOutput attention;
};

}  // namespace headwater
