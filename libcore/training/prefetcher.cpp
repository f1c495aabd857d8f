#include "training/prefetcher.hpp"

#include <chrono>

namespace headwater {

Prefetcher::~Prefetcher() {
  try {
    thread_.wait();
  } catch (...) {  // of a batch that nobody will compute
  }
}

bool Prefetcher::start_part(Index index) {
  for (; index < own_.first + own_.count; ++index) {
    part_ = {index, own_.of, static_cast<Index>(chosen_.size())};
    if (part_.begin() == part_.end()) continue;
    slot_ = slot_ == BatchSlot::first ? BatchSlot::second : BatchSlot::first;
    thread_.start(job_);
    return true;
  }
  return false;
}

void Prefetcher::start(std::span<const std::uint32_t> chosen) {
  chosen_ = chosen;
  start_part(own_.first);
}

BatchSlot Prefetcher::take(std::span<const std::uint32_t> next) {
  const auto waiting_since = std::chrono::steady_clock::now();
  thread_.wait();
  waited_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - waiting_since).count();
  const BatchSlot taken = slot_;
  if (!start_part(part_.index + 1)) start(next);
  return taken;
}

}  // namespace headwater
