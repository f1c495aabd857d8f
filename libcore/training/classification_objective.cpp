#include "training/classification_objective.hpp"

namespace headwater {

ClassificationObjective::ClassificationObjective(TextClassifier& model, Examples train, Examples validation,
                                                 double label_smoothing)
    : model_(model),
      train_(std::move(train)),
      validation_(std::move(validation)),
      label_smoothing_(label_smoothing) {
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

void ClassificationObjective::prepare(Split split, std::span<const std::uint32_t> chosen, BatchSlot slot) {
  const Examples& e = of(split);
  const bool is_bag = model_.settings().kind == "bag_of_words";
  const Index length = model_.settings().keeps_padding ? model_.settings().length : 0;
  Slot& to = slot_of(slot);
  to.batch.clear();
  to.useful = 0;
  for (const std::uint32_t i : chosen) {
    const std::int64_t example = e.at(i);
    const std::span<const std::int32_t> ids = e.columns->ids(e.source, example);
    to.batch.add(ids, length);
    to.useful += static_cast<std::int64_t>(ids.size());
    if (is_bag) {
      const std::span<const float> values = e.columns->values(e.source, example);
      if (values.empty()) {  // terms that occur count 1
        to.batch.values.resize(to.batch.values.size() + ids.size(), 1);
      } else {
        to.batch.values.insert(to.batch.values.end(), values.begin(), values.end());
      }
    }
    to.batch.labels.push_back(e.columns->ids(e.target, example).front());
  }
  to.batch.finish();
}

LossTotals ClassificationObjective::loss(const StepContext& context, Split split, BatchSlot slot) {
  const Slot& packed = slot_of(slot);
  const double scale = 1.0 / static_cast<double>(packed.batch.labels.size());
  const double smoothing = split == Split::train ? label_smoothing_ : 0;
  const kernels::CrossEntropyTotals totals = model_.loss(context, packed.batch, smoothing, scale);
  LossTotals result;
  result.loss = totals.loss;
  result.correct = totals.correct;
  result.predicted = result.sequences = result.positions = totals.tokens;
  result.useful = packed.useful;
  return result;
}

}  // namespace headwater
