#include "tasks/classification/classification_objective.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "families/text_classifier.hpp"

namespace headwater {

static bool is_known(std::int32_t term) { return term != kUnknownTermId; }

static bool is_row_zero(const Parameter& table, Index row) {
  const std::span values(table.value.row(row), static_cast<std::size_t>(table.value.cols));
  return std::all_of(values.begin(), values.end(), [](Real v) { return v == 0; });
}

static ColumnSubset labelled(Subset examples, bool are_pairs) {
  if (are_pairs) return {std::move(examples), {"source", "label", "target"}};
  return {std::move(examples), {"source", "label"}};
}

ClassificationObjective::ClassificationObjective(TextClassifier& model, Subset train, Subset validation,
                                                 double label_smoothing, std::vector<Real> class_weights,
                                                 const Tokenizer* template_of, std::size_t around,
                                                 std::optional<PairTemplate> pair)
    : model_(model),
      train_(labelled(std::move(train), pair.has_value())),
      validation_(labelled(std::move(validation), pair.has_value())),
      label_smoothing_(label_smoothing),
      class_weights_(std::move(class_weights)),
      template_of_(template_of),
      around_(around),
      pair_(pair),
      measure_(model.classes()) {}

std::int64_t ClassificationObjective::tokens(Split split, std::span<const std::uint32_t> chosen) const {
  const ColumnSubset& e = of(split);
  std::size_t sum = 0;
  for (const std::uint32_t i : chosen) {
    const std::size_t first = e.count(0, e.subset.at(i));
    if (!pair_) {
      sum += first + around_;
      continue;
    }
    const std::size_t all = first + e.count(2, e.subset.at(i)) + pair_->around;
    sum += std::min(all, static_cast<std::size_t>(model_.length()));
  }
  return static_cast<std::int64_t>(sum);
}

void ClassificationObjective::prepare(Split split, std::span<const std::uint32_t> chosen,
                                      const BatchPart& part, BatchSlot slot) {
  const ColumnSubset& e = of(split);
  Slot& to = slot_of(slot);
  to.batch.clear();
  to.useful = 0;
  to.loss_scale = 1.0 / static_cast<double>(part.sequences);
  for (Index i = 0; i < part.end(); ++i) {
    const std::int64_t example = e.subset.at(chosen[static_cast<std::size_t>(i)]);
    Index second = 0;
    const std::span<const std::int32_t> ids = read(e, example, to, second);
    const Index length = model_.padded_length(static_cast<Index>(ids.size()));
    if (i < part.begin()) {
      to.batch.skip(ids, length);
      continue;
    }
    if (pair_ && model_.segments() == 2) {
      to.batch.add_pair(ids, second, length);
    } else {
      to.batch.add(ids, length);
    }
    to.useful += static_cast<std::int64_t>(ids.size());
    if (model_.reads_bags()) add_values(e.columns->values(e.column[0], example), e.ids(0, example), to);
    to.batch.labels.push_back(e.ids(1, example).front());
  }
  to.batch.finish(part);
}

std::span<const std::int32_t> ClassificationObjective::read(const ColumnSubset& e, std::int64_t example,
                                                            Slot& to, Index& second) const {
  const std::span<const std::int32_t> ids = e.ids(0, example);
  if (skips_unknown_) {
    to.whole.clear();
    std::copy_if(ids.begin(), ids.end(), std::back_inserter(to.whole), is_known);
    return to.whole;
  }
  if (template_of_ == nullptr) return ids;
  if (pair_) {
    second = add_pair_template(*template_of_, *pair_, ids, e.ids(2, example), model_.length(), to.whole);
  } else {
    add_template(*template_of_, around_, ids, model_.length(), to.whole);
  }
  return to.whole;
}

void ClassificationObjective::add_values(std::span<const float> values, std::span<const std::int32_t> ids,
                                         Slot& to) const {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (skips_unknown_ && !is_known(ids[i])) continue;
    to.batch.values.push_back(values.empty() ? 1 : values[i]);  // terms that occur count 1
  }
}

void ClassificationObjective::begin_epoch(std::int64_t) {
  skips_unknown_ = is_unknown_rare_ && is_row_zero(*model_.term_weights(), kUnknownTermId);
}

LossTotals ClassificationObjective::loss(const ForwardContext& context, Split split, BatchSlot slot) {
  const Slot& packed = slot_of(slot);
  const double smoothing = split == Split::train ? label_smoothing_ : 0;
  const std::span<const Real> weights = split == Split::train ? class_weights_ : std::span<const Real>();
  const Variable features = model_.features(context, packed.batch);
  const kernels::CrossEntropyTotals totals =
      model_.head().loss(context, features, packed.batch.labels, smoothing, packed.loss_scale, weights);
  // A loss that is not finite ends the run, with a better word than a probability that is none.
  if (split == Split::validation && std::isfinite(totals.loss)) {
    measure_.add(packed.batch.labels,
                 model_.head().probabilities(context, model_.head().logits(context, features)));
  }
  LossTotals result;
  result.loss = totals.loss;
  result.correct = totals.correct;
  result.predicted = result.sequences = result.positions = totals.tokens;
  result.useful = packed.useful;
  return result;
}

}  // namespace headwater
