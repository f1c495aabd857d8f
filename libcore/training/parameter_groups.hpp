// What the optimizer does to each parameter: which ones are frozen, which ones decay, and how fast each
// learns.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "autograd/parameter.hpp"
#include "recipe/recipe.hpp"

namespace headwater {

// Freezes the parameters whose names match a pattern, in which * stands for any text and ? for one byte: they
// keep their values. Throws UsageError for a pattern that matches nothing, or where nothing is left to train.
// Returns the parameters.
Parameters& freeze(Parameters& parameters, std::span<const std::string> patterns);

struct ParameterRule {
  double rate_factor = 1;   // of the learning rate
  double weight_decay = 0;  // of adamw
  std::int64_t after = 0;   // steps of the run before it learns
  bool operator==(const ParameterRule&) const = default;
};

// One for each of parameters.all(). Weight decay is of all, or of matrices alone: not of norms and biases,
// which are single rows, nor of tables. The learning rate is factor^depth of that of the head (ELECTRA, Clark
// et al. 2020; BEiT, Bao et al. 2022), where depth_of() counts.
std::vector<ParameterRule> parameter_rules(const OptimizerSettings& settings, const Parameters& parameters);

// Gradual unfreezing (ULMFiT, Howard and Ruder 2018, sec. 3.3): after how many steps each of parameters.all()
// begins to learn, by depth_of(), from the uppermost that is not frozen.
std::vector<std::int64_t> steps_before(const UnfreezeSettings& settings, const Parameters& parameters,
                                       std::int64_t steps_per_epoch);

// How many layers each parameter stands below the head: 0 for "head" and the norm at the end of the last
// stack, one more for each block from "STACK.NUMBER" of the last stack to the first, and most for what stands
// below all blocks (embeddings). A stack's own norm belongs to its last block; "decoder" is the last stack.
std::vector<std::int64_t> depth_of(const Parameters& parameters);

}  // namespace headwater
