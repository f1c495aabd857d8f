#include "training/summary.hpp"

#include <string_view>

namespace headwater {

namespace {

std::string line(std::string_view name, const std::string& value) {
  return std::string(name) + "\t" + value + "\n";
}

}  // namespace

std::string describe_run(const Recipe& recipe, const Parameters& parameters, const Trainer& trainer,
                         std::size_t arena_bytes) {
  const std::int64_t bytes = parameters.size() * static_cast<std::int64_t>(sizeof(Real));
  const std::int64_t gradients = trainer.bytes_of_gradients();
  const std::int64_t state = trainer.bytes_of_state();
  return line("recipe", recipe.name) + line("steps_an_epoch", std::to_string(trainer.steps_per_epoch())) +
         line("steps", std::to_string(trainer.total_steps())) +
         line("parameters", std::to_string(parameters.size())) +
         line("bytes_of_parameters_and_gradients", std::to_string(bytes + gradients)) +
         line("bytes_of_optimizer_state", std::to_string(state)) +
         line("bytes_of_a_step", std::to_string(arena_bytes)) +
         (trainer.bytes_of_exchange() > 0
              ? line("bytes_exchanged_a_step", std::to_string(trainer.bytes_of_exchange()))
              : "") +
         line("bytes", std::to_string(bytes + gradients + state + static_cast<std::int64_t>(arena_bytes)));
}

}  // namespace headwater
