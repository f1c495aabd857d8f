#include <doctest/doctest.h>

#include <string_view>

#include "gradcheck/op_cases.hpp"
#include "support/error.hpp"

using namespace headwater;
using namespace headwater::gradcheck;

TEST_CASE("every operation: backward agrees with central differences") {
  for (const Case& test : op_cases()) {
    const GradientError worst = worst_gradient_error(test, 7);
    INFO(test.name << " at " << worst.where);
    CHECK(worst.checked > 0);
    CHECK(worst.relative <= 1e-6);  // false for NaN
  }
}

TEST_CASE("every operation has a gradient check") {
  const std::vector<Case> cases = op_cases();
  for (const std::string_view name : kOperationNames) {
    bool is_covered = false;
    for (const Case& test : cases) {
      const std::string_view row = test.name;
      is_covered |= row.substr(0, row.find_first_of(" ,")) == name;
    }
    INFO(name);
    CHECK(is_covered);
  }
}

TEST_CASE("the checker catches a backward that reads a value it did not ask for") {
  const Case reads{"scale by itself", [](Fixture& f) { f.input("x", 8, 5); },
                   [](Pass& p) {
                     Tape& tape = p.context.tape;
                     const Variable x = p.inputs[0], y = tape.variable(x.rows(), x.cols(), &p.packing, true);
                     kernels::activate(ops::Activation::tanh, x.value(), y.value());
                     tape.record("scale", y, [&tape, x, y](ConstMatrix dy) {
                       kernels::activation_backward(ops::Activation::tanh, y.value(), dy,
                                                    tape.slot(x).matrix);
                     });
                     return Result{y};
                   }};
  CHECK_THROWS_AS(worst_gradient_error(reads, 7), Error);
}

TEST_CASE("the checker catches a wrong backward") {
  const Case halved{"add whose second gradient is halved",
                    [](Fixture& f) {
                      f.input("a", 8, 5);
                      f.input("b", 8, 5);
                    },
                    [](Pass& p) {
                      Tape& tape = p.context.tape;
                      const Variable a = p.inputs[0], b = p.inputs[1];
                      const Variable y = tape.variable(a.rows(), a.cols(), &p.packing, true);
                      kernels::add(a.value(), b.value(), y.value());
                      tape.record("add", y, [&tape, a, b](ConstMatrix dy) {
                        kernels::copy(dy, tape.slot(a).matrix);
                        kernels::scale(dy, 0.5, tape.slot(b).matrix, false);
                      });
                      return Result{y};
                    }};
  CHECK(worst_gradient_error(halved, 7).relative > 0.1);
}
