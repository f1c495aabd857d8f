// Training steps of a row: forward, backward and optimizer, as the trainer does them.
#pragma once

#include "steps/rows.hpp"
#include "support/parallel.hpp"
#include "tensor/arena.hpp"
#include "training/optimizer.hpp"
#include "training/schedule.hpp"

namespace headwater::bench {

class Runner {
 public:
  Runner(Row row, std::uint64_t seed)
      : row_(std::move(row)), seed_(seed), optimizer_(row_.optimizer, row_.model->parameters()) {
    row_.model->parameters().initialize(seed);
  }

  StepModel& model() { return *row_.model; }
  void draw() { row_.model->draw(draws_); }

  // Learns from the batch drawn last; its loss.
  double step() {
    ++step_;
    double loss = 0;
    with_hot_team([&] {
      arena_.reset();
      row_.model->parameters().begin_step();
      Tape tape(arena_, Tape::Mode::record);
      loss = row_.model->loss({tape, seed_, static_cast<std::uint32_t>(step_)});
      tape.backward();
      optimizer_.step(
          learning_rate(row_.schedule, row_.optimizer, row_.model->width(), step_, {.steps = kSteps}), step_,
          optimizer_.gradient_norm());
    });
    return loss;
  }

 private:
  static constexpr std::int64_t kSteps = 100'000;
  Row row_;
  std::uint64_t seed_;
  Optimizer optimizer_;
  Arena arena_;
  Draws draws_;
  std::int64_t step_ = 0;
};

}  // namespace headwater::bench
