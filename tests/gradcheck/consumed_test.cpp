// The double build has HEADWATER_CHECKS: what an operation donated is not read again.
#include <doctest/doctest.h>

#include <cmath>

#include "autograd/ops.hpp"
#include "support/error.hpp"

using namespace headwater;

namespace {

struct Step {
  Arena arena{std::size_t{1} << 20};
  Index offsets[2] = {0, 2};
  Packing packing{offsets};
  Real numbers[4] = {1, 2, 3, 4};
  Tape tape;
  Variable x, spare;

  explicit Step(Tape::Mode mode)
      : tape(arena, mode), x(tape.wrap(Matrix(numbers, 2, 2), &packing, true)), spare(ops::add(tape, x, x)) {}
};

}  // namespace

TEST_CASE("reading a value after it was given away fails") {
  Step step(Tape::Mode::record);
  const Matrix kept = step.spare.value();
  const Variable y = ops::add(step.tape, step.x, step.spare, ops::Use::donate);
  CHECK_THROWS_WITH_AS(
      step.spare.value(),
      "tape: a value is read whose memory was given away (its operand was passed with Use::donate)", Error);
  CHECK_THROWS_AS(ops::add(step.tape, y, step.spare), Error);
  CHECK(step.spare.rows() == 2);  // what is known without the value stays
  CHECK(std::isnan(kept.data[3]));
  CHECK(y.value().data[3] == 12);
}

TEST_CASE("a value whose memory is not given away stays") {
  Step step(Tape::Mode::record);
  ops::add(step.tape, step.x, step.spare);
  CHECK(step.spare.value().data[0] == 2);
  ops::add(step.tape, step.spare, step.x, ops::Use::donate);  // somebody else owns it
  CHECK(step.x.value().data[0] == 1);

  Step inference(Tape::Mode::inference);
  ops::add(inference.tape, inference.x, inference.spare, ops::Use::donate);
  CHECK(inference.spare.value().data[0] == 2);
}

TEST_CASE("an operation that keeps what is donated after it fails in its backward") {
  Parameters parameters;
  Parameter* const w = parameters.declare("w", {2, 2}, 2, 2, Initializer::zeros);
  parameters.allocate(true);
  Step step(Tape::Mode::record);
  ReductionTree plan;
  plan.leaves = {{0, 2, 0}};
  plan.rows = 2;
  plan.depth = 1;
  step.packing.plan = &plan;
  const Variable y = ops::linear(step.tape, step.spare, *w, nullptr);  // keeps its operand
  const Variable z = ops::add(step.tape, y, step.spare, ops::Use::donate);
  step.tape.seed(z, z.value());
  CHECK_THROWS_AS(step.tape.backward(), Error);
}
