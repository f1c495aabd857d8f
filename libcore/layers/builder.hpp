// What layers are built with, and what a forward pass runs with.
#pragma once

#include <string>
#include <string_view>

#include "autograd/tape.hpp"
#include "support/hash.hpp"
#include "support/random.hpp"

namespace headwater {

struct LayerBuilder {
  Parameters& parameters;
};

// The number of a layer's stream of random masks: of its name, so that it does not depend on other layers.
inline std::uint32_t random_layer(std::string_view name) { return static_cast<std::uint32_t>(hash64(name)); }

class PackedWeights;

// What a forward pass of layers runs with. Dropout acts only where the tape records.
struct ForwardContext {
  Tape& tape;
  std::uint64_t seed = 0;
  std::uint32_t step = 0;  // of the optimizer, from 1; chooses the masks
  const PackedWeights* packed =
      nullptr;  // of a tape that does not record: products read these, if they have the weight

  RandomStream stream(Purpose purpose, std::uint32_t layer) const {
    return {.seed = seed, .purpose = purpose, .layer = layer, .step = step};
  }
};

}  // namespace headwater
