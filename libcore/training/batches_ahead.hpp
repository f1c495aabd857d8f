// The next batch is packed on a second thread while the one before is computed.
#pragma once

#include "support/background.hpp"
#include "tasks/objective.hpp"

namespace headwater {

// One use: start(first); then take() and start(next) in turn, computing what was taken between. What was
// started last is waited for on leaving.
class BatchesAhead {
 public:
  // Batches of `split`, packed on `thread`.
  BatchesAhead(BackgroundThread& thread, Objective& objective, Split split)
      : thread_(thread), objective_(objective), split_(split) {}
  ~BatchesAhead();
  BatchesAhead(const BatchesAhead&) = delete;
  BatchesAhead& operator=(const BatchesAhead&) = delete;

  // Begins to pack these examples, which must stay where they are until take() or the end. The batch taken
  // before the last is gone.
  void start(std::span<const std::uint32_t> chosen);

  // The batch begun last, complete. Throws what packing threw.
  BatchSlot take();

 private:
  struct Job {
    BatchesAhead& of;
    void operator()() { of.objective_.prepare(of.split_, of.chosen_, of.slot_); }
  };
  BackgroundThread& thread_;
  Objective& objective_;
  Split split_;
  Job job_{*this};
  std::span<const std::uint32_t> chosen_;
  BatchSlot slot_ = BatchSlot::second;
};

}  // namespace headwater
