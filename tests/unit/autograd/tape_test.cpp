#include "autograd/tape.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "autograd/ops.hpp"
#include "error_text.hpp"

using namespace headwater;

namespace {

// Two sequences of 2 and 1 tokens.
struct Batch {
  std::vector<Index> offsets{0, 2, 3};
  ReductionTree plan;
  Packing packing;
  Arena arena;
  Batch() {
    plan.assign(offsets);
    packing = {offsets, &plan};
  }
  Matrix matrix(std::initializer_list<Real> values) {
    const Matrix m = arena.matrix(3, static_cast<Index>(values.size()) / 3);
    std::copy(values.begin(), values.end(), m.data);
    return m;
  }
};

std::vector<Real> numbers(ConstMatrix m) { return {m.data, m.data + m.rows * m.cols}; }

}  // namespace

TEST_CASE_FIXTURE(Batch, "an operation that the list does not name is refused") {
  Tape tape(arena, Tape::Mode::record);
  CHECK(error_text([&] { tape.record("cosine", [] {}); }) ==
        "tape: operation \"cosine\" is not in the list of autograd/ops.hpp (add it there and to the gradient "
        "checks)");
  Tape inference(arena, Tape::Mode::inference);
  CHECK(error_text([&] { inference.record("cosine", [] {}); }) == "(no error)");  // nothing is recorded
}

TEST_CASE_FIXTURE(Batch, "a result that the loss does not use has no gradient to ask for") {
  Tape tape(arena, Tape::Mode::record);
  const Variable x = tape.variable(3, 2, &packing, true);
  CHECK_FALSE(Tape::has_incoming(x));
  CHECK(error_text([&] { tape.incoming(x); }) ==
        "tape: a result has no gradient; nothing that the loss depends on uses it");
}

TEST_CASE_FIXTURE(Batch, "gradients of several uses add up, whatever came first") {
  Tape tape(arena, Tape::Mode::record);
  const Variable x = tape.wrap(matrix({1, 2, 3, 4, 5, 6}), &packing, true);
  const Variable doubled = ops::add(tape, x, x);
  const Variable y = ops::add(tape, doubled, x);  // 3x
  CHECK(numbers(y.value()) == std::vector<Real>{3, 6, 9, 12, 15, 18});
  tape.seed(y, matrix({1, 10, 100, 1000, 0, -1}));
  tape.backward();
  CHECK(numbers(x.gradient()) == std::vector<Real>{3, 30, 300, 3000, 0, -3});
}

TEST_CASE_FIXTURE(Batch, "a seed adds to a seed") {
  Tape tape(arena, Tape::Mode::record);
  const Variable x = tape.wrap(matrix({0, 0, 0}), &packing, true);
  tape.seed(x, matrix({1, 2, 3}));
  tape.seed(x, matrix({10, 20, 30}));
  CHECK(numbers(x.gradient()) == std::vector<Real>{11, 22, 33});
}

TEST_CASE_FIXTURE(Batch, "a matrix that is given as first gradient is taken as it is, later ones are added") {
  Tape tape(arena, Tape::Mode::record);
  const Variable x = tape.wrap(matrix({0, 0, 0}), &packing, true);
  const Matrix first = matrix({1, 2, 3});
  tape.accumulate(x, first);
  CHECK(x.gradient().data == first.data);
  tape.accumulate(x, matrix({1, 1, 1}));
  CHECK(numbers(x.gradient()) == std::vector<Real>{2, 3, 4});
}

TEST_CASE_FIXTURE(Batch, "closures run last first") {
  Tape tape(arena, Tape::Mode::record);
  std::vector<int> order;
  for (int i = 0; i < 3; ++i) tape.record("add", [&order, i] { order.push_back(i); });
  tape.backward();
  CHECK(order == std::vector<int>{2, 1, 0});
}

TEST_CASE_FIXTURE(Batch, "a tape for inference wants no gradients") {
  Tape tape(arena, Tape::Mode::inference);
  const Variable x = tape.wrap(matrix({1, 2, 3}), &packing, true);
  CHECK_FALSE(x.needs_gradient());
  CHECK_FALSE(ops::add(tape, x, x).needs_gradient());
}

TEST_CASE_FIXTURE(Batch, "dropout acts on a recording tape only, and keeps the mean") {
  std::vector<Index> many{0, 1000};
  ReductionTree many_plan;
  many_plan.assign(many);
  const Packing many_packing{many, &many_plan};
  const RandomStream stream{.seed = 1, .purpose = Purpose::dropout, .layer = 0, .step = 1};
  const Matrix ones = arena.matrix(1000, 8);
  std::fill_n(ones.data, 8000, Real(1));
  Tape inference(arena, Tape::Mode::inference), recording(arena, Tape::Mode::record);
  const Variable kept =
      ops::dropout(inference, inference.wrap(ones, &many_packing, true), Real(0.25), stream);
  CHECK(numbers(kept.value()) == std::vector<Real>(8000, 1));
  const Variable dropped =
      ops::dropout(recording, recording.wrap(ones, &many_packing, true), Real(0.25), stream);
  int zeros = 0;
  double sum = 0;
  for (const Real y : numbers(dropped.value())) {
    CHECK((y == 0 || y == doctest::Approx(1 / 0.75)));
    zeros += y == 0;
    sum += static_cast<double>(y);
  }
  CHECK(std::abs(zeros - 2000) < 200);  // five standard deviations
  CHECK(std::abs(sum / 8000 - 1) < 0.05);
}

TEST_CASE_FIXTURE(Batch, "flatten wants sequences of one length and a row for each") {
  Tape tape(arena, Tape::Mode::record);
  const Variable x = tape.wrap(matrix({1, 2, 3, 4, 5, 6}), &packing, true);
  CHECK(error_text([&] { ops::flatten(tape, x, packing); }) ==
        "flatten: sequence 0 has 2 tokens, the others 1");
  const std::vector<Index> ones{0, 1, 2, 3};
  ReductionTree single_plan;
  single_plan.assign(ones);
  const Packing singles{ones, &single_plan};
  const Variable y = tape.wrap(x.value(), &singles, true);
  CHECK(error_text([&] { ops::flatten(tape, y, packing); }) == "(no error)");
  const std::vector<Index> two{0, 1, 2};
  CHECK(error_text([&] {
          ops::flatten(tape, y, Packing{two, &single_plan});
        }) == "flatten: a packing of 2 rows for 3 sequences");
}

TEST_CASE_FIXTURE(Batch, "a token stands before each sequence, positions are added by place") {
  Parameters parameters;
  Parameter* const token = parameters.declare("token", {2}, 1, 2, Initializer::zeros);
  Parameter* const positions = parameters.declare("positions", {3, 2}, 3, 2, Initializer::zeros);
  parameters.allocate(true);
  token->value.data[0] = 7;
  for (Index i = 0; i < 6; ++i) positions->value.data[i] = static_cast<Real>(10 * i);
  const std::vector<Index> longer{0, 3, 5};
  ReductionTree longer_plan;
  longer_plan.assign(longer);
  const Packing after{longer, &longer_plan};
  const std::vector<std::int32_t> position_of{0, 1, 2, 0, 1};
  Tape tape(arena, Tape::Mode::record);
  const Variable x = tape.wrap(matrix({1, 2, 3, 4, 5, 6}), &packing, true);
  const Variable y = ops::prepend_token(tape, x, after, *token);
  CHECK(numbers(y.value()) == std::vector<Real>{7, 0, 1, 2, 3, 4, 7, 0, 5, 6});
  const Variable z = ops::add_positions(tape, y, position_of, *positions);
  CHECK(numbers(z.value()) == std::vector<Real>{7, 10, 21, 32, 43, 54, 7, 10, 25, 36});
}

TEST_CASE_FIXTURE(Batch, "gradients take the place of what is undone") {
  constexpr Index kWidth = 1024;
  Tape tape(arena, Tape::Mode::record);
  const Variable x = tape.wrap(arena.matrix(3, kWidth), &packing, true);
  kernels::fill(x.value(), 1);
  Variable y = x;
  for (int layer = 0; layer < 20; ++layer) y = ops::add(tape, ops::add(tape, y, x), y);
  kernels::fill(y.value(), 1);
  tape.seed(y, y.value());
  const std::size_t before = arena.peak(), matrix = 3 * kWidth * sizeof(Real);
  tape.backward();
  CHECK(arena.peak() <= before + 2 * matrix);  // 41 results have gradients
  // y = 2 y + x each time: dx = 2^20 + (2^20 - 1).
  CHECK(x.gradient().data[0] == Real((1 << 21) - 1));
  CHECK(x.gradient().data[3 * kWidth - 1] == Real((1 << 21) - 1));
}

TEST_CASE_FIXTURE(Batch, "the gradient of a residual sum goes to both without a copy") {
  Parameters parameters;
  Parameter* const w = parameters.declare("w", {2, 2}, 2, 2, Initializer::zeros);
  parameters.allocate(true);
  w->value.data[0] = w->value.data[3] = 2;
  const Matrix seed = matrix({1, 10, 100, 1000, 0, -1});
  const auto gradients_of = [&](ops::Use use, bool is_older,
                                ops::Activation activation = ops::Activation::none) {
    parameters.begin_step();
    Tape tape(arena, Tape::Mode::record);
    const Variable x = tape.wrap(matrix({0, 0, 0, 0, 0, 0}), &packing, true);
    const Variable h = tape.wrap(matrix({1, 2, 3, 4, 5, 6}), &packing, true);
    const Variable branch = ops::linear(tape, h, *w, nullptr, activation);
    const Variable other = is_older ? x : ops::add(tape, x, x);
    const Variable y = ops::add(tape, other, branch, use);
    tape.seed(y, seed);
    const Real* const before = tape.incoming(y).data;
    tape.backward();
    // What branch shared is the other term's in the end; an activation would be undone in it.
    CHECK((branch.gradient().data == nullptr) ==
          (use == ops::Use::donate && is_older && activation == ops::Activation::none));
    if (is_older) CHECK(x.gradient().data == before);
    return std::pair(numbers(x.gradient()), numbers(w->gradient.values));
  };
  using Both = std::pair<std::vector<Real>, std::vector<Real>>;
  for (const ops::Use use : {ops::Use::keep, ops::Use::donate}) {
    const Both older = gradients_of(use, true), younger = gradients_of(use, false);
    CHECK(older.first == std::vector<Real>{1, 10, 100, 1000, 0, -1});
    CHECK(younger.first == std::vector<Real>{2, 20, 200, 2000, 0, -2});
    CHECK(older.second == std::vector<Real>{301, 3005, 402, 4014});
    CHECK(younger.second == older.second);
    CHECK(gradients_of(use, true, ops::Activation::relu) == older);  // h·w > 0
  }
}

TEST_CASE_FIXTURE(Batch,
                  "projections of one matrix: the bits of separate layers, also where one is not used") {
  Parameters parameters;
  std::vector<Parameter*> weights, biases;
  for (const std::string name : {"a", "b", "c"}) {
    weights.push_back(parameters.declare(name + ".weight", {2, 3}, 2, 3, Initializer::glorot_uniform, 2, 3));
    biases.push_back(parameters.declare(name + ".bias", {3}, 1, 3, Initializer::embedding_uniform));
  }
  parameters.allocate(true);
  parameters.initialize(1);
  // Values, the gradient of x, all gradients of parameters; `used` results are seeded, none twice the same.
  const auto numbers_of = [&](bool is_joined, std::size_t used) {
    arena.reset();
    parameters.begin_step();
    std::fill(parameters.gradients().begin(), parameters.gradients().end(), Real(0));
    Tape tape(arena, Tape::Mode::record);
    const Variable x = tape.wrap(matrix({1, Real(0.3), 3, Real(-0.7), 5, Real(1.1)}), &packing, true);
    ops::Projected y;
    if (is_joined) {
      y = ops::project(tape, x,
                       std::vector<ops::Projection>{
                           {weights[0], biases[0]}, {weights[1], biases[1]}, {weights[2], biases[2]}});
    } else {
      for (std::size_t i = 0; i < 3; ++i) y[i] = ops::linear(tape, x, *weights[i], biases[i]);
    }
    std::vector<Real> all;
    for (std::size_t i = 0; i < used; ++i) {
      const std::vector<Real> values = numbers(y[i].value());
      all.insert(all.end(), values.begin(), values.end());
      const Real r = static_cast<Real>(i + 1);
      tape.seed(y[i], matrix({r, Real(0.1), 3, 4, Real(0.7) * r, 6, 7, r, 9}));
    }
    tape.backward();
    for (const Real value : numbers(x.gradient())) all.push_back(value);
    all.insert(all.end(), parameters.gradients().begin(), parameters.gradients().end());
    return all;
  };
  for (const std::size_t used : {std::size_t{1}, std::size_t{2}, std::size_t{3}})
    CHECK(numbers_of(true, used) == numbers_of(false, used));
}

namespace {

// A build with checks keeps what was donated apart, so that reading it can be told.
#ifdef HEADWATER_CHECKS
constexpr bool kShares = false;
#else
constexpr bool kShares = true;
#endif

}  // namespace

TEST_CASE_FIXTURE(Batch,
                  "the memory of a donated operand is reused where its own operation is done with it") {
  Parameters parameters;
  Parameter* const w = parameters.declare("w", {2, 2}, 2, 2, Initializer::zeros);
  parameters.allocate(true);
  w->value.data[0] = w->value.data[3] = 1;
  const RandomStream stream{.seed = 1, .purpose = Purpose::dropout};
  for (const Tape::Mode mode : {Tape::Mode::record, Tape::Mode::inference}) {
    Tape tape(arena, mode);
    const Variable x = tape.wrap(matrix({1, 2, 3, 4, 5, 6}), &packing, true);
    const Variable plain = ops::linear(tape, x, *w, nullptr);
    const Variable squashed = ops::linear(tape, x, *w, nullptr, ops::Activation::tanh);
    CHECK(ops::add(tape, x, plain).value().data != plain.value().data);
    const bool is_reused = mode == Tape::Mode::record && kShares;
    const Real* const before = plain.value().data;
    const Variable sum = ops::add(tape, x, plain, ops::Use::donate);
    const Real* const after = sum.value().data;
    CHECK((after == before) == is_reused);
    CHECK(numbers(sum.value()) == std::vector<Real>{2, 4, 6, 8, 10, 12});
    CHECK(ops::add(tape, sum, x, ops::Use::donate).value().data != x.value().data);
    CHECK(ops::add(tape, sum, squashed, ops::Use::donate).value().data != squashed.value().data);
    if (is_reused) CHECK(ops::dropout(tape, sum, Real(0.5), stream, ops::Use::donate).value().data == after);
  }
}
