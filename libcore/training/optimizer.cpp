#include "training/optimizer.hpp"

#include <algorithm>
#include <cmath>

#include "support/math_functions.hpp"
#include "support/parallel.hpp"
#include "tensor/kernels/optimizer/optimizer.hpp"
#include "tensor/kernels/reduction/reduction.hpp"

namespace headwater {

Optimizer::Optimizer(const OptimizerSettings& settings, Parameters& parameters)
    : settings_(settings), parameters_(parameters), rules_(parameter_rules(settings, parameters)) {
  stretches_.reserve(rules_.size());
  squares_.reserve(rules_.size());
  const bool is_adam = settings.kind == "adam" || settings.kind == "adamw";
  if (is_adam || (settings.kind == "sgd" && settings.momentum != 0))
    momentum_ = make_flat_array(parameters.size());
  if (is_adam || settings.kind == "rmsprop") velocity_ = make_flat_array(parameters.size());
  if (settings.kind == "rmsprop") {
    for (const auto& p : parameters.all()) {
      row_steps_.emplace_back(p->is_table ? static_cast<std::size_t>(p->value.rows) : 0, 0);
    }
  }
}

bool Optimizer::is_sparse() const {
  return settings_.kind == "rmsprop" || (settings_.kind == "sgd" && settings_.momentum == 0);
}

template <class F>
void Optimizer::for_each_stretch(const Parameter& p, const F& update) const {
  const Gradient& gradient = p.gradient;
  if (p.is_frozen) return;
  if (gradient.state == Gradient::State::untouched && (!p.is_table || is_sparse())) return;
  if (!p.is_table || !is_sparse()) {
    update(p.offset, p.size());
    return;
  }
  const bool is_dense = gradient.state == Gradient::State::dense;
  const Index cols = p.value.cols, rows = is_dense ? p.value.rows : static_cast<Index>(gradient.rows.size());
  constexpr Index kRows = 64;  // a task's share of a table
  parallel_for((rows + kRows - 1) / kRows, [&](Index task) {
    for (Index i = task * kRows; i < std::min(rows, (task + 1) * kRows); ++i) {
      const Index row = is_dense ? i : gradient.rows[static_cast<std::size_t>(i)];
      update(p.offset + row * cols, cols);
    }
  });
}

void Optimizer::learn_after(std::span<const std::int64_t> steps) {
  const auto& all = parameters_.all();
  for (std::size_t place = 0; place < all.size(); ++place) {
    is_kept_.push_back(all[place]->is_frozen);
    rules_[place].after = steps[place];
  }
}

void Optimizer::begin_step(std::int64_t step) {
  for (std::size_t place = 0; place < is_kept_.size(); ++place)
    parameters_.all()[place]->is_frozen = is_kept_[place] || step <= rules_[place].after;
}

double Optimizer::gradient_norm() {
  const auto& all = parameters_.all();
  const auto add_squares = [&](std::size_t place) {
    const Parameter& p = *all[place];
    if (!p.is_frozen && p.gradient.state == Gradient::State::dense)
      squares_[place] = kernels::sum_of_squares(p.size(), p.gradient.values.data);
  };
  // Small ones side by side; of large ones each is a loop of its own.
  constexpr Index kLarge = 262'144;
  const auto is_large = [&](std::size_t place) { return all[place]->size() > kLarge; };
  squares_.assign(all.size(), 0);
  parallel_for(static_cast<std::int64_t>(all.size()), [&](std::int64_t place) {
    if (!is_large(static_cast<std::size_t>(place))) add_squares(static_cast<std::size_t>(place));
  });
  double sum = 0;
  for (std::size_t place = 0; place < all.size(); ++place) {
    const Gradient& gradient = all[place]->gradient;
    if (all[place]->is_frozen) continue;
    if (is_large(place)) add_squares(place);
    sum += squares_[place];
    for (const std::int32_t row : gradient.rows)
      sum += kernels::sum_of_squares(gradient.values.cols, gradient.values.row(row));
  }
  return std::sqrt(sum);
}

void Optimizer::step(double learning_rate, std::int64_t step, std::optional<double> norm) {
  float factor = 1;
  if (settings_.global_clipnorm > 0) {
    if (!norm) norm = gradient_norm();
    if (*norm > settings_.global_clipnorm) factor = static_cast<float>(settings_.global_clipnorm / *norm);
  }
  // What goes on without a gradient reads 0.
  for (const auto& p : parameters_.all()) {
    if (p->gradient.state == Gradient::State::untouched) p->gradient.clear();
  }
  if (settings_.kind == "rmsprop") {
    step_rmsprop(learning_rate, step, factor);
  } else if (settings_.kind == "sgd") {
    step_sgd(learning_rate, factor);
  } else {
    step_adam(learning_rate, step, factor);
  }
}

void Optimizer::step_rmsprop(double learning_rate, std::int64_t step, float factor) {
  kernels::RmspropRule rule{.learning_rate = 0,
                            .rho = static_cast<float>(settings_.rho),
                            .epsilon = static_cast<float>(settings_.epsilon),
                            .factor = factor,
                            .epsilon_inside = settings_.epsilon_placement == "inside"};
  Real* const w = parameters_.values().data();
  Real* const g = parameters_.gradients().data();
  Real* const v = velocity_.get();
  for (std::size_t place = 0; place < parameters_.all().size(); ++place) {
    const Parameter& p = *parameters_.all()[place];
    std::vector<std::int64_t>& row_steps = row_steps_[place];
    rule.learning_rate = static_cast<float>(learning_rate * rules_[place].rate_factor);
    for_each_stretch(p, [&](Index begin, Index count) {
      if (p.is_table) {
        std::int64_t& current = row_steps[static_cast<std::size_t>((begin - p.offset) / p.value.cols)];
        kernels::rmsprop_decay(rule.rho, count, v + begin, step - 1 - current);
        current = step;
      }
      kernels::rmsprop(rule, count, w + begin, v + begin, g + begin);
    });
  }
}

void Optimizer::step_adam(double learning_rate, std::int64_t step, float factor) {
  kernels::AdamRule rule{.learning_rate = 0,
                         .beta_1 = static_cast<float>(settings_.beta_1),
                         .beta_2 = static_cast<float>(settings_.beta_2),
                         .epsilon = static_cast<float>(settings_.epsilon),
                         .factor = factor,
                         .correction_1 = 1,
                         .correction_2 = 1,
                         .epsilon_hat = settings_.epsilon_hat,
                         .decay = 0};
  // Moments go on moving without a gradient, so every parameter takes part; neighbours with one rule are
  // one stretch, and the blocks of all stretches one loop.
  constexpr Index kBlock = 16'384;
  const auto& all = parameters_.all();
  stretches_.clear();
  Index blocks = 0;
  for (std::size_t first = 0, end = 0; first < all.size(); first = end) {
    end = first + 1;
    if (all[first]->is_frozen) continue;
    Index count = all[first]->size();
    for (; end < all.size() && !all[end]->is_frozen && rules_[end] == rules_[first]; ++end)
      count += all[end]->size();
    stretches_.push_back({all[first]->offset, count, blocks, &rules_[first]});
    blocks += (count + kBlock - 1) / kBlock;
  }
  parallel_for(blocks, [&](Index block) {
    const auto after = std::upper_bound(stretches_.begin(), stretches_.end(), block,
                                        [](Index b, const Stretch& s) { return b < s.first_block; });
    const Stretch& stretch = *(after - 1);
    const Index begin = (block - stretch.first_block) * kBlock, at = stretch.offset + begin;
    kernels::AdamRule of_stretch = rule;
    of_stretch.learning_rate = static_cast<float>(learning_rate * stretch.rule->rate_factor);
    of_stretch.decay = static_cast<float>(stretch.rule->weight_decay);
    of_stretch.correction_1 = static_cast<float>(1 - power(settings_.beta_1, step - stretch.rule->after));
    of_stretch.correction_2 = static_cast<float>(1 - power(settings_.beta_2, step - stretch.rule->after));
    kernels::adam(of_stretch, std::min(kBlock, stretch.count - begin), parameters_.values().data() + at,
                  momentum_.get() + at, velocity_.get() + at, parameters_.gradients().data() + at);
  });
}

void Optimizer::step_sgd(double learning_rate, float factor) {
  kernels::SgdRule rule{
      .learning_rate = 0, .momentum = static_cast<float>(settings_.momentum), .factor = factor};
  Real* const m = momentum_.get();
  for (std::size_t place = 0; place < parameters_.all().size(); ++place) {
    rule.learning_rate = static_cast<float>(learning_rate * rules_[place].rate_factor);
    for_each_stretch(*parameters_.all()[place], [&](Index begin, Index count) {
      kernels::sgd(rule, count, parameters_.values().data() + begin, m ? m + begin : nullptr,
                   parameters_.gradients().data() + begin);
    });
  }
}

void Optimizer::flush(std::int64_t step) {
  for (std::size_t place = 0; place < row_steps_.size(); ++place) {
    const Parameter& p = *parameters_.all()[place];
    std::vector<std::int64_t>& row_steps = row_steps_[place];
    parallel_for(static_cast<std::int64_t>(row_steps.size()), [&](std::int64_t row) {
      std::int64_t& current = row_steps[static_cast<std::size_t>(row)];
      if (current == step) return;
      kernels::rmsprop_decay(static_cast<float>(settings_.rho), p.value.cols,
                             velocity_.get() + p.offset + row * p.value.cols, step - current);
      current = step;
    });
  }
}

std::vector<Optimizer::State> Optimizer::states() {
  const std::size_t size = static_cast<std::size_t>(parameters_.size());
  std::vector<State> states;
  if (momentum_) states.push_back({"momentum", {momentum_.get(), size}});
  if (velocity_) states.push_back({"velocity", {velocity_.get(), size}});
  return states;
}

void Optimizer::resumed_at(std::int64_t step) {
  for (std::vector<std::int64_t>& row_steps : row_steps_) std::fill(row_steps.begin(), row_steps.end(), step);
}

}  // namespace headwater
