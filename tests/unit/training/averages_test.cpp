// Means of weights: of several copies, and of the ends of the last epochs.
#include <doctest/doctest.h>

#include <array>
#include <vector>

#include "training/weight_average.hpp"

using namespace headwater;

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
