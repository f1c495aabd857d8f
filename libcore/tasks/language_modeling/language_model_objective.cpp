// What a language model learns from.
#include <algorithm>

#include "tasks/language_modeling/language_model_objective.hpp"

namespace headwater {

// The columns in the order in which they are read.
static ColumnSubset text_columns(Subset subset, std::int32_t delimiter) {
  return delimiter < 0 ? ColumnSubset(std::move(subset), {"source"})
                       : ColumnSubset(std::move(subset), {"source", "target"});
}

LanguageModelObjective::LanguageModelObjective(LanguageModel& model, Subset train, Subset validation,
                                               double label_smoothing, std::int32_t delimiter)
    : model_(model),
      delimiter_(delimiter),
      train_(text_columns(std::move(train), delimiter)),
      validation_(text_columns(std::move(validation), delimiter)),
      label_smoothing_(label_smoothing) {}

std::span<const std::int32_t> LanguageModelObjective::ids(Split split, std::uint32_t i) const {
  const ColumnSubset& e = of(split);
  return e.ids(0, e.subset.at(i));
}

DelimitedText LanguageModelObjective::delimited(Split split, std::uint32_t i) const {
  const ColumnSubset& e = of(split);
  const std::int64_t example = e.subset.at(i);
  const DelimitedText text{e.ids(0, example), e.ids(1, example), delimiter_};
  return text.truncated(static_cast<std::size_t>(model_.length()) + 1);
}

std::int64_t LanguageModelObjective::tokens(Split split, std::span<const std::uint32_t> chosen) const {
  const ColumnSubset& e = of(split);
  const auto most = static_cast<std::size_t>(model_.length()) + 1;  // ids of a delimited text that are kept
  std::int64_t sum = 0;
  for (const std::uint32_t i : chosen) {
    const std::int64_t example = e.subset.at(i);
    const std::size_t first = e.count(0, example);
    const std::size_t ids = delimiter_ < 0 ? first : std::min(most, first + 1 + e.count(1, example));
    sum += static_cast<std::int64_t>(ids) - 1;
  }
  return sum;
}

void LanguageModelObjective::prepare(Split split, std::span<const std::uint32_t> chosen,
                                     const BatchPart& part, BatchSlot slot) {
  Slot& to = slot_of(slot);
  to.batch.clear();
  const Index filled =
      split == Split::train && model_.settings().padding == "predicted" ? model_.length() : 0;
  std::int64_t predicted = 0;
  const auto add = [&](Index i, const auto& text, auto... length) {
    if (i < part.begin()) {
      to.batch.skip(text, length...);
    } else if (i < part.end()) {
      to.batch.add(text, length...);
    }
  };
  for (Index i = 0; i < part.sequences; ++i) {
    const std::uint32_t example = chosen[static_cast<std::size_t>(i)];
    if (delimiter_ < 0) {
      const std::span<const std::int32_t> text = ids(split, example);
      add(i, text, filled);
      predicted += std::max(static_cast<std::int64_t>(text.size()) - 1, filled);
    } else {
      const DelimitedText text = delimited(split, example);
      add(i, text);
      predicted += static_cast<std::int64_t>(text.target.size());
    }
  }
  to.batch.finish(part);
  to.loss_scale = 1.0 / static_cast<double>(std::max<std::int64_t>(1, predicted));
}

LossTotals loss_of(const LanguageModel& model, const ForwardContext& context, const TokenBatch& batch,
                   double label_smoothing, double loss_scale) {
  const kernels::CrossEntropyTotals totals = model.loss(context, batch, label_smoothing, loss_scale);
  LossTotals result;
  result.loss = totals.loss;
  result.correct = totals.correct;
  result.predicted = totals.tokens;
  result.useful = batch.tokens.tokens() - batch.padding;
  result.sequences = batch.tokens.sequences();
  result.positions = result.sequences * model.length();
  for (Index s = 0; s < batch.tokens.sequences(); ++s)
    result.padded += static_cast<Index>(batch.tokens.sequence(s).size()) < model.length();
  return result;
}

LossTotals LanguageModelObjective::loss(const ForwardContext& context, Split split, BatchSlot slot) {
  const Slot& packed = slot_of(slot);
  return loss_of(model_, context, packed.batch, split == Split::train ? label_smoothing_ : 0,
                 packed.loss_scale);
}

}  // namespace headwater
