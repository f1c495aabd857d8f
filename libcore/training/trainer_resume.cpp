// Going on with a run that is there: what may have changed, and whether its state can be one of this run.
#include <algorithm>

#include "support/error.hpp"
#include "support/numbers.hpp"
#include "training/trainer.hpp"

namespace headwater {

void Trainer::accept_changes() {
  const auto is_of_epochs = [](const std::string& change) {
    return change.find(": training.epochs: ") != std::string::npos;
  };
  const bool went_on = std::any_of(state_.changes.begin(), state_.changes.end(), is_of_epochs);
  std::string list;
  for (const std::string& change : directory_->changes()) {
    list += (list.empty() ? "" : "; ") + change;
    state_.changes.push_back("step " + std::to_string(state_.step) + ": " + change);
  }
  const bool is_at_end = state_.is_finished && state_.step == total_steps();
  if (!directory_->has_new_length() || is_at_end) return;
  const auto refuse = [&](const std::string& why) {
    throw UsageError(directory_->path().string() + ": " + why + " (" + list + ")" +
                     another_run(directory_->path()));
  };
  const std::string epochs = std::to_string(state_.epoch);
  const std::int64_t patience = recipe_.training.early_stopping.patience;
  if (state_.is_finished && patience > 0 && state_.epoch - state_.stopping_epoch >= patience)
    refuse("was stopped early after epoch " + epochs + ", as a run of any length would have been");
  if (state_.step >= total_steps()) {
    const std::string asked = std::to_string(directory_->saved_epochs());
    const bool is_longer = directory_->saved_epochs() > recipe_.training.epochs;
    refuse((is_longer
                ? (went_on ? "went on to " : "is a run of ") + counted(directory_->saved_epochs(), "epoch") +
                      " (say so again with --epochs " + asked + "); it "
                : "") +
           "has " + counted(state_.step, "step") + " behind it, more than the " +
           format_count(total_steps()) + " of this length");
  }
  if (state_.is_finished && state_.step != state_.epoch * steps_per_epoch())
    refuse("was ended by max_steps inside epoch " + epochs + ", where a longer run would have gone on");
  state_.is_finished = false;
}

void Trainer::check_resumed_state() const {
  if (state_.is_finished) return;
  const std::int64_t batches = steps_per_epoch();
  const bool is_reached = state_.epoch < recipe_.training.epochs && state_.step < total_steps();
  const std::int64_t number = is_reached ? state_.step - state_.epoch * batches : -1;
  if (number >= 0 && number < batches && state_.position == batches_of_epoch(state_.epoch).begin(number))
    return;
  throw Error(directory_->path().string() + ": its state says epoch " + std::to_string(state_.epoch) +
              ", step " + std::to_string(state_.step) + ", example " + std::to_string(state_.position) +
              ", which this run of " + std::to_string(batches) +
              " steps an epoch cannot reach (--overwrite starts anew)");
}

}  // namespace headwater
