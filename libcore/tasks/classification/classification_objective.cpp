#include "tasks/classification/classification_objective.hpp"

#include <cmath>
#include <utility>

#include "pretrained/text_classifier.hpp"
#include "support/hash.hpp"

namespace headwater {

ClassificationObjective::ClassificationObjective(TextClassifier& model, Subset train, Subset validation,
                                                 double label_smoothing, std::vector<Real> class_weights,
                                                 const Tokenizer* template_of, std::size_t around)
    : model_(model),
      train_(std::move(train), {"source", "label"}),
      validation_(std::move(validation), {"source", "label"}),
      label_smoothing_(label_smoothing),
      class_weights_(std::move(class_weights)),
      template_of_(template_of),
      around_(around),
      measure_(model.classes()) {}

std::int64_t ClassificationObjective::tokens(Split split, std::span<const std::uint32_t> chosen) const {
  const ColumnSubset& e = of(split);
  std::int64_t sum = 0;
  for (const std::uint32_t i : chosen)
    sum += static_cast<std::int64_t>(e.columns->ids(e.column[0], e.subset.at(i)).size());
  return sum + static_cast<std::int64_t>(chosen.size() * around_);
}

std::string ClassificationObjective::data_hash() const {
  Hasher hasher;
  for (const ColumnSubset* e : {&train_, &validation_}) e->subset.add_to(hasher);
  return hasher.digest();
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
    std::span<const std::int32_t> ids = e.columns->ids(e.column[0], example);
    if (template_of_ != nullptr) {
      add_template(*template_of_, around_, ids, model_.length(), to.whole);
      ids = to.whole;
    }
    const Index length = model_.padded_length(static_cast<Index>(ids.size()));
    if (i < part.begin()) {
      to.batch.skip(ids, length);
      continue;
    }
    to.batch.add(ids, length);
    to.useful += static_cast<std::int64_t>(ids.size());
    if (model_.reads_bags()) add_values(e.columns->values(e.column[0], example), ids, to);
    to.batch.labels.push_back(e.columns->ids(e.column[1], example).front());
  }
  to.batch.finish(part);
}

void ClassificationObjective::add_values(std::span<const float> values, std::span<const std::int32_t> ids,
                                         Slot& to) {
  std::vector<Real>& all = to.batch.values;
  if (values.empty()) {  // terms that occur count 1
    all.resize(all.size() + ids.size(), 1);
  } else {
    all.insert(all.end(), values.begin(), values.end());
  }
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
