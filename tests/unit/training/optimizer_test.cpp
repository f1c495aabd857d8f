// Optimizers against their formulas in double, and embedding rows that are left out against a dense
// optimizer.
#include "training/optimizer.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <set>

#include "same_bits.hpp"

using namespace headwater;

namespace {

enum class Tables { dense, sparse };
// Which rows of the table have a gradient: a few, or in every fourth step all (a tied output layer), and in
// every fifth none.
enum class Steps { looked_up, tied };

// A table of 9 rows and a matrix.
struct Toy {
  Parameters parameters;
  Parameter* table;
  Parameter* weight;

  explicit Toy(Tables tables) {
    table = parameters.declare("table", {9, 20}, 9, 20, Initializer::embedding_uniform);
    weight = parameters.declare("weight", {5, 7}, 5, 7, Initializer::glorot_uniform, 5, 7);
    table->is_table = tables == Tables::sparse;
    parameters.allocate(true);
    parameters.initialize(4);
  }

  // The same numbers for both kinds of table. Looked up, row 8 never has a gradient, row 7 only in step 1.
  void make_gradients(std::int64_t step, Steps steps = Steps::looked_up) {
    parameters.begin_step();
    const bool is_whole = steps == Steps::tied && step % 4 == 0;
    std::mt19937 random(static_cast<std::uint32_t>(step));
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::set<std::int32_t> rows{static_cast<std::int32_t>(random() % 7),
                                static_cast<std::int32_t>(random() % 7)};
    if (step == 1) rows.insert(7);
    if (is_whole) rows = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    if (steps == Steps::tied && step % 5 == 0 && !is_whole) rows.clear();
    Gradient& g = table->gradient;
    if (!table->is_table || is_whole) {
      g.begin_dense();
      std::fill_n(g.values.data, table->size(), Real(0));
    } else if (!rows.empty()) {
      std::vector<std::uint8_t> is_written(9);
      g.begin_rows(std::vector<std::int32_t>(rows.begin(), rows.end()), is_written);
    }
    for (const std::int32_t row : rows) {
      for (Index c = 0; c < table->value.cols; ++c) g.values.row(row)[c] = uniform(random);
    }
    weight->gradient.begin_dense();
    for (Index i = 0; i < weight->size(); ++i) weight->gradient.values.data[i] = uniform(random) * 3;
  }
};

// One number's weight and moments in double.
struct Number {
  double w, m = 0, v = 0;
};

// The formulas as they stand in papers and frameworks' manuals; t counts from 1.
void update(const OptimizerSettings& s, double rate, double t, double g, Number& n) {
  if (s.kind == OptimizerKind::rmsprop) {
    n.v = s.rho * n.v + (1 - s.rho) * g * g;
    n.w -= s.epsilon_placement == EpsilonPlacement::inside ? rate * g / std::sqrt(n.v + s.epsilon)
                                                           : rate * g / (std::sqrt(n.v) + s.epsilon);
  } else if (s.kind == OptimizerKind::sgd) {
    n.m = s.momentum * n.m - rate * g;
    n.w += n.m;
  } else {
    if (s.kind == OptimizerKind::adamw) n.w -= rate * s.weight_decay * n.w;
    n.m = s.beta_1 * n.m + (1 - s.beta_1) * g;
    n.v = s.beta_2 * n.v + (1 - s.beta_2) * g * g;
    const double correction_1 = 1 - std::pow(s.beta_1, t), correction_2 = 1 - std::pow(s.beta_2, t);
    if (s.epsilon_hat) {
      n.w -= rate * std::sqrt(correction_2) / correction_1 * n.m / (std::sqrt(n.v) + s.epsilon);
    } else {
      n.w -= rate * (n.m / correction_1) / (std::sqrt(n.v / correction_2) + s.epsilon);
    }
  }
}

std::vector<OptimizerSettings> all_settings() {
  OptimizerSettings outside, inside, adam, hat, adamw, sgd, momentum, clipped;
  inside.epsilon_placement = EpsilonPlacement::inside;
  inside.epsilon = 1e-3;
  adam.kind = hat.kind = clipped.kind = OptimizerKind::adam;
  hat.epsilon_hat = true;
  hat.epsilon = 1e-2;
  clipped.global_clipnorm = 0.5;
  adamw.kind = OptimizerKind::adamw;
  adamw.weight_decay = 0.1;
  adamw.weight_decay_of = DecayedParameters::all;
  sgd.kind = momentum.kind = OptimizerKind::sgd;
  momentum.momentum = 0.9;
  std::vector<OptimizerSettings> all{outside, inside, adam, hat, adamw, sgd, momentum, clipped};
  clipped.kind = OptimizerKind::rmsprop;
  all.push_back(clipped);
  for (OptimizerSettings& s : all) s.learning_rate = 0.01;
  return all;
}

}  // namespace

TEST_CASE("every optimizer follows its formula") {
  for (const OptimizerSettings& settings : all_settings()) {
    for (const Tables tables : {Tables::dense, Tables::sparse}) {
      Toy toy(tables);
      Optimizer optimizer(settings, toy.parameters);
      std::vector<Number> numbers;
      for (const Real w : toy.parameters.values()) numbers.push_back({.w = static_cast<double>(w)});
      double worst = 0;
      for (std::int64_t step = 1; step <= 30; ++step) {
        toy.make_gradients(step);
        double squares = 0;
        for (const Real g : toy.parameters.gradients())
          squares += static_cast<double>(g) * static_cast<double>(g);
        CHECK(optimizer.gradient_norm() == doctest::Approx(std::sqrt(squares)).epsilon(1e-12));
        const double clip = settings.global_clipnorm;
        const double factor = clip > 0 && std::sqrt(squares) > clip ? clip / std::sqrt(squares) : 1;
        const double rate = settings.learning_rate / static_cast<double>(step);  // of a schedule
        for (std::size_t i = 0; i < numbers.size(); ++i) {
          update(settings, rate, static_cast<double>(step),
                 factor * static_cast<double>(toy.parameters.gradients()[i]), numbers[i]);
        }
        optimizer.step(rate, step);
      }
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        worst = std::max(worst, std::abs(numbers[i].w - static_cast<double>(toy.parameters.values()[i])));
      }
      INFO(std::string(name_of(settings.kind)), " with ", tables == Tables::sparse ? "sparse" : "dense",
           " tables");
      CHECK(worst <= 2e-6);
    }
  }
}

TEST_CASE("rows that are left out have the bits of a dense optimizer") {
  for (const OptimizerSettings& settings : all_settings()) {
    Toy dense(Tables::dense), sparse(Tables::sparse);
    Optimizer of_dense(settings, dense.parameters), of_sparse(settings, sparse.parameters);
    INFO(std::string(name_of(settings.kind)), ", momentum ", settings.momentum, ", clipped at ",
         settings.global_clipnorm);
    for (std::int64_t step = 1; step <= 60; ++step) {
      dense.make_gradients(step);
      sparse.make_gradients(step);
      of_dense.step(settings.learning_rate, step);
      of_sparse.step(settings.learning_rate, step);
      if (step == 23) of_sparse.flush(step);  // a checkpoint
      REQUIRE(same_bits(dense.parameters.values(), sparse.parameters.values()));
    }
    of_sparse.flush(60);
    const auto expected = of_dense.states(), states = of_sparse.states();
    REQUIRE(states.size() == expected.size());
    for (std::size_t i = 0; i < states.size(); ++i) {
      INFO(states[i].name);
      CHECK(states[i].name == expected[i].name);
      CHECK(same_bits(states[i].values, expected[i].values));
    }
  }
}

// A table whose gradient is dense in some steps: all its rows step then, those that were left out before as
// well. The norm of a sparse gradient is summed row by row, so a clipped step may differ in its last bits.
TEST_CASE("a table with sparse and dense gradients in turn has the bits of a dense optimizer") {
  for (const OptimizerSettings& settings : all_settings()) {
    if (settings.global_clipnorm > 0) continue;
    Toy dense(Tables::dense), tied(Tables::sparse);
    Optimizer of_dense(settings, dense.parameters), of_tied(settings, tied.parameters);
    INFO(std::string(name_of(settings.kind)), ", momentum ", settings.momentum);
    for (std::int64_t step = 1; step <= 60; ++step) {
      dense.make_gradients(step, Steps::tied);
      tied.make_gradients(step, Steps::tied);
      CHECK(of_tied.gradient_norm() == doctest::Approx(of_dense.gradient_norm()).epsilon(1e-12));
      of_dense.step(settings.learning_rate, step);
      of_tied.step(settings.learning_rate, step);
      if (step == 23) of_tied.flush(step);
      REQUIRE(same_bits(dense.parameters.values(), tied.parameters.values()));
    }
    of_tied.flush(60);
    const auto expected = of_dense.states(), states = of_tied.states();
    for (std::size_t i = 0; i < states.size(); ++i) CHECK(same_bits(states[i].values, expected[i].values));
  }
}

TEST_CASE("an optimizer that goes on from its saved state has the bits of one that never stopped") {
  for (const OptimizerSettings& settings : all_settings()) {
    Toy whole(Tables::sparse), first(Tables::sparse), second(Tables::sparse);
    Optimizer of_whole(settings, whole.parameters), of_first(settings, first.parameters),
        of_second(settings, second.parameters);
    const auto run = [&](Toy& toy, Optimizer& optimizer, std::int64_t begin, std::int64_t end) {
      for (std::int64_t step = begin; step <= end; ++step) {
        toy.make_gradients(step);
        optimizer.step(settings.learning_rate, step);
      }
      optimizer.flush(end);
    };
    run(whole, of_whole, 1, 20);
    run(first, of_first, 1, 9);
    std::copy(first.parameters.values().begin(), first.parameters.values().end(),
              second.parameters.values().begin());
    for (std::size_t i = 0; i < of_first.states().size(); ++i) {
      std::copy(of_first.states()[i].values.begin(), of_first.states()[i].values.end(),
                of_second.states()[i].values.begin());
    }
    of_second.resumed_at(9);
    run(second, of_second, 10, 20);
    INFO(std::string(name_of(settings.kind)));
    CHECK(same_bits(second.parameters.values(), whole.parameters.values()));
    for (std::size_t i = 0; i < of_whole.states().size(); ++i)
      CHECK(same_bits(of_second.states()[i].values, of_whole.states()[i].values));
  }
}
