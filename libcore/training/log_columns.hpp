// The columns of log.csv: a row of a table each, from which its header and its rows are written.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "training/objective.hpp"
#include "training/state.hpp"

namespace headwater {

// What a row of log.csv is written from.
struct LogMoment {
  // What this process did of the running epoch: after a resume less than what the epoch's totals count.
  struct Pace {
    double seconds = 0, tokens_per_second = 0;
    double waiting_share = 0;  // of the seconds: spent waiting for batches to be packed
  };
  const TrainingState& state;
  double learning_rate = 0, gradient_norm = 0;    // of the step
  const ValidationFigures* validation = nullptr;  // null inside an epoch
  Pace pace = {};
};

struct LogColumn {
  std::string name;
  std::function<std::string(const LogMoment&)> field;  // empty where there is nothing to say
};

// Step, epoch and tokens; loss and accuracy in training; learning rate and gradient norm; loss and accuracy
// of validation; of one loss these over padded positions too, of several losses each by itself; the
// objective's metrics; times. The objective must outlive them.
std::vector<LogColumn> log_columns(const Objective& objective);

// The line of names, and that of a moment; neither with its line end.
std::string log_header(const std::vector<LogColumn>& columns);
std::string log_row(const std::vector<LogColumn>& columns, const LogMoment& moment);

}  // namespace headwater
