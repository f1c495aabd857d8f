#include "training/classification_objective.hpp"

#include <cmath>

namespace headwater {

ClassificationObjective::ClassificationObjective(TextClassifier& model, Examples train, Examples validation,
                                                 double label_smoothing)
    : model_(model),
      train_(std::move(train)),
      validation_(std::move(validation)),
      label_smoothing_(label_smoothing),
      measure_(static_cast<std::int32_t>(model.classes())) {
  for (Examples* e : {&train_, &validation_}) e->find_columns("label");
}

std::int64_t ClassificationObjective::tokens(Split split, std::span<const std::uint32_t> chosen) const {
  const Examples& e = of(split);
  std::int64_t sum = 0;
  for (const std::uint32_t i : chosen)
    sum += static_cast<std::int64_t>(e.columns->ids(e.source, e.at(i)).size());
  return sum;
}

std::string ClassificationObjective::data_hash() const {
  Hasher hasher;
  for (const Examples* e : {&train_, &validation_}) e->add_to(hasher);
  return hasher.digest();
}

void ClassificationObjective::prepare(Split split, std::span<const std::uint32_t> chosen,
                                      const BatchPart& part, BatchSlot slot) {
  const Examples& e = of(split);
  Slot& to = slot_of(slot);
  to.batch.clear();
  to.useful = 0;
  to.loss_scale = 1.0 / static_cast<double>(part.sequences);
  for (Index i = 0; i < part.end(); ++i) {
    const std::int64_t example = e.at(chosen[static_cast<std::size_t>(i)]);
    const std::span<const std::int32_t> ids = e.columns->ids(e.source, example);
    const Index length = model_.padded_length(static_cast<Index>(ids.size()));
    if (i < part.begin()) {
      to.batch.skip(ids, length);
      continue;
    }
    to.batch.add(ids, length);
    to.useful += static_cast<std::int64_t>(ids.size());
    if (model_.settings().kind == "bag_of_words") add_values(e.columns->values(e.source, example), ids, to);
    to.batch.labels.push_back(e.columns->ids(e.target, example).front());
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
  const Variable features = model_.features(context, packed.batch);
  const kernels::CrossEntropyTotals totals =
      model_.head().loss(context, features, packed.batch.labels, smoothing, packed.loss_scale);
  // A loss that is not finite ends the run, with a better word than a probability that is none.
  if (split == Split::validation && std::isfinite(totals.loss)) measure(context, features, packed.batch);
  LossTotals result;
  result.loss = totals.loss;
  result.correct = totals.correct;
  result.predicted = result.sequences = result.positions = totals.tokens;
  result.useful = packed.useful;
  return result;
}

void ClassificationObjective::measure(const ForwardContext& context, const Variable& features,
                                      const ClassBatch& batch) {
  const ConstMatrix probabilities =
      model_.head().probabilities(context, model_.head().logits(context, features));
  for (std::size_t i = 0; i < batch.labels.size(); ++i) {
    measure_.add(batch.labels[i],
                 {probabilities.row(static_cast<Index>(i)), static_cast<std::size_t>(probabilities.cols)});
  }
}

void ClassificationObjective::finish_validation(ValidationFigures& figures) {
  if (measure_.counts().samples() == 0) return;
  figures.macro_f1 = measure_.counts().macro_f1();
  figures.roc_auc = measure_.auc();
}

}  // namespace headwater
