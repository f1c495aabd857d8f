// What a model hands out besides its result.
#pragma once

#include "layers/attention.hpp"

namespace headwater {

// Who looks at whom: the encoder at itself, the decoder at itself, the decoder at the encoder.
enum class AttentionKind { encoder, decoder, cross };

inline const char* name_of(AttentionKind kind) {
  switch (kind) {
    case AttentionKind::encoder:
      return "encoder";
    case AttentionKind::decoder:
      return "decoder";
    case AttentionKind::cross:
      return "cross";
  }
  return "";
}

// Where the weights of one layer can be read from (kernels::attention_weights); valid until the arena is
// reset.
struct AttentionTrace {
  AttentionKind kind;
  Index layer;
  AttentionOutput attention;
};

}  // namespace headwater
