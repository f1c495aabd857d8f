// A mapped file that is read here and there: the memory of its pages is given back now and then.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "support/files.hpp"

namespace headwater {

// From any thread. Of bytes that are no file, which stay the caller's, nothing is given back.
class MappedReads {
 public:
  // After the file was read once from its beginning.
  explicit MappedReads(std::shared_ptr<MappedFile> file) : file_(std::move(file)) {
    if (file_ != nullptr) file_->expect_random_access();
  }

  // So many bytes at one place are about to be read.
  void add(std::int64_t bytes) const {
    if (file_ == nullptr) return;
    const std::int64_t more = bytes + kFaultAround;
    if (mapped_.fetch_add(more, std::memory_order_relaxed) + more < kMostMapped) return;
    mapped_.store(0, std::memory_order_relaxed);
    file_->release();
  }

 private:
  static constexpr std::int64_t kMostMapped = std::int64_t{64} << 20;  // bytes
  // A fault may map as much as a large page around the byte that is read.
  static constexpr std::int64_t kFaultAround = std::int64_t{1} << 21;

  std::shared_ptr<MappedFile> file_;
  mutable std::atomic<std::int64_t> mapped_ = 0;  // at most so many since they were given back
};

}  // namespace headwater
