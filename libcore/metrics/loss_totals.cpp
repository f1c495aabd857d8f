#include "metrics/loss_totals.hpp"

#include <algorithm>

namespace headwater {

void LossTotals::add(const LossTotals& other) {
  loss += other.loss;
  correct += other.correct;
  predicted += other.predicted;
  useful += other.useful;
  sequences += other.sequences;
  positions += other.positions;
  batch_positions += other.batch_positions;
  padded += other.padded;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    LossPart& part = parts[i];
    part.weight = std::max(part.weight, other.parts[i].weight);  // 0 of totals that are still empty
    part.loss += other.parts[i].loss;
    part.correct += other.parts[i].correct;
    part.predicted += other.parts[i].predicted;
  }
}

void LossTotals::set_part(std::size_t place, const LossPart& part) {
  parts.at(place) = part;
  loss += part.weight * part.loss;
  if (place > 0) return;
  correct = part.correct;
  predicted = part.predicted;
}

double LossTotals::mean_loss() const {
  if (parts[0].weight == 0) return predicted > 0 ? loss / static_cast<double>(predicted) : 0;
  double sum = 0;
  for (const LossPart& part : parts) sum += part.weight * part.mean_loss();
  return sum;
}

}  // namespace headwater
