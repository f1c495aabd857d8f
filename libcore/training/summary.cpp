#include "training/summary.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <string_view>

#include "support/error.hpp"
#include "support/numbers.hpp"

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

std::string benchmark_steps(Trainer& trainer, std::int64_t steps) {
  constexpr std::int64_t kUntimed = 3;  // caches and clocks settle
  using Clock = std::chrono::steady_clock;
  if (trainer.total_steps() <= kUntimed)
    throw UsageError("--benchmark-steps: the run has " + counted(trainer.total_steps(), "step") +
                     ", of which the first three are not timed (give it more epochs)");
  std::int64_t done = 0, tokens = 0;
  double seconds = 0;
  Clock::time_point last = Clock::now();
  TrainerCallbacks callbacks;
  callbacks.after_step = [&](const StepReport& r) {
    const Clock::time_point now = Clock::now();
    if (done >= kUntimed + steps) return;
    if (++done > kUntimed) {
      seconds += std::chrono::duration<double>(now - last).count();
      tokens += r.useful_tokens;
    }
    last = now;
  };
  callbacks.after_epoch = [&](const EpochReport&) { last = Clock::now(); };  // its end is no step
  callbacks.wants_stop = [&] { return done >= kUntimed + steps; };
  trainer.run(callbacks);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto timed = static_cast<double>(done - kUntimed);
  return line("useful_tokens_per_second", format_fixed(static_cast<double>(tokens) / seconds, 1)) +
         line("milliseconds_a_step", format_fixed(1e3 * seconds / timed, 3)) +
         line("peak_resident_bytes", std::to_string(std::int64_t{usage.ru_maxrss} * 1024));
}

std::string time_of_steps(Trainer& trainer) {
  constexpr std::int64_t kMost = 20;
  constexpr double kSeconds = 2;
  using Clock = std::chrono::steady_clock;
  struct Enough {};  // leaves the run before an epoch's end, which validates
  std::int64_t done = 0;
  double seconds = 0;
  Clock::time_point start = Clock::now();
  TrainerCallbacks callbacks;
  callbacks.after_step = [&](const StepReport& r) {
    const Clock::time_point now = Clock::now();
    const double since = std::chrono::duration<double>(now - start).count();
    const bool is_last = ++done >= std::min({kMost, trainer.steps_per_epoch(), r.total_steps});
    if (done == 1 && !is_last) {  // caches and clocks settle
      start = now;
      return;
    }
    seconds = since / static_cast<double>(std::max<std::int64_t>(1, done - 1));
    if (is_last || since > kSeconds) throw Enough{};
  };
  try {
    trainer.run(callbacks);
  } catch (const Enough&) {
  }
  const double all = seconds * static_cast<double>(trainer.total_steps());
  return line("milliseconds_a_step", format_fixed(1e3 * seconds, 3)) +
         line("minutes", format_fixed(all / 60, 1));
}

}  // namespace headwater
