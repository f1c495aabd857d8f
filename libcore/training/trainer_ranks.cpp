// What the trainers of a run on several ranks tell each other beside gradients.
#include <algorithm>
#include <string_view>
#include <utility>

#include "support/error.hpp"
#include "support/hash.hpp"
#include "training/trainer.hpp"

namespace headwater {

// A rank computes its share in as many pieces as one process would, or in one.
OwnParts Trainer::own_parts() const {
  const Index ranks = ranks_.size, of = std::max<Index>(recipe_.training.accumulate, ranks);
  return {.first = ranks_.rank * (of / ranks), .count = of / ranks, .of = of};
}

bool Trainer::is_so_on_any_rank(bool is_so) {
  return ranks_.group == nullptr ? is_so : any_of_ranks(*ranks_.group, is_so);
}

void Trainer::compare_ranks() {
  const std::span<const Real> values = std::as_const(objective_.parameters()).values();
  Hasher weights;
  weights.update({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  for (const auto& [what, text] :
       {std::pair<std::string_view, std::string>("another recipe", print_recipe(recipe_)),
        {"other examples", state_.data_hash},
        {"other first weights", weights.digest()}}) {
    Gathered<char> all;
    all.gather(*ranks_.group, text);
    for (int rank = 1; rank < ranks_.size; ++rank) {
      if (std::ranges::equal(all.of(static_cast<std::size_t>(rank)), all.of(0))) continue;
      throw Error("rank " + std::to_string(rank) + " has " + std::string(what) +
                  " than rank 0 (give all ranks the same files)");
    }
  }
}

bool Trainer::share_resumed(bool is_resumed) {
  if (!is_so_on_any_rank(is_resumed)) return false;
  std::string state = state_.to_json().dump();
  broadcast_all(*ranks_.group, state);
  state_ = TrainingState::from_json(Json::parse(state, "the state of rank 0"), "the state of rank 0");
  broadcast_values(*ranks_.group, objective_.parameters().values());
  for (const Optimizer::State& values : states()) broadcast_values(*ranks_.group, values.values);
  return true;
}

void Trainer::share_validation(std::vector<LossTotals>& totals) {
  Gathered<LossTotals> gathered;
  gathered.gather(*ranks_.group, totals);
  const auto size = static_cast<std::size_t>(ranks_.size);
  totals.clear();
  for (std::size_t number = 0; number < gathered.all.size(); ++number)
    totals.push_back(gathered.of(number % size)[number / size]);
}

}  // namespace headwater
