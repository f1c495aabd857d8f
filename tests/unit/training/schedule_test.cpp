#include <doctest/doctest.h>

#include <cmath>

#include "training/schedule.hpp"

using namespace headwater;

namespace {

double rate(const ScheduleSettings& schedule, std::int64_t step) {
  OptimizerSettings optimizer;
  optimizer.learning_rate = 0.8;
  return learning_rate(schedule, optimizer, 64, step, {.steps = 110, .steps_per_epoch = 11});
}

bool is_near(double a, double b) { return std::abs(a - b) <= 1e-12; }

}  // namespace

TEST_CASE("every schedule but the inverse square root warms up to the optimizer's rate") {
  for (const ScheduleKind kind : {ScheduleKind::constant, ScheduleKind::linear, ScheduleKind::cosine}) {
    const ScheduleSettings schedule{.kind = kind, .warmup_steps = 10, .final_rate = 0.2};
    INFO(name_of(kind));
    CHECK(is_near(rate(schedule, 1), 0.08));
    CHECK(is_near(rate(schedule, 5), 0.4));
    CHECK(is_near(rate(schedule, 10), 0.8));
  }
}

TEST_CASE("schedules end where they should") {
  CHECK(is_near(rate({.kind = ScheduleKind::constant, .warmup_steps = 0, .final_rate = 0.2}, 110), 0.8));
  const ScheduleSettings linear{.kind = ScheduleKind::linear, .warmup_steps = 10, .final_rate = 0.2};
  CHECK(is_near(rate(linear, 35), 0.65));
  CHECK(is_near(rate(linear, 60), 0.5));
  CHECK(is_near(rate(linear, 110), 0.2));
  CHECK(is_near(rate(linear, 500), 0.2));
  const ScheduleSettings cosine{.kind = ScheduleKind::cosine, .warmup_steps = 10, .final_rate = 0.2};
  CHECK(is_near(rate(cosine, 35), 0.2 + 0.3 * (1 + std::sqrt(0.5))));
  CHECK(is_near(rate(cosine, 60), 0.5));
  CHECK(is_near(rate(cosine, 110), 0.2));
  CHECK(is_near(rate({.kind = ScheduleKind::cosine, .warmup_steps = 0, .final_rate = 0.0}, 110), 0));
}

TEST_CASE("the rate of steps goes down every so many epochs or steps, and no lower than its last") {
  const ScheduleSettings epochs{
      .kind = ScheduleKind::step, .warmup_steps = 5, .final_rate = 0.05, .factor = 0.25, .every_epochs = 2};
  CHECK(is_near(rate(epochs, 4), 0.64));
  CHECK(is_near(rate(epochs, 22), 0.8));
  CHECK(is_near(rate(epochs, 23), 0.2));
  CHECK(is_near(rate(epochs, 44), 0.2));
  CHECK(is_near(rate(epochs, 45), 0.05));
  CHECK(is_near(rate(epochs, 1'000'000'000), 0.05));
  const ScheduleSettings steps{.kind = ScheduleKind::step, .factor = 0.5, .every_steps = 3};
  CHECK(is_near(rate(steps, 3), 0.8));
  CHECK(is_near(rate(steps, 4), 0.4));
  CHECK(is_near(rate(steps, 10), 0.1));
  CHECK(rate(steps, 1'000'000) == 0);
  CHECK_FALSE(depends_on_length(steps));
}

TEST_CASE("the inverse square root schedule rises to its warm-up and falls") {
  const ScheduleSettings schedule{
      .kind = ScheduleKind::inverse_square_root, .warmup_steps = 16, .final_rate = 0};
  CHECK(is_near(rate(schedule, 1), 1.0 / 8 / 64));
  CHECK(is_near(rate(schedule, 16), 1.0 / 8 / 4));
  CHECK(is_near(rate(schedule, 64), 1.0 / 8 / 8));
}
