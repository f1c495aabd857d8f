// What a translator learns from.
#include "tasks/translation/translation_objective.hpp"

#include <algorithm>

namespace headwater {

std::vector<TokenColumnSettings> translation_columns(const Tokenizer& source, const Tokenizer& target,
                                                     std::int64_t length) {
  return {{.name = "source",
           .vocabulary = source.vocabulary_size(),
           .max_length = length,
           .special = source.special_ids(),
           .vocabulary_hash = source.hash()},
          {.name = "target",
           .vocabulary = target.vocabulary_size(),
           .max_length = length + 1,
           .min_length = 2,
           .first_id = target.start_id(),
           .special = target.special_ids(),
           .vocabulary_hash = target.hash()}};
}

TranslationObjective::TranslationObjective(EncoderDecoder& model, Subset train, Subset validation,
                                           double label_smoothing, TranslationMeasure measure)
    : model_(model),
      train_(std::move(train), {"source", "target"}),
      validation_(std::move(validation), {"source", "target"}),
      label_smoothing_(label_smoothing),
      measure_(measure) {}

TranslationObjective::Pair TranslationObjective::pair(Split split, std::uint32_t i) const {
  const ColumnSubset& e = of(split);
  const std::int64_t example = e.subset.at(i);
  return {e.ids(0, example), e.ids(1, example)};
}

std::int64_t TranslationObjective::tokens(Split split, std::span<const std::uint32_t> chosen) const {
  const ColumnSubset& e = of(split);
  std::int64_t sum = 0;
  for (const std::uint32_t i : chosen) {
    const std::int64_t example = e.subset.at(i);
    sum += static_cast<std::int64_t>(e.count(0, example) + e.count(1, example)) - 1;
  }
  return sum;
}

LossTotals totals_of(const kernels::CrossEntropyTotals& totals, const PairBatch& batch, Index length) {
  LossTotals result;
  result.loss = totals.loss;
  result.correct = totals.correct;
  result.predicted = totals.tokens;
  result.useful = (totals.tokens + batch.source.tokens()) / batch.copies();
  result.sequences = batch.target.sequences();
  result.positions = result.sequences * length;
  for (Index s = 0; s < batch.target.sequences(); ++s) {
    result.padded += static_cast<Index>(batch.target.sequence(s).size()) < length;
  }
  return result;
}

void TranslationObjective::prepare(Split split, std::span<const std::uint32_t> chosen, const BatchPart& part,
                                   BatchSlot slot) {
  Slot& to = slot_of(slot);
  to.batch.clear(split == Split::train && r_drop_ > 0);
  std::int64_t predicted = 0;
  to.longest = 0;
  for (Index i = 0; i < part.sequences; ++i) {
    const std::uint32_t example = chosen[static_cast<std::size_t>(i)];
    Pair p = pair(split, example);
    if (split == Split::train) {
      p.source = resampling_[0].apply(p.source, epoch_, example, to.source);
      p.target = resampling_[1].apply(p.target, epoch_, example, to.target);
    }
    const std::int64_t choices = static_cast<std::int64_t>(p.target.size()) - 1;
    predicted += to.batch.copies() * choices;
    to.longest = std::max(to.longest, choices);
    if (i < part.begin()) {
      to.batch.skip(p.source, p.target);
    } else if (i < part.end()) {
      to.batch.add(p.source, p.target);
    }
  }
  to.batch.finish(part);
  to.loss_scale = 1.0 / static_cast<double>(predicted);
}

LossTotals TranslationObjective::loss(const ForwardContext& context, Split split, BatchSlot slot) {
  const Slot& packed = slot_of(slot);
  const bool trains = split == Split::train;
  LossTotals totals = totals_of(model_.loss(context, packed.batch, trains ? label_smoothing_ : 0,
                                            packed.loss_scale, trains ? r_drop_ : 0),
                                packed.batch, model_.length());
  totals.batch_positions = totals.sequences * packed.longest;
  return totals;
}

}  // namespace headwater
