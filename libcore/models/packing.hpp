// From the batches of data/ to what operations take.
#pragma once

#include <new>

#include "autograd/tape.hpp"

namespace headwater {

// The packing of PackedTokens, SequenceRows or TokenSubset, kept in the tape's arena.
template <class Rows>
const Packing& pack(Tape& tape, const Rows& rows) {
  return *new (tape.arena().allocate(sizeof(Packing))) Packing{rows.offsets, &rows.plan, rows.first_token};
}

}  // namespace headwater
