// The moving average against its formula in double, and rows that are made up late against a dense average.
#include "training/weight_average.hpp"

#include <doctest/doctest.h>

#include <algorithm>
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
    settings.kind = kind;
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
