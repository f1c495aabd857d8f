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
#include "training/rank_shares.hpp"

namespace headwater {

class Optimizer {
 public:
  // Each of several ranks keeps the state of its own ranges of the parameters, and changes these alone.
  Optimizer(const OptimizerSettings& settings, Parameters& parameters, const Ranks& ranks = {});
  const RankShares& shares() const { return shares_; }

  // Applies the gradients of one step. `step` counts from 1; `norm` is gradient_norm() where the caller has
  // it. Frozen parameters and their state stay as they are.
  void step(double learning_rate, std::int64_t step, std::optional<double> norm = {});

  // Before the first step: each of parameters.all() learns after so many steps, and is frozen until then; its
  // moments are corrected by the steps that it has learned in. Call begin_step() before each step then.
  void learn_after(std::span<const std::int64_t> steps);
  void begin_step(std::int64_t step);

  // sqrt(Σ g²) over the gradients of this step, but those of frozen parameters: with those of all ranks,
  // which call it at once.
  double gradient_norm();

  // Makes up what was left out (decay of the state of unused rows), so that the state is what a dense
  // optimizer has. Call before saving.
  void flush(std::int64_t step);

  // State arrays in the order of their names ("momentum", "velocity"), each of the layout of the parameters,
  // or of its own ranges alone; flushed.
  struct State {
    std::string name;
    std::span<Real> values;
    bool is_shared_out = false;  // to several ranks
  };
  std::vector<State> states();
  Index numbers() const;  // in all of them
  // After the states were filled from a checkpoint of that step.
  void resumed_at(std::int64_t step);

  // Rows of tables without a gradient do not change in a step, and are left out.
  bool is_sparse() const;

 private:
  // Calls update(begin, state, count) for each stretch of the flat arrays that this step changes, whose state
  // begins at `state`.
  template <class F>
  void for_each_stretch(std::size_t place, const F& update) const;
  // The blocks of a dense gradient, or the rows of a sparse one: all, and own ones.
  struct Squares {
    std::size_t all = 0, begin = 0, end = 0;
  };
  Squares squares_of(std::size_t place) const;
  // Some of them; those of the gradient begin at `first` among all.
  struct SquareTask {
    const Parameter* of;
    std::size_t begin, end, first;
  };
  void step_rmsprop(double learning_rate, std::int64_t step, float factor);
  void step_adam(double learning_rate, std::int64_t step, float factor);
  void step_sgd(double learning_rate, float factor);

  // Neighbours in the flat arrays with one rule; its blocks are numbered from first_block on.
  struct Stretch {
    Index offset, state, count, first_block;
    const ParameterRule* rule;
  };

  OptimizerSettings settings_;
  Parameters& parameters_;
  RankShares shares_;
  std::vector<ParameterRule> rules_;  // of each parameter
  std::vector<bool> is_kept_;  // of each parameter: frozen in all steps; none: learn_after() was not called
  std::vector<Stretch> stretches_;  // of this step
  std::vector<double> squares_;     // of each block or row of a gradient
  std::vector<SquareTask> square_tasks_;
  FlatArray momentum_, velocity_;
  std::vector<std::vector<std::int64_t>>
      row_steps_;  // of each table: the step at which each row's velocity is current
};

// Those of one parameter in a state that is not shared out.
inline std::span<Real> numbers_of(const Optimizer::State& state, const Parameter& p) {
  return state.values.subspan(p.offset, p.size());
}

}  // namespace headwater
