// Callbacks of a run of which one is set.
#pragma once

#include <functional>
#include <utility>

#include "training/trainer.hpp"

inline headwater::TrainerCallbacks after_step(std::function<void(const headwater::StepReport&)> f) {
  headwater::TrainerCallbacks callbacks;
  callbacks.after_step = std::move(f);
  return callbacks;
}

inline headwater::TrainerCallbacks wants_stop(std::function<bool()> f) {
  headwater::TrainerCallbacks callbacks;
  callbacks.wants_stop = std::move(f);
  return callbacks;
}
