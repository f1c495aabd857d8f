#include "training/objective.hpp"

namespace headwater {

void LossTotals::add(const LossTotals& other) {
  loss += other.loss;
  correct += other.correct;
  predicted += other.predicted;
  useful += other.useful;
  sequences += other.sequences;
  positions += other.positions;
  padded += other.padded;
}

}  // namespace headwater
