// optimizer.safetensors of a checkpoint: the states of an optimizer and of averages, tensor by tensor, so
// that ranks that share states out need not have them whole.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/safetensors.hpp"
#include "training/optimizer.hpp"

namespace headwater {

// Gives a parameter's numbers of a state, which are there until the next call; or takes them.
using GiveNumbers = std::function<std::span<const Real>(const Optimizer::State&, std::size_t place)>;
using TakeNumbers =
    std::function<void(const Optimizer::State&, std::size_t place, std::span<const Real> numbers)>;

// Throws Error where a number of `what` ("the value") of a parameter is not finite.
void check_finite(std::span<const Real> numbers, const std::string& what, const Parameter& p,
                  std::int64_t step);

// Asks for all parameters of a state, then of the next by name. Without `give` no state is shared out. Throws
// Error where a number is not finite.
void write_states(std::vector<Optimizer::State> states, const Parameters& parameters, const GiveNumbers& give,
                  std::int64_t step, const ByteSink& sink);

// In the order of `states`; without `take` into their arrays. Throws Error where a tensor is missing or of
// another size.
void read_states(const fs::path& path, const std::vector<Optimizer::State>& states,
                 const Parameters& parameters, const TakeNumbers& take);

}  // namespace headwater
