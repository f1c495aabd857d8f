#include "training/resume.hpp"

#include <algorithm>

#include "support/bits_version.hpp"
#include "support/error.hpp"
#include "support/name_list.hpp"
#include "support/numbers.hpp"

namespace headwater {

void accept_changes(TrainingState& state, const Recipe& recipe, const RunDirectory& directory,
                    const RunLength& length) {
  const auto is_of_epochs = [](const std::string& change) {
    return change.find(": training.epochs: ") != std::string::npos;
  };
  const bool went_on = std::any_of(state.changes.begin(), state.changes.end(), is_of_epochs);
  for (const std::string& change : directory.changes())
    state.changes.push_back("step " + std::to_string(state.step) + ": " + change);
  if (const std::optional<std::int64_t> bits = directory.other_bits_version())
    state.changes.push_back("step " + std::to_string(state.step) + ": " + std::string(kBitsMember) + ": " +
                            std::to_string(kBitsVersion) + ", was " + std::to_string(*bits));
  const bool is_at_end = state.is_finished && state.step == length.steps;
  if (!directory.has_new_length() || is_at_end) return;
  const auto refuse = [&](const std::string& why) {
    throw UsageError(directory.path().string() + ": " + why + " (" + joined(directory.changes(), "; ") + ")" +
                     another_run(directory.path()));
  };
  const std::string epochs = std::to_string(state.epoch);
  const std::int64_t patience = recipe.training.early_stopping.patience;
  if (state.is_finished && patience > 0 && state.stopping_epoch > 0 &&
      state.epoch - state.stopping_epoch >= patience)
    refuse("was stopped early after epoch " + epochs + ", as a run of any length would have been");
  if (state.step == length.steps && state.position == 0) {  // ended before it was said to be over
    state.is_finished = true;
    return;
  }
  if (state.step >= length.steps) {
    const std::string asked = std::to_string(directory.saved_epochs());
    const bool is_longer = directory.saved_epochs() > recipe.training.epochs;
    refuse((is_longer
                ? (went_on ? "went on to " : "is a run of ") + counted(directory.saved_epochs(), "epoch") +
                      " (say so again with --epochs " + asked + "); it "
                : "") +
           "has " + counted(state.step, "step") + " behind it, no fewer than the " +
           format_count(length.steps) + " of this length");
  }
  if (state.is_finished && state.step != state.epoch * length.steps_per_epoch)
    refuse("was ended by max_steps inside epoch " + epochs + ", where a longer run would have gone on");
  state.is_finished = false;
}

void check_resumed_state(const TrainingState& state, const Recipe& recipe, const RunDirectory& directory,
                         const RunLength& length,
                         const std::function<EpochBatches(std::int64_t epoch)>& batches_of_epoch) {
  if (state.is_finished) return;
  const std::int64_t batches = length.steps_per_epoch;
  const bool is_reached = state.epoch < recipe.training.epochs && state.step < length.steps;
  const std::int64_t number = is_reached ? state.step - state.epoch * batches : -1;
  if (number >= 0 && number < batches && state.position == batches_of_epoch(state.epoch).begin(number))
    return;
  throw Error(directory.path().string() + ": its state says epoch " + std::to_string(state.epoch) +
              ", step " + std::to_string(state.step) + ", example " + std::to_string(state.position) +
              ", which this run of " + std::to_string(batches) +
              " steps an epoch cannot reach (--overwrite starts anew)");
}

}  // namespace headwater
