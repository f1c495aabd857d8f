// How long texts are.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace headwater {

// How long the texts of a column are, in words: maximal runs without white space.
class LengthCounts {
 public:
  void add(std::int64_t words);
  std::int64_t samples() const { return samples_; }
  std::int64_t words() const { return words_; }
  double mean() const;
  // The middle one, or the mean of the middle two. Of no samples 0.
  double median() const;
  // The least length that at least `share` of the samples do not exceed.
  std::int64_t quantile(double share) const;
  std::int64_t above(std::int64_t length) const;  // samples that are longer
  std::int64_t longest() const { return counts_.empty() ? 0 : counts_.rbegin()->first; }
  std::int64_t empty() const;

  struct Bin {
    std::int64_t min = 0, max = 0;  // inclusive
    std::int64_t samples = 0;
  };
  // At most `bins` bins of a round width that hold 99 % of the samples, and one for all above.
  std::vector<Bin> histogram(std::size_t bins) const;

 private:
  std::map<std::int64_t, std::int64_t> counts_;
  std::int64_t samples_ = 0, words_ = 0;
};

}  // namespace headwater
