// Whether a log.csv can be believed: it is whole, its rows follow each other, and they are those that the
// recipe and the run's newest checkpoint promise.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace headwater {

// What is known of a run beside its log.
struct LogPromise {
  struct Checkpoint {
    std::int64_t step = 0;
    std::int64_t epoch = 0;           // epochs that have ended
    bool ends_epoch = false;          // else it was saved within the next one
    std::optional<double> last_loss;  // the mean of the last of them; none in older runs
    std::int64_t best_step = 0;       // 0: nothing was validated
    double best_value = 0;            // the lower the better (Metric::badness)
    bool is_finished = false;
  };
  std::int64_t log_every = 0, epochs = 0;  // of the recipe; 0: not known
  std::string best_metric = "loss";
  std::optional<Checkpoint> checkpoint;  // none: nothing is known of it
};

// Returns whether the run may go on: it has not finished, or has begun to go on to another length. Only then
// a last line without its end is one that is being written. Throws Error "where:line: what (fix)".
bool check_log(std::string_view log, std::string_view where, const LogPromise& promise);

}  // namespace headwater
