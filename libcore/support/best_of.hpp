// The best of more candidates than memory should hold.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace headwater {

// The first `size` candidates in the order of `before`, in memory for twice as many.
template <class Candidate, class Before>
class BestOf {
 public:
  BestOf(std::size_t size, Before before) : size_(size), before_(std::move(before)) {}

  void add(const Candidate& candidate) {
    if (size_ == 0 || (is_full_ && !before_(candidate, kept_[size_ - 1]))) return;
    kept_.push_back(candidate);
    if (kept_.size() < 2 * size_) return;
    std::nth_element(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(size_ - 1), kept_.end(),
                     before_);
    kept_.resize(size_);
    is_full_ = true;
  }
  // Sorted.
  std::vector<Candidate> finish() {
    const std::size_t count = std::min(size_, kept_.size());
    std::partial_sort(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(count), kept_.end(),
                      before_);
    kept_.resize(count);
    return std::move(kept_);
  }

 private:
  std::size_t size_;
  Before before_;
  bool is_full_ = false;  // the last of `size` candidates is kept_[size_ - 1]
  std::vector<Candidate> kept_;
};

}  // namespace headwater
