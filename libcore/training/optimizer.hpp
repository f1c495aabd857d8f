// Optimizers over the flat parameter buffer: one fused pass, embedding rows without a gradient left out where
// that is exact.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "autograd/parameter.hpp"
#include "recipe/recipe.hpp"
#include "training/parameter_groups.hpp"

namespace headwater {

class Optimizer {
 public:
  Optimizer(const OptimizerSettings& settings, Parameters& parameters);

  // Applies the gradients of one step. `step` counts from 1; `norm` is gradient_norm() where the caller has
  // it. Frozen parameters and their state stay as they are.
  void step(double learning_rate, std::int64_t step, std::optional<double> norm = {});

  // Before the first step: each of parameters.all() learns after so many steps, and is frozen until then; its
  // moments are corrected by the steps that it has learned in. Call begin_step() before each step then.
  void learn_after(std::span<const std::int64_t> steps);
  void begin_step(std::int64_t step);

  // sqrt(Σ g²) over the gradients of this step, but those of frozen parameters.
  double gradient_norm();

  // Makes up what was left out (decay of the state of unused rows), so that the state is what a dense
  // optimizer has. Call before saving.
  void flush(std::int64_t step);

  // State arrays by name ("momentum", "velocity"), each of the layout of the parameters; flushed.
  struct State {
    std::string name;
    std::span<Real> values;
  };
  std::vector<State> states();
  // After the states were filled from a checkpoint of that step.
  void resumed_at(std::int64_t step);

  // Rows of tables without a gradient do not change in a step, and are left out.
  bool is_sparse() const;

 private:
  // Calls update(begin, count) for each stretch of the flat arrays that this step changes.
  template <class F>
  void for_each_stretch(const Parameter& p, const F& update) const;
  void step_rmsprop(double learning_rate, std::int64_t step, float factor);
  void step_adam(double learning_rate, std::int64_t step, float factor);
  void step_sgd(double learning_rate, float factor);

  // Neighbours in the flat arrays with one rule; its blocks are numbered from first_block on.
  struct Stretch {
    Index offset, count, first_block;
    const ParameterRule* rule;
  };

  OptimizerSettings settings_;
  Parameters& parameters_;
  std::vector<ParameterRule> rules_;  // of each parameter
  std::vector<bool> is_kept_;  // of each parameter: frozen in all steps; none: learn_after() was not called
  std::vector<Stretch> stretches_;  // of this step
  std::vector<double> squares_;     // of each parameter's gradient
  FlatArray momentum_, velocity_;
  std::vector<std::vector<std::int64_t>>
      row_steps_;  // of each table: the step at which each row's velocity is current
};

}  // namespace headwater
