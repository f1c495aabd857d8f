// The moving average against its formula in double, and rows that are made up late against a dense average.
#include "training/weight_average.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "same_bits.hpp"

using namespace headwater;

namespace {

enum class Tables { dense, sparse };

// A table of 70 rows, of which few change in a step, and a matrix. Plain SGD without gradients elsewhere.
struct Toy {
  Parameters parameters;
  Parameter* table;
  Parameter* weight;
  OptimizerSettings settings;
  std::unique_ptr<Optimizer> optimizer;
  std::unique_ptr<WeightAverage> average;

  Toy(Tables tables, const std::string& kind, double decay) {
    table = parameters.declare("table", {70, 20}, 70, 20, Initializer::embedding_uniform);
    weight = parameters.declare("weight", {5, 7}, 5, 7, Initializer::glorot_uniform, 5, 7);
    table->is_table = tables == Tables::sparse;
    parameters.allocate(true);
    parameters.initialize(4);
    settings.kind = value_of<OptimizerKind>(kind).value();
    optimizer = std::make_unique<Optimizer>(settings, parameters);
    average = std::make_unique<WeightAverage>(decay, parameters, *optimizer);
  }

  // Row 69 never changes, row 68 in step 1 only; every `whole_every` steps all do.
  void step(std::int64_t step, std::int64_t whole_every = 1'000'000) {
    parameters.begin_step();
    std::vector<std::int32_t> rows{static_cast<std::int32_t>(step * 7 % 68)};
    if (step == 1) rows.push_back(68);
    Gradient& g = table->gradient;
    if (!table->is_table || step % whole_every == 0) {
      g.begin_dense();
      std::fill_n(g.values.data, table->size(), Real(0));
    } else {
      std::vector<std::uint8_t> is_written(70);
      g.begin_rows(rows, is_written);
    }
    if (step % whole_every == 0) {
      rows.resize(70);
      std::iota(rows.begin(), rows.end(), 0);
    }
    for (const std::int32_t row : rows) {
      for (Index c = 0; c < table->value.cols; ++c)
        g.values.row(row)[c] = static_cast<Real>(std::sin(static_cast<double>(step * 31 + row * 20 + c)));
    }
    weight->gradient.begin_dense();
    for (Index i = 0; i < weight->size(); ++i)
      weight->gradient.values.data[i] = static_cast<Real>(std::cos(static_cast<double>(step * 17 + i)));
    average->before_step(step);
    optimizer->step(0.01, step);
  }

  std::vector<Real> averaged(std::int64_t step) {
    average->flush(step);
    average->exchange();
    const std::vector<Real> values(parameters.values().begin(), parameters.values().end());
    average->exchange();
    return values;
  }
};

}  // namespace

TEST_CASE("the average follows its formula, with a larger share of the new weights at first") {
  for (const char* kind : {"rmsprop", "adam", "sgd"}) {
    for (const Tables tables : {Tables::dense, Tables::sparse}) {
      Toy toy(tables, kind, 0.95);
      std::vector<double> expected(toy.parameters.values().begin(), toy.parameters.values().end());
      for (std::int64_t step = 1; step <= 300; ++step) {
        toy.step(step);
        const double t = static_cast<double>(step), decay = std::min(0.95, (1 + t) / (10 + t));
        for (std::size_t i = 0; i < expected.size(); ++i)
          expected[i] = decay * expected[i] + (1 - decay) * static_cast<double>(toy.parameters.values()[i]);
      }
      const std::vector<Real> averaged = toy.averaged(300);
      double worst = 0;
      for (std::size_t i = 0; i < expected.size(); ++i)
        worst = std::max(worst, std::abs(expected[i] - static_cast<double>(averaged[i])));
      INFO(kind, " with ", tables == Tables::sparse ? "sparse" : "dense", " tables");
      CHECK(worst <= 1e-6);
    }
  }
}

TEST_CASE("rows that are made up late have the bits of an average taken in each step") {
  for (const char* kind : {"rmsprop", "adam", "sgd"}) {
    for (const std::int64_t whole_every : {1'000'000, 11}) {  // 11: the weight of a tied output layer
      Toy dense(Tables::dense, kind, 0.9), sparse(Tables::sparse, kind, 0.9);
      for (std::int64_t step = 1; step <= 150; ++step) {
        dense.step(step, whole_every);
        sparse.step(step, whole_every);
        if (step == 40 || step == 41) CHECK(same_bits(dense.averaged(step), sparse.averaged(step)));
        REQUIRE(same_bits(dense.parameters.values(), sparse.parameters.values()));
      }
      INFO(kind);
      CHECK(same_bits(dense.averaged(150), sparse.averaged(150)));
    }
  }
}

// Means of weights: of several copies, and of the ends of the last epochs.
namespace {

struct TwoNumbers {
  TwoNumbers() {
    (void)parameters.declare("w", {2}, 1, 2, Initializer::zeros);
    parameters.allocate(true);
  }
  void set(Real first, Real second) {
    parameters.values()[0] = first;
    parameters.values()[1] = second;
  }
  std::vector<Real> values() { return {parameters.values().begin(), parameters.values().end()}; }
  // What is measured and saved; the weights are back afterwards.
  std::vector<Real> mean(EpochAverage& average) {
    average.exchange();
    const std::vector<Real> now = values();
    average.exchange();
    return now;
  }
  Parameters parameters;
};

using Numbers = std::vector<Real>;

}  // namespace

TEST_CASE("a mean is summed in double precision and rounded once") {
  const Numbers a{Real(16777216), 1}, b{1, 2}, c{1, Real(0.5)};
  const std::array<std::span<const Real>, 3> all{a, b, c};
  Numbers mean(2);
  mean_of(all, mean);
  CHECK(mean[0] == static_cast<Real>(16777218.0 / 3));
  CHECK(mean[1] == static_cast<Real>(3.5 / 3));
  mean_of(std::span(all).first(1), mean);
  CHECK(mean == a);
}

TEST_CASE("the mean of the last epochs is of those that have ended, the weights before the first has") {
  TwoNumbers model;
  EpochAverage average(2, model.parameters);
  model.set(5, 7);
  CHECK(model.mean(average) == Numbers{5, 7});
  model.set(1, 2);
  average.end_epoch(0);
  model.set(9, 9);
  CHECK(model.mean(average) == Numbers{1, 2});
  CHECK(model.values() == Numbers{9, 9});
  model.set(3, 6);
  average.end_epoch(1);
  CHECK(model.mean(average) == Numbers{2, 4});
  model.set(4, 0);
  average.end_epoch(2);
  CHECK(model.mean(average) == Numbers{Real(3.5), 3});
}

TEST_CASE("the mean of epochs goes on from its states") {
  TwoNumbers model, other;
  EpochAverage average(3, model.parameters), resumed(3, other.parameters);
  for (std::int64_t epoch = 0; epoch < 4; ++epoch) {
    model.set(static_cast<Real>(epoch * epoch), 1);
    average.end_epoch(epoch);
  }
  model.set(100, 200);
  average.exchange();
  const std::vector<Optimizer::State> from = average.states(), to = resumed.states();
  REQUIRE(from.size() == to.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    CHECK(from[i].name == to[i].name);
    std::copy(from[i].values.begin(), from[i].values.end(), to[i].values.begin());
  }
  std::copy(model.parameters.values().begin(), model.parameters.values().end(),
            other.parameters.values().begin());
  average.exchange();
  resumed.resume_after(4);
  CHECK(other.values() == Numbers{100, 200});
  CHECK(other.mean(resumed) == model.mean(average));
  for (TwoNumbers* one : {&model, &other}) one->set(7, 8);
  average.end_epoch(4);
  resumed.end_epoch(4);
  CHECK(other.mean(resumed) == model.mean(average));
}
