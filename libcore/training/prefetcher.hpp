// The next batch, or part of one, is packed on a second thread while the one before is computed.
#pragma once

#include "support/parallel.hpp"
#include "training/batches.hpp"

namespace headwater {

// One use: start(first); then take(next) for each part that has sequences, computing what was taken between,
// and start(next) for a batch of which none has.
// What was started last is waited for on leaving.
class Prefetcher {
 public:
  // These parts of batches of `split`, packed on `thread`.
  Prefetcher(BackgroundThread& thread, Objective& objective, Split split, const OwnParts& own)
      : thread_(thread), objective_(objective), split_(split), own_(own) {}
  ~Prefetcher();
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  // Begins to pack the first own part of the batch of these examples, which must stay where they are until
  // its last part is taken, or the end.
  void start(std::span<const std::uint32_t> chosen);

  // The part begun last, complete; then begins the one after it: of the same batch, or the first of `next`,
  // which may be empty. The part taken before the last is gone. Throws what packing threw.
  BatchSlot take(std::span<const std::uint32_t> next);

  // That take() waited for packing, in all.
  double waited_seconds() const { return waited_seconds_; }

 private:
  struct Job {
    Prefetcher& of;
    void operator()() { of.objective_.prepare(of.split_, of.chosen_, of.part_, of.slot_); }
  };
  // Begins to pack the first part from number `index` on that has sequences, if there is one.
  bool start_part(Index index);

  BackgroundThread& thread_;
  Objective& objective_;
  Split split_;
  OwnParts own_;
  Job job_{*this};
  std::span<const std::uint32_t> chosen_;
  BatchPart part_;
  BatchSlot slot_ = BatchSlot::second;
  double waited_seconds_ = 0;
};

}  // namespace headwater
