// The exponential moving average (EMA) of the weights, as models are measured and saved with it: the noise of
// single steps averages out (Polyak & Juditsky 1992). Training itself goes on from the weights.
#pragma once

#include <vector>

#include "autograd/parameter.hpp"
#include "training/optimizer.hpp"

namespace headwater {

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

}  // namespace headwater
