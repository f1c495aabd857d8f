// Who looks at whom: the encoder at itself, the decoder at itself, the decoder at the encoder.
#pragma once

namespace headwater {

enum class AttentionKind { encoder, decoder, cross };
const char* name_of(AttentionKind kind);

}  // namespace headwater
