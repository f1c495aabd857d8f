#include "training/translation_evaluator.hpp"

#include <algorithm>

#include "training/translation_objective.hpp"

namespace headwater {

LossTotals evaluate_pairs(const EncoderDecoder& model, Arena& arena, std::span<const IdPair> pairs,
                          std::int64_t batch_sequences) {
  const auto most = static_cast<std::size_t>(batch_sequences);
  LossTotals totals;
  PairBatch batch;
  for (std::size_t begin = 0; begin < pairs.size(); begin += most) {
    batch.clear();
    for (const IdPair& pair : pairs.subspan(begin, std::min(most, pairs.size() - begin)))
      batch.add(pair.source, pair.target);
    batch.finish();
    const ArenaScope scope(arena);
    Tape tape(arena, Tape::Mode::inference);
    const double scale = 1.0 / static_cast<double>(batch.labels.size());
    totals.add(totals_of(model.loss({tape}, batch, 0, scale), batch, model.settings().length));
  }
  return totals;
}

}  // namespace headwater
