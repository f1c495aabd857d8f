#include "training/optimizer.hpp"

#include <algorithm>
#include <cmath>

#include "support/math_functions.hpp"
#include "support/parallel.hpp"
#include "tensor/kernels/optimizer/optimizer.hpp"
#include "tensor/kernels/reduction/reduction.hpp"

namespace headwater {

namespace {

constexpr std::size_t kSquaresOfTask = 16;

}  // namespace

Optimizer::Optimizer(const OptimizerSettings& settings, Parameters& parameters, const Ranks& ranks)
    : settings_(settings),
      parameters_(parameters),
      shares_(parameters, ranks),
      rules_(parameter_rules(settings, parameters)) {
  stretches_.reserve(rules_.size());
  const bool is_adam = settings.kind == OptimizerKind::adam || settings.kind == OptimizerKind::adamw;
  if (is_adam || (settings.kind == OptimizerKind::sgd && settings.momentum != 0))
    momentum_ = make_flat_array(shares_.own_size());
  if (is_adam || settings.kind == OptimizerKind::rmsprop) velocity_ = make_flat_array(shares_.own_size());
  Index squares = 0;  // at most
  for (const auto& p : parameters.all()) {
    squares += std::max(p->size() / kernels::kSumBlock + 1, p->is_table ? p->value.rows : 0);
    if (settings.kind == OptimizerKind::rmsprop)
      row_steps_.emplace_back(p->is_table ? static_cast<std::size_t>(p->value.rows) : 0, 0);
  }
  squares_.reserve(squares);
  square_tasks_.reserve(squares_.capacity() / kSquaresOfTask + rules_.size());
}

bool Optimizer::is_sparse() const {
  return settings_.kind == OptimizerKind::rmsprop ||
         (settings_.kind == OptimizerKind::sgd && settings_.momentum == 0);
}

template <class F>
void Optimizer::for_each_stretch(std::size_t place, const F& update) const {
  const Parameter& p = *parameters_.all()[place];
  const RankShares::Range& own = shares_.own(place);
  const Gradient& gradient = p.gradient;
  if (p.is_frozen) return;
  if (gradient.state == Gradient::State::untouched && (!p.is_table || is_sparse())) return;
  if (!p.is_table || !is_sparse()) {
    update(p.offset + own.begin, own.state, own.size());
    return;
  }
  const bool is_dense = gradient.state == Gradient::State::dense;
  const Index cols = p.value.cols, first = own.begin / cols, end = own.end / cols;
  const Index rows = is_dense ? end - first : static_cast<Index>(gradient.rows.size());
  constexpr Index kRows = 64;  // a task's share of a table
  parallel_for((rows + kRows - 1) / kRows, [&](Index task) {
    for (Index i = task * kRows; i < std::min(rows, (task + 1) * kRows); ++i) {
      const Index row = is_dense ? first + i : gradient.rows[i];
      if (row < first || row >= end) continue;
      update(p.offset + row * cols, own.state + (row - first) * cols, cols);
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

Optimizer::Squares Optimizer::squares_of(std::size_t place) const {
  const Parameter& p = *parameters_.all()[place];
  const RankShares::Range& own = shares_.own(place);
  if (p.is_frozen || p.gradient.state == Gradient::State::untouched) return {};
  if (p.gradient.state == Gradient::State::dense) {
    const auto blocks = [](Index numbers) {
      return static_cast<std::size_t>((numbers + kernels::kSumBlock - 1) / kernels::kSumBlock);
    };
    return {blocks(p.size()), blocks(own.begin), blocks(own.end)};
  }
  const std::vector<std::int32_t>& rows = p.gradient.rows;
  const auto before = [&](Index numbers) {
    return static_cast<std::size_t>(std::lower_bound(rows.begin(), rows.end(), numbers / p.value.cols) -
                                    rows.begin());
  };
  return {rows.size(), before(own.begin), before(own.end)};
}

double Optimizer::gradient_norm() {
  const auto& all = parameters_.all();
  square_tasks_.clear();
  std::size_t count = 0;
  for (std::size_t place = 0; place < all.size(); ++place) {
    const Squares squares = squares_of(place);
    for (std::size_t i = squares.begin; i < squares.end; i += kSquaresOfTask)
      square_tasks_.push_back({all[place].get(), i, std::min(squares.end, i + kSquaresOfTask), count});
    count += squares.all;
  }
  squares_.assign(count, 0);
  parallel_for(static_cast<std::int64_t>(square_tasks_.size()), [&](std::int64_t number) {
    const SquareTask& task = square_tasks_[number];
    const Gradient& gradient = task.of->gradient;
    for (std::size_t i = task.begin; i < task.end; ++i) {
      const Index at = static_cast<Index>(i) * kernels::kSumBlock;
      squares_[task.first + i] =
          gradient.state == Gradient::State::dense
              ? kernels::sum_of_squares(std::min(kernels::kSumBlock, task.of->size() - at),
                                        gradient.values.data + at)
              : kernels::sum_of_squares(gradient.values.cols, gradient.values.row(gradient.rows[i]));
    }
  });
  shares_.add_up(squares_);
  double sum = 0;
  std::size_t first = 0;
  for (std::size_t place = 0; place < all.size(); ++place) {
    const std::span<double> squares = std::span(squares_).subspan(first, squares_of(place).all);
    first += squares.size();
    if (all[place]->gradient.state == Gradient::State::dense) {
      sum += kernels::sum_of_blocks(squares);
    } else {
      for (const double of_row : squares) sum += of_row;
    }
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
  if (settings_.kind == OptimizerKind::rmsprop) {
    step_rmsprop(learning_rate, step, factor);
  } else if (settings_.kind == OptimizerKind::sgd) {
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
                            .epsilon_inside = settings_.epsilon_placement == EpsilonPlacement::inside};
  Real* const w = parameters_.values().data();
  Real* const g = parameters_.gradients().data();
  Real* const v = velocity_.get();
  for (std::size_t place = 0; place < parameters_.all().size(); ++place) {
    const Parameter& p = *parameters_.all()[place];
    std::vector<std::int64_t>& row_steps = row_steps_[place];
    rule.learning_rate = static_cast<float>(learning_rate * rules_[place].rate_factor);
    for_each_stretch(place, [&](Index begin, Index state, Index count) {
      if (p.is_table) {
        std::int64_t& current = row_steps[(begin - p.offset) / p.value.cols];
        kernels::rmsprop_decay(rule.rho, count, v + state, step - 1 - current);
        current = step;
      }
      kernels::rmsprop(rule, count, w + begin, v + state, g + begin);
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
  // one stretch, and the blocks of all stretches one loop. What lies side by side does so in the state.
  constexpr Index kBlock = 16'384;
  const auto& all = parameters_.all();
  stretches_.clear();
  Index blocks = 0;
  const auto begin_of = [&](std::size_t place) { return all[place]->offset + shares_.own(place).begin; };
  for (std::size_t first = 0, end = 0; first < all.size(); first = end) {
    end = first + 1;
    if (all[first]->is_frozen) continue;
    const Index begin = begin_of(first);
    Index count = shares_.own(first).size();
    for (; end < all.size() && !all[end]->is_frozen && rules_[end] == rules_[first] &&
           begin_of(end) == begin + count;
         ++end)
      count += shares_.own(end).size();
    stretches_.push_back({begin, shares_.own(first).state, count, blocks, &rules_[first]});
    blocks += (count + kBlock - 1) / kBlock;
  }
  parallel_for(blocks, [&](Index block) {
    const auto after = std::upper_bound(stretches_.begin(), stretches_.end(), block,
                                        [](Index b, const Stretch& s) { return b < s.first_block; });
    const Stretch& stretch = *(after - 1);
    const Index begin = (block - stretch.first_block) * kBlock;
    const Index at = stretch.offset + begin, state = stretch.state + begin;
    kernels::AdamRule of_stretch = rule;
    of_stretch.learning_rate = static_cast<float>(learning_rate * stretch.rule->rate_factor);
    of_stretch.decay = static_cast<float>(stretch.rule->weight_decay);
    of_stretch.correction_1 = static_cast<float>(1 - power(settings_.beta_1, step - stretch.rule->after));
    of_stretch.correction_2 = static_cast<float>(1 - power(settings_.beta_2, step - stretch.rule->after));
    kernels::adam(of_stretch, std::min(kBlock, stretch.count - begin), parameters_.values().data() + at,
                  momentum_.get() + state, velocity_.get() + state, parameters_.gradients().data() + at);
  });
}

void Optimizer::step_sgd(double learning_rate, float factor) {
  kernels::SgdRule rule{
      .learning_rate = 0, .momentum = static_cast<float>(settings_.momentum), .factor = factor};
  Real* const m = momentum_.get();
  for (std::size_t place = 0; place < parameters_.all().size(); ++place) {
    rule.learning_rate = static_cast<float>(learning_rate * rules_[place].rate_factor);
    for_each_stretch(place, [&](Index begin, Index state, Index count) {
      kernels::sgd(rule, count, parameters_.values().data() + begin, m ? m + state : nullptr,
                   parameters_.gradients().data() + begin);
    });
  }
}

void Optimizer::flush(std::int64_t step) {
  for (std::size_t place = 0; place < row_steps_.size(); ++place) {
    const Parameter& p = *parameters_.all()[place];
    if (!p.is_table) continue;
    const RankShares::Range& own = shares_.own(place);
    const Index cols = p.value.cols, first = own.begin / cols;
    parallel_for(own.size() / cols, [&](Index i) {
      std::int64_t& current = row_steps_[place][first + i];
      if (current == step) return;
      kernels::rmsprop_decay(static_cast<float>(settings_.rho), cols, velocity_.get() + own.state + i * cols,
                             step - current);
      current = step;
    });
  }
}

std::vector<Optimizer::State> Optimizer::states() {
  const std::size_t size = shares_.own_size();
  const bool is_shared_out = shares_.ranks() > 1;
  std::vector<State> states;
  if (momentum_) states.push_back({"momentum", {momentum_.get(), size}, is_shared_out});
  if (velocity_) states.push_back({"velocity", {velocity_.get(), size}, is_shared_out});
  return states;
}

Index Optimizer::numbers() const { return shares_.own_size() * ((momentum_ ? 1 : 0) + (velocity_ ? 1 : 0)); }

void Optimizer::resumed_at(std::int64_t step) {
  for (std::vector<std::int64_t>& row_steps : row_steps_) std::fill(row_steps.begin(), row_steps.end(), step);
}

}  // namespace headwater
