#include "families/classifier/train_objective.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "training/logistic_regression.hpp"

namespace headwater {

namespace {

// Examples whose tokens go through an encoder together, at most.
constexpr std::size_t kExamplesAtOnce = 32;

void add_terms(const ClassBatch& batch, LogisticProblem& to) {
  for (const std::int32_t id : batch.source.ids) to.ids.push_back(id);
  for (const Real value : batch.values) to.values.push_back(static_cast<float>(value));
  const auto before = static_cast<std::int64_t>(to.ids.size() - batch.source.ids.size());
  for (Index s = 1; s <= batch.source.sequences(); ++s) to.ends.push_back(before + batch.source.offsets[s]);
}

void add_vectors(const LinearClassifier& model, const ClassBatch& batch, Arena& arena, LogisticProblem& to) {
  const ArenaScope scope(arena);
  Tape tape(arena, Tape::Mode::inference);
  const Matrix rows = model.vectors({tape}, batch).value();
  for (Index r = 0; r < rows.rows; ++r) {
    for (Index c = 0; c < rows.cols; ++c) {
      to.ids.push_back(static_cast<std::int32_t>(c));
      to.values.push_back(static_cast<float>(rows.row(r)[c]));
    }
    to.ends.push_back(static_cast<std::int64_t>(to.ids.size()));
  }
}

}  // namespace

LossTotals LinearObjective::solve() {
  begin_epoch(0);
  LogisticProblem problem{.features = linear_.width(),
                          .outputs = linear_.head().outputs(),
                          .C = linear_.settings().C,
                          .class_weights = {class_weights().begin(), class_weights().end()}};
  LossTotals totals;
  Arena arena;
  const std::size_t count = examples(Split::train);
  std::vector<std::uint32_t> chosen;
  for (std::size_t begin = 0; begin < count; begin += kExamplesAtOnce) {
    chosen.resize(std::min(kExamplesAtOnce, count - begin));
    std::iota(chosen.begin(), chosen.end(), static_cast<std::uint32_t>(begin));
    prepare(Split::train, chosen, BatchPart::whole(static_cast<Index>(chosen.size())), BatchSlot::first);
    const ClassBatch& examples = batch(BatchSlot::first);
    totals.useful += static_cast<std::int64_t>(examples.source.ids.size());
    problem.labels.insert(problem.labels.end(), examples.labels.begin(), examples.labels.end());
    if (linear_.reads_bags()) {
      add_terms(examples, problem);
    } else {
      add_vectors(linear_, examples, arena, problem);
    }
  }
  const LogisticFit fit = fit_logistic(std::move(problem));
  const Matrix weight = linear_.weight().value, bias = linear_.bias().value;
  const std::size_t numbers = weight.rows * weight.cols;
  for (std::size_t i = 0; i < fit.weights.size(); ++i)
    (i < numbers ? weight.data[i] : bias.data[i - numbers]) = static_cast<Real>(fit.weights[i]);
  totals.loss = fit.at_end.loss;
  totals.correct = fit.at_end.correct;
  totals.predicted = totals.sequences = totals.positions = static_cast<std::int64_t>(count);
  return totals;
}

}  // namespace headwater
