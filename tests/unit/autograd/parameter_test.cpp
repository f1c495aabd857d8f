#include "autograd/parameter.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "autograd/ops.hpp"
#include "error_text.hpp"

using namespace headwater;

TEST_CASE("parameters lie in the order of their names, whatever the order of declaration") {
  Parameters parameters;
  parameters.declare("b.weight", {2, 3}, 2, 3, Initializer::zeros);
  parameters.declare("a.bias", {3}, 1, 3, Initializer::ones);
  parameters.declare("b.bias", {5}, 1, 5, Initializer::zeros);
  parameters.allocate(true);
  CHECK(parameters.size() == 14);
  std::vector<std::string> names;
  Index offset = 0;
  for (const auto& p : parameters.all()) {
    names.push_back(p->name);
    CHECK(p->offset == offset);
    CHECK(p->value.data == parameters.values().data() + offset);
    CHECK(p->gradient.values.data == parameters.gradients().data() + offset);
    offset += p->size();
  }
  CHECK(names == std::vector<std::string>{"a.bias", "b.bias", "b.weight"});
  CHECK(parameters.find("b.weight")->shape == std::vector<Index>{2, 3});
  CHECK(parameters.find("b.gamma") == nullptr);
}

TEST_CASE("a name is declared once") {
  Parameters parameters;
  parameters.declare("w", {1}, 1, 1, Initializer::zeros);
  CHECK(error_text([&] { parameters.declare("w", {2}, 1, 2, Initializer::zeros); }) ==
        "parameters: \"w\" is declared twice");
}

TEST_CASE("parameters for inference have no gradients") {
  Parameters parameters;
  const Parameter* w = parameters.declare("w", {4}, 1, 4, Initializer::zeros);
  parameters.allocate(false);
  CHECK(parameters.gradients().empty());
  CHECK(w->gradient.values.data == nullptr);
}

TEST_CASE("first values of recurrent layers: rows at right angles, an open forget gate") {
  Parameters parameters;
  const Parameter* wide = parameters.declare("wide", {5, 20}, 5, 20, Initializer::orthogonal);
  const Parameter* tall = parameters.declare("tall", {37, 8}, 37, 8, Initializer::orthogonal);
  const Parameter* bias = parameters.declare("bias", {12}, 1, 12, Initializer::unit_forget);
  parameters.allocate(false);
  parameters.initialize(5);
  for (Index a = 0; a < 8; ++a) {
    for (Index b = 0; b < 8; ++b) {
      double rows = 0, columns = 0;
      for (Index i = 0; i < 20 && a < 5 && b < 5; ++i)
        rows += static_cast<double>(wide->value.row(a)[i]) * static_cast<double>(wide->value.row(b)[i]);
      for (Index i = 0; i < 37; ++i)
        columns += static_cast<double>(tall->value.row(i)[a]) * static_cast<double>(tall->value.row(i)[b]);
      if (a < 5 && b < 5) CHECK(std::abs(rows - (a == b ? 1 : 0)) < 1e-6);
      CHECK(std::abs(columns - (a == b ? 1 : 0)) < 1e-6);
    }
  }
  for (Index i = 0; i < 12; ++i) CHECK(bias->value.data[i] == (i >= 3 && i < 6 ? 1 : 0));
}

TEST_CASE("first values follow their distribution and depend on seed and name only") {
  Parameters one, two;
  Parameter* glorot = one.declare("b", {200, 50}, 200, 50, Initializer::glorot_uniform, 200, 50);
  Parameter* table = one.declare("c", {100, 30}, 100, 30, Initializer::embedding_uniform);
  Parameter* ones = one.declare("d", {7}, 1, 7, Initializer::ones);
  Parameter* zeros = one.declare("e", {7}, 1, 7, Initializer::zeros);
  one.allocate(false);
  one.initialize(5);
  const auto check_uniform = [](const Parameter& p, double limit) {
    double sum = 0, squares = 0, most = 0;
    for (Index i = 0; i < p.size(); ++i) {
      const double x = static_cast<double>(p.value.data[i]);
      sum += x;
      squares += x * x;
      most = std::max(most, std::abs(x));
    }
    const double n = static_cast<double>(p.size());
    INFO(p.name);
    CHECK(most <= limit * (1 + 1e-6));
    CHECK(most > 0.99 * limit);
    CHECK(std::abs(sum / n) < 5 * limit / std::sqrt(3 * n));
    CHECK(std::abs(3 * squares / (n * limit * limit) - 1) < 0.05);
  };
  check_uniform(*glorot, std::sqrt(6.0 / 250));
  check_uniform(*table, 0.05);
  CHECK(std::all_of(ones->value.data, ones->value.data + 7, [](Real x) { return x == 1; }));
  CHECK(std::all_of(zeros->value.data, zeros->value.data + 7, [](Real x) { return x == 0; }));

  // Neither the width of the array nor other parameters matter: the same numbers, more of them.
  two.declare("a", {3, 3}, 3, 3, Initializer::glorot_uniform, 3, 3);
  const Parameter* other = two.declare("bb", {200, 50}, 200, 50, Initializer::glorot_uniform, 200, 50);
  const Parameter* longer = two.declare("b", {200, 51}, 200, 51, Initializer::glorot_uniform, 200, 50);
  two.allocate(false);
  two.initialize(5);
  CHECK(std::equal(glorot->value.data, glorot->value.data + glorot->size(), longer->value.data));
  CHECK_FALSE(std::equal(glorot->value.data, glorot->value.data + glorot->size(), other->value.data));
  two.initialize(6);
  CHECK_FALSE(std::equal(glorot->value.data, glorot->value.data + glorot->size(), longer->value.data));
}

TEST_CASE("normal first values have mean 0 and standard deviation 0.02") {
  Parameters parameters;
  const Parameter* w = parameters.declare("w", {301, 333}, 301, 333, Initializer::normal);
  parameters.allocate(false);
  parameters.initialize(7);
  const double count = static_cast<double>(w->size());
  double sum = 0, squares = 0, within = 0, largest = 0;
  for (Index i = 0; i < w->size(); ++i) {
    const double x = static_cast<double>(w->value.data[i]) / 0.02;
    sum += x;
    squares += x * x;
    within += std::abs(x) < 1 ? 1 : 0;
    largest = std::max(largest, std::abs(x));
  }
  CHECK(std::abs(sum / count) < 4 / std::sqrt(count));
  CHECK(std::abs(squares / count - 1) < 4 * std::sqrt(2 / count));
  CHECK(std::abs(within / count - 0.6827) < 0.006);  // of a uniform one with this deviation: 0.577
  CHECK(largest > 3.5);
  CHECK(largest < 6.7);  // the smallest word gives sqrt(2 ln 2^32)
}

TEST_CASE("a table knows the rows that a step touched, also where it is used twice") {
  Parameters parameters;
  Parameter* table = parameters.declare("table", {9, 2}, 9, 2, Initializer::zeros);
  table->is_table = true;
  parameters.allocate(true);
  Arena arena;
  std::vector<Index> offsets{0, 4};
  ReductionTree plan;
  plan.assign(offsets);
  const Packing packing{offsets, &plan};
  const std::vector<std::int32_t> first{7, 3, 7, 5}, second{5, 0, 8, 5};
  for (int step = 0; step < 2; ++step) {
    parameters.begin_step();
    CHECK(table->gradient.rows.empty());
    CHECK(table->gradient.state == Gradient::State::untouched);
    Tape tape(arena, Tape::Mode::record);
    for (const auto* ids : {&first, &second}) {
      const Variable y = ops::embed(tape, packing, *ids, *table, Real(1), {}, ConstMatrix());
      const Matrix dy = arena.matrix(4, 2);
      std::fill_n(dy.data, 8, Real(1));
      tape.seed(y, dy);
    }
    tape.backward();
    CHECK(table->gradient.rows == std::vector<std::int32_t>{0, 3, 5, 7, 8});
    std::vector<Real> gradient;
    for (Index row = 0; row < 9; ++row) gradient.push_back(table->gradient.values.row(row)[1]);
    CHECK(gradient == std::vector<Real>{1, 0, 0, 1, 0, 3, 0, 2, 1});
  }
}

namespace {

// Adds up contributions to one table in every order; the numbers are whole, so that any order has the same
// sum.
struct SharedTable {
  Parameters parameters;
  Parameter* table = parameters.declare("table", {6, 2}, 6, 2, Initializer::zeros);
  Parameter* bias = parameters.declare("bias", {6}, 1, 6, Initializer::zeros);
  Arena arena;
  std::vector<Index> offsets{0, 3};
  ReductionTree plan;
  Packing packing;

  SharedTable() {
    table->is_table = true;
    parameters.allocate(true);
    parameters.initialize(1);
    plan.assign(offsets);
    packing = {offsets, &plan};
  }

  // 'd': the weight of a product, 's': look-ups; in the order in which their backward runs. Returns column 0.
  std::vector<Real> run(const std::string& order) {
    const std::vector<std::int32_t> ids{4, 1, 4};
    arena.reset();
    parameters.begin_step();
    Tape tape(arena, Tape::Mode::record);
    for (auto kind = order.rbegin(); kind != order.rend(); ++kind) {
      Variable y;
      if (*kind == 's') {
        y = ops::embed(tape, packing, ids, *table, Real(1), {}, ConstMatrix());
      } else {
        const Matrix x = arena.matrix(3, 2);
        kernels::fill(x, 10);
        y = ops::linear_transposed(tape, tape.wrap(x, &packing, false), *table, bias);
      }
      const Matrix dy = arena.matrix(3, y.cols());
      kernels::fill(dy, 1);
      tape.seed(y, dy);
    }
    tape.backward();
    std::vector<Real> column;
    for (Index row = 0; row < 6; ++row) column.push_back(table->gradient.values.row(row)[0]);
    return column;
  }
};

}  // namespace

TEST_CASE("a tied table: sparse and dense gradients meet in every order") {
  using State = Gradient::State;
  SharedTable shared;
  const auto sum = [](int dense, int sparse) {
    std::vector<Real> column(6, Real(30 * dense));
    column[1] += static_cast<Real>(sparse);
    column[4] += static_cast<Real>(2 * sparse);
    return column;
  };
  // One step after the other: what a step leaves must not show in the next.
  for (int round = 0; round < 2; ++round) {
    for (const std::string order : {"s", "d", "ss", "sd", "ds", "dd", "s", "sds", "dsd", "ssd", "dss", "s"}) {
      const int dense = static_cast<int>(std::count(order.begin(), order.end(), 'd'));
      INFO(order);
      CHECK(shared.run(order) == sum(dense, static_cast<int>(order.size()) - dense));
      CHECK(shared.table->gradient.state == (dense > 0 ? State::dense : State::sparse));
      if (dense == 0) CHECK(shared.table->gradient.rows == std::vector<std::int32_t>{1, 4});
      if (dense > 0) CHECK(shared.bias->gradient.values.data[3] == Real(3 * dense));
    }
  }
}

TEST_CASE("gradients are added row by row; a row that only one of them has stays as it is") {
  using State = Gradient::State;
  Real of_a[12] = {}, of_b[12] = {};
  const auto fill = [](Gradient& g, Real* values, State state, const std::vector<std::int32_t>& rows,
                       Real x) {
    std::fill_n(values, 12, Real(0));
    g = Gradient();
    g.values = Matrix(values, 6, 2);
    std::vector<std::uint8_t> is_written(6);
    if (state == State::sparse) g.begin_rows(rows, is_written);
    if (state == State::dense) g.begin_dense();
    for (std::int32_t row = 0; row < 6; ++row) {
      if (state == State::dense || std::count(rows.begin(), rows.end(), row) > 0)
        std::fill_n(g.values.row(row), 2, x);
    }
  };
  Gradient a, b;
  const auto sum = [&](State of_to, std::vector<std::int32_t> to_rows, State of_from,
                       std::vector<std::int32_t> from_rows) {
    fill(a, of_a, of_to, to_rows, 1);
    fill(b, of_b, of_from, from_rows, Real(-0.0));
    add_gradient(b, a);
    std::string signs;  // of -0, 0 and 1
    for (std::size_t i = 0; i < 12; i += 2) signs += of_a[i] != 0 ? '1' : std::signbit(of_a[i]) ? '-' : '0';
    return signs;
  };
  CHECK(sum(State::sparse, {1, 4}, State::sparse, {0, 4, 5}) == "-1001-");
  CHECK(a.rows == std::vector<std::int32_t>{0, 1, 4, 5});
  CHECK(sum(State::sparse, {0, 2, 3}, State::sparse, {2}) == "101100");
  CHECK(a.rows == std::vector<std::int32_t>{0, 2, 3});
  CHECK(sum(State::untouched, {}, State::sparse, {0, 3}) == "-00-00");
  CHECK(a.rows == std::vector<std::int32_t>{0, 3});
  CHECK(sum(State::dense, {}, State::sparse, {0, 3}) == "111111");
  CHECK(a.state == State::dense);
  CHECK(sum(State::sparse, {2}, State::dense, {}) == "001000");
  CHECK(a.state == State::dense);
  CHECK(sum(State::untouched, {}, State::dense, {}) == "------");
  CHECK(sum(State::dense, {}, State::untouched, {}) == "111111");
}
