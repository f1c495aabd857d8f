#include "models/attention_kind.hpp"

namespace headwater {

const char* name_of(AttentionKind kind) {
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

}  // namespace headwater
