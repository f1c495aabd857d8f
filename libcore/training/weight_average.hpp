// Averages of the weights, as models are measured and saved with them. Training itself goes on from the
// weights.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "autograd/parameter.hpp"
#include "tensor/matrix.hpp"
#include "training/optimizer.hpp"

namespace headwater {

// The exponential moving average (EMA): the noise of single steps averages out (Polyak & Juditsky 1992).
class WeightAverage {
 public:
  // Starts from the parameters' values. `decay` in (0, 1): of the average before the step. Rows of tables
  // that the optimizer leaves out are made up when they next change, with the bits of an average taken each
  // step.
  WeightAverage(double decay, Parameters& parameters, const Optimizer& optimizer);

  // Before the optimizer's step `step` (from 1), when its gradients are known.
  void before_step(std::int64_t step);
  // Takes in all weights up to the one after step `step`. Call before exchange().
  void flush(std::int64_t step);

  // Puts the average into the parameters and the weights into the state, or both back.
  void exchange();
  // What a checkpoint of the average needs beside it, while exchanged: the weights.
  Optimizer::State state();
  // After parameters and state were filled from a checkpoint of that step, and exchanged.
  void resumed_at(std::int64_t step);

 private:
  // For each of `count` rows of parameter number `place` (or for the whole of it): the weights after the
  // step that the row is current at, up to those after step `last`.
  template <class RowAt>
  void take_in(std::size_t place, std::size_t count, const RowAt& row_at, std::int64_t last);

  float min_share_;
  Parameters& parameters_;
  FlatArray average_;
  // For each parameter the step up to which its average goes; for a table whose rows are left out, each
  // row's.
  std::vector<std::vector<std::int64_t>> current_;
};

// The mean of the weights that the last epochs ended with (Vaswani et al. 2017, sec. 6.1, average the last
// checkpoints).
class EpochAverage {
 public:
  // Averages at most `epochs` epochs. Before the first has ended the weights stand for the mean.
  EpochAverage(std::int64_t epochs, Parameters& parameters);

  // The weights are those after the last step of epoch `epoch`, counted from 0.
  void end_epoch(std::int64_t epoch);

  // Puts the mean into the parameters and the weights into the state, or both back.
  void exchange();
  // What a checkpoint needs beside the mean, while exchanged: the weights, and those of each epoch's end.
  std::vector<Optimizer::State> states();
  // After parameters and states were filled from a checkpoint of a run that had ended so many epochs: puts
  // the weights back.
  void resume_after(std::int64_t epochs);

 private:
  Parameters& parameters_;
  std::int64_t ended_ = 0;  // epochs
  bool is_exchanged_ = false;
  FlatArray mean_;
  std::vector<FlatArray> ends_;  // of epoch e at e mod their number
};

// The mean of several copies of the weights: mean[j] of values[.][j]: added in the order of `values` in
// double precision, divided, then rounded once. All are of one length, and there is one at least.
void mean_of(std::span<const std::span<const Real>> values, std::span<Real> mean);

}  // namespace headwater
