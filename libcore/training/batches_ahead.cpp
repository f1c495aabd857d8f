#include "training/batches_ahead.hpp"

namespace headwater {

BatchesAhead::~BatchesAhead() {
  try {
    thread_.wait();
  } catch (...) {  // of a batch that nobody will compute
  }
}

bool BatchesAhead::start_part(Index index) {
  for (; index < parts_; ++index) {
    part_ = {index, parts_, static_cast<Index>(chosen_.size())};
    if (part_.begin() == part_.end()) continue;
    slot_ = slot_ == BatchSlot::first ? BatchSlot::second : BatchSlot::first;
    thread_.start(job_);
    return true;
  }
  return false;
}

void BatchesAhead::start(std::span<const std::uint32_t> chosen) {
  chosen_ = chosen;
  start_part(0);
}

BatchSlot BatchesAhead::take(std::span<const std::uint32_t> next) {
  thread_.wait();
  const BatchSlot taken = slot_;
  if (!start_part(part_.index + 1)) start(next);
  return taken;
}

}  // namespace headwater
