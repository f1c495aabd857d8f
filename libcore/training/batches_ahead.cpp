#include "training/batches_ahead.hpp"

namespace headwater {

BatchesAhead::~BatchesAhead() {
  try {
    thread_.wait();
  } catch (...) {  // of a batch that nobody will compute
  }
}

void BatchesAhead::start(std::span<const std::uint32_t> chosen, const BatchPart& part) {
  chosen_ = chosen;
  part_ = part;
  slot_ = slot_ == BatchSlot::first ? BatchSlot::second : BatchSlot::first;
  thread_.start(job_);
}

BatchSlot BatchesAhead::take() {
  thread_.wait();
  return slot_;
}

}  // namespace headwater
