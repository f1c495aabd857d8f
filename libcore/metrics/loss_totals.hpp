// Sums of a loss and of what it was taken over, batch after batch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace headwater {

// So many losses can be learned together.
inline constexpr std::size_t kMaxLosses = 4;

// What one of several losses sums up to.
struct LossPart {
  double weight = 0;  // as its Loss says; 0: there is no such loss
  double loss = 0;    // over its predictions
  std::int64_t correct = 0, predicted = 0;

  double mean_loss() const { return predicted > 0 ? loss / static_cast<double>(predicted) : 0; }
  double accuracy() const {
    return predicted > 0 ? static_cast<double>(correct) / static_cast<double>(predicted) : 0;
  }
};

// Sums over examples; means are taken at the end. Adding batches in ascending order defines the bits.
struct LossTotals {
  double loss = 0;           // over predicted tokens; of several losses the weighted sum of theirs
  std::int64_t correct = 0;  // predicted tokens whose best prediction is right; of several, the first loss's
  std::int64_t predicted = 0;  // tokens; likewise
  std::int64_t useful = 0;     // tokens read and predicted, for tokens a second
  std::int64_t sequences = 0;
  std::int64_t positions = 0;  // sequences times the fixed length: what the source of spa-eng divides by
  std::int64_t padded =
      0;  // sequences with a padded position after their end, which that source counts as right
  // Sequences times the longest target of their batch: positions where a batch is padded to its longest. 0:
  // not counted.
  std::int64_t batch_positions = 0;
  std::array<LossPart, kMaxLosses> parts{};  // of several losses, in the order of Objective::losses()

  void add(const LossTotals& other);
  // Puts in the sums of one of several losses: its place among Objective::losses() and its weight there.
  void set_part(std::size_t place, const LossPart& part);
  // A predicted token; of several losses the weighted sum of their means.
  double mean_loss() const;
  double accuracy() const {
    return predicted > 0 ? static_cast<double>(correct) / static_cast<double>(predicted) : 0;
  }
  // The source's own measure (recipes/results/spa-eng.md).
  double reference_loss() const { return positions > 0 ? loss / static_cast<double>(positions) : 0; }
  double reference_accuracy() const {
    return predicted + padded > 0
               ? static_cast<double>(correct + padded) / static_cast<double>(predicted + padded)
               : 0;
  }
  // As sources measure that average over a padded batch: nothing is lost or right at padding.
  double padded_loss() const { return batch_positions > 0 ? loss / static_cast<double>(batch_positions) : 0; }
  double padded_accuracy() const {
    return batch_positions > 0 ? static_cast<double>(correct) / static_cast<double>(batch_positions) : 0;
  }
};

}  // namespace headwater
