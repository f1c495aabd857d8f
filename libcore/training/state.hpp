// Where a run stands: all that a resumed run needs beside parameters and optimizer state. There is no
// generator state (support/random.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/json.hpp"
#include "training/objective.hpp"

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

}  // namespace headwater
