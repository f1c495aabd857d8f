#include "training/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "support/math_functions.hpp"

namespace headwater {

namespace {

// By squaring: the same bits everywhere, and quick for any number of times.
double repeated_product(double base, std::int64_t times) {
  double result = 1;
  for (; times > 0; times /= 2, base *= base) {
    if (times % 2 == 1) result *= base;
  }
  return result;
}

}  // namespace

bool depends_on_length(const ScheduleSettings& schedule) {
  return schedule.kind == ScheduleKind::cosine || schedule.kind == ScheduleKind::linear;
}

double learning_rate(const ScheduleSettings& schedule, const OptimizerSettings& optimizer, std::int64_t width,
                     std::int64_t step, const RunLength& length) {
  const double s = static_cast<double>(step), warmup = static_cast<double>(schedule.warmup_steps);
  if (schedule.kind == ScheduleKind::inverse_square_root) {  // Vaswani et al. 2017, sec. 5.3
    const double rise = std::max(warmup, 1.0);
    return std::min(1 / std::sqrt(s), s / (rise * std::sqrt(rise))) / std::sqrt(static_cast<double>(width));
  }
  const double peak = optimizer.learning_rate;
  if (s <= warmup) return peak * s / warmup;
  if (schedule.kind == ScheduleKind::constant) return peak;
  if (schedule.kind == ScheduleKind::step) {
    const std::int64_t every =
        schedule.every_steps > 0 ? schedule.every_steps : schedule.every_epochs * length.steps_per_epoch;
    return std::max(peak * repeated_product(schedule.factor, (step - 1) / std::max<std::int64_t>(every, 1)),
                    schedule.final_rate);
  }
  const double progress =
      std::clamp((s - warmup) / std::max(1.0, static_cast<double>(length.steps) - warmup), 0.0, 1.0);
  if (schedule.kind == ScheduleKind::linear) return peak + (schedule.final_rate - peak) * progress;
  return schedule.final_rate + 0.5 * (peak - schedule.final_rate) * (1 + cosine(std::numbers::pi * progress));
}

}  // namespace headwater
