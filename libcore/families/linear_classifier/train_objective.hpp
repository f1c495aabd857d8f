// Fitting a linear classifier to all training examples at once.
#pragma once

#include "families/classifier/train_objective.hpp"
#include "families/linear_classifier/model.hpp"

namespace headwater {

class LinearObjective : public ClassificationObjective {
 public:
  // As of ClassificationObjective. `model` is what that objective is given.
  template <class... Arguments>
  explicit LinearObjective(LinearClassifier& model, Arguments&&... arguments)
      : ClassificationObjective(model, std::forward<Arguments>(arguments)...), linear_(model) {}

  bool is_solved() const override { return true; }
  LossTotals solve() override;

 private:
  LinearClassifier& linear_;
};

}  // namespace headwater
