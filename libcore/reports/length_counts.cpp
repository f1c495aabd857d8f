#include "reports/length_counts.hpp"

#include <algorithm>

namespace headwater {
namespace {

// The least of 1, 2, 5, 10, 20, 50, ... that is not below `least`.
std::int64_t round_width(double least) {
  for (std::int64_t power = 1;; power *= 10) {
    for (const std::int64_t digit : {1, 2, 5}) {
      if (static_cast<double>(digit * power) >= least) return digit * power;
    }
  }
}

}  // namespace

void LengthCounts::add(std::int64_t words) {
  ++counts_[words];
  ++samples_;
  words_ += words;
}

double LengthCounts::mean() const {
  return samples_ == 0 ? 0 : static_cast<double>(words_) / static_cast<double>(samples_);
}

std::int64_t LengthCounts::quantile(double share) const {
  const double wanted = share * static_cast<double>(samples_);
  std::int64_t below = 0;
  for (const auto& [length, count] : counts_) {
    below += count;
    if (static_cast<double>(below) >= wanted) return length;
  }
  return longest();
}

std::int64_t LengthCounts::above(std::int64_t length) const {
  std::int64_t samples = 0;
  for (auto longer = counts_.upper_bound(length); longer != counts_.end(); ++longer)
    samples += longer->second;
  return samples;
}

double LengthCounts::median() const {
  // The samples number (n - 1) / 2 and n / 2 from 0.
  std::int64_t below = 0, lower = -1;
  for (const auto& [length, count] : counts_) {
    below += count;
    if (lower < 0 && below > (samples_ - 1) / 2) lower = length;
    if (below > samples_ / 2) return static_cast<double>(lower + length) / 2;
  }
  return 0;
}

std::int64_t LengthCounts::empty() const {
  const auto found = counts_.find(0);
  return found == counts_.end() ? 0 : found->second;
}

std::vector<LengthCounts::Bin> LengthCounts::histogram(std::size_t bins) const {
  if (samples_ == 0) return {};
  const std::int64_t top = quantile(0.99);
  const std::int64_t width = round_width(static_cast<double>(top + 1) / static_cast<double>(bins));
  std::vector<Bin> all(static_cast<std::size_t>(top / width) + 1);
  for (std::size_t b = 0; b < all.size(); ++b) {
    all[b].min = static_cast<std::int64_t>(b) * width;
    all[b].max = all[b].min + width - 1;
  }
  if (longest() > all.back().max) all.push_back({all.back().max + 1, longest(), 0});
  for (const auto& [length, count] : counts_) {
    all[std::min(static_cast<std::size_t>(length / width), all.size() - 1)].samples += count;
  }
  return all;
}

}  // namespace headwater
