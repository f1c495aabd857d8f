// Where a run stands: all that a resumed run needs beside parameters and optimizer state. There is no
// generator state (support/random.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/safetensors.hpp"
#include "support/json.hpp"
#include "training/objective.hpp"
#include "training/optimizer.hpp"

namespace headwater {

struct TrainingState {
  std::int64_t step = 0;      // optimizer steps done
  std::int64_t epoch = 0;     // epochs finished
  std::int64_t position = 0;  // examples of the running epoch done
  LossTotals epoch_totals;    // over those
  bool has_best = false;
  double best_value = 0;  // of the recipe's best_metric on validation data
  std::int64_t best_step = 0;
  double stopping_value = 0;        // best of the early stopping's metric so far
  std::int64_t stopping_epoch = 0;  // when it was reached, counted from 1; 0: not yet
  // The loss of the first step; the mean of the last epoch that has ended. Older runs have none.
  std::optional<double> first_loss, last_loss;
  bool is_finished = false;
  std::string data_hash;
  // What of the recipe was changed under way, and when: "step 12: training.epochs: 5, was 3".
  std::vector<std::string> changes;

  Json to_json() const;
  // Throws Error "where: ..." for what to_json() could not have written.
  static TrainingState from_json(const Json& json, const std::string& where);
};

// optimizer.safetensors of a checkpoint: the states of an optimizer and of averages, tensor by tensor, so
// that ranks that share states out need not have them whole.

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
