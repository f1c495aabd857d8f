// What layers are built with: where parameters are declared, and a number for each user of random masks.
#pragma once

#include <string>

#include "autograd/tape.hpp"
#include "support/random.hpp"

namespace headwater {

struct LayerBuilder {
  Parameters& parameters;
  std::uint32_t next_random_layer = 0;
};

class PackedWeights;

// What a forward pass of layers runs with. Dropout acts only where the tape records.
struct ForwardContext {
  Tape& tape;
  std::uint64_t seed = 0;
  std::uint32_t step = 0;                 // of the optimizer, from 1; chooses the masks
  const PackedWeights* packed = nullptr;  // of a tape that does not record: products read these weights

  RandomStream stream(Purpose purpose, std::uint32_t layer) const {
    return {.seed = seed, .purpose = purpose, .layer = layer, .step = step};
  }
};

}  // namespace headwater
