#include "training/translation_objective.hpp"

#include "support/hash.hpp"

namespace headwater {

TranslationObjective::TranslationObjective(EncoderDecoder& model, Examples train, Examples validation,
                                           double label_smoothing)
    : model_(model),
      train_(std::move(train)),
      validation_(std::move(validation)),
      label_smoothing_(label_smoothing) {
  for (Examples* e : {&train_, &validation_}) e->find_columns("target");
}

std::size_t TranslationObjective::examples(Split split) const { return of(split).count(); }

TranslationObjective::Pair TranslationObjective::pair(Split split, std::uint32_t i) const {
  const Examples& e = of(split);
  const std::int64_t example = e.at(i);
  return {e.columns->ids(e.source, example), e.columns->ids(e.target, example)};
}

std::int64_t TranslationObjective::tokens(Split split, std::span<const std::uint32_t> chosen) const {
  std::int64_t sum = 0;
  for (const std::uint32_t i : chosen) {
    const Pair p = pair(split, i);
    sum += static_cast<std::int64_t>(p.source.size() + p.target.size()) - 1;
  }
  return sum;
}

std::string TranslationObjective::data_hash() const {
  Hasher hasher;
  for (const Examples* e : {&train_, &validation_}) e->add_to(hasher);
  return hasher.digest();
}

LossTotals totals_of(const kernels::CrossEntropyTotals& totals, const PairBatch& batch, Index length) {
  LossTotals result;
  result.loss = totals.loss;
  result.correct = totals.correct;
  result.predicted = totals.tokens;
  result.useful = totals.tokens + batch.source.tokens();
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
  to.batch.clear();
  std::int64_t predicted = 0;
  for (Index i = 0; i < part.sequences; ++i) {
    const Pair p = pair(split, chosen[static_cast<std::size_t>(i)]);
    predicted += static_cast<std::int64_t>(p.target.size()) - 1;
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
  const double smoothing = split == Split::train ? label_smoothing_ : 0;
  return totals_of(model_.loss(context, packed.batch, smoothing, packed.loss_scale), packed.batch,
                   model_.settings().length);
}

}  // namespace headwater
