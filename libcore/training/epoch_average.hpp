// The mean of the weights that the last epochs ended with (Vaswani et al. 2017, sec. 6.1, average the last
// checkpoints), as models are measured and saved with it. Training itself goes on from the weights.
#pragma once

#include <cstdint>
#include <vector>

#include "autograd/parameter.hpp"
#include "training/optimizer.hpp"

namespace headwater {

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

}  // namespace headwater
