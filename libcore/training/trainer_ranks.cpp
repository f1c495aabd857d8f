// What the trainers of a run on several ranks tell each other beside gradients.
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "support/bytes.hpp"
#include "support/error.hpp"
#include "support/hash.hpp"
#include "tensor/kernels/reduction/reduction.hpp"
#include "training/resume.hpp"
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

void Trainer::compare_with_ranks() {
  Hasher weights;
  weights.update(raw_bytes(std::as_const(objective_.parameters()).values()));
  compare_ranks(*ranks_.group, "another recipe", print_recipe(recipe_));
  compare_ranks(*ranks_.group, "other examples", state_.data_hash);
  compare_ranks(*ranks_.group, "other first weights", weights.digest());
}

std::string Trainer::gradient_not_finite() {
  const auto& all = objective_.parameters().all();
  std::array<std::int64_t, 2> first{static_cast<std::int64_t>(all.size()), 0};  // place, element
  for (std::size_t place = 0; place < all.size() && first[0] > static_cast<std::int64_t>(place); ++place) {
    const RankShares::Range& own = optimizer_.shares().own(place);
    const Index at = kernels::find_not_finite(own.size(), all[place]->gradient.values.data + own.begin);
    if (at >= 0) first = {static_cast<std::int64_t>(place), own.begin + at};
  }
  if (ranks_.group != nullptr) {
    std::vector<std::array<std::int64_t, 2>> of_ranks;
    all_gather_value(*ranks_.group, first, of_ranks);
    first = *std::ranges::min_element(of_ranks);
  }
  if (first[0] == static_cast<std::int64_t>(all.size())) return {};
  return " of " + quote(all[first[0]]->name) + " is not finite at element " + std::to_string(first[1]);
}

std::span<const Real> Trainer::whole_state(const Optimizer::State& state, std::size_t place) {
  if (!state.is_shared_out) return numbers_of(state, *objective_.parameters().all()[place]);
  optimizer_.shares().gather(state.values, place, whole_);
  return whole_;
}

bool Trainer::resume() {
  const bool is_resumed = is_so_on_any_rank(directory_ != nullptr && directory_->has_checkpoint());
  Parameters& parameters = objective_.parameters();
  const auto take = [&](const Optimizer::State& state, std::size_t place, std::span<const Real> whole) {
    if (state.is_shared_out) {
      optimizer_.shares().scatter(whole, place, state.values);
    } else {
      std::ranges::copy(whole, numbers_of(state, *parameters.all()[place]).begin());
    }
  };
  if (directory_ != nullptr) {
    if (!directory_->resume(state_, parameters, states(), take)) return false;
    accept_changes(state_, recipe_, *directory_, length());
    check_resumed_state(state_, recipe_, *directory_, length(),
                        [this](std::int64_t epoch) { return batches_of_epoch(epoch); });
  } else if (is_resumed) {
    for (const Optimizer::State& state : optimizer_.states()) {
      for (std::size_t place = 0; place < parameters.all().size(); ++place) take(state, place, {});
    }
  }
  if (!is_resumed || ranks_.group == nullptr) return is_resumed;
  std::string text = state_.to_json().dump();
  broadcast_all(*ranks_.group, text);
  state_ = TrainingState::from_json(Json::parse(text, "the state of rank 0"), "the state of rank 0");
  broadcast_values(*ranks_.group, parameters.values());
  for (const Optimizer::State& state : states())
    if (!state.is_shared_out) broadcast_values(*ranks_.group, state.values);
  return true;
}

std::int64_t Trainer::bytes_of_state() const {
  const std::int64_t last = recipe_.training.average_last;
  const std::int64_t averages = recipe_.training.ema_decay > 0 ? 1 : last > 0 ? last + 1 : 0;
  const Index numbers = optimizer_.numbers() + averages * objective_.parameters().size();
  return numbers * static_cast<Index>(sizeof(Real));
}

// The states of all ranks, as a checkpoint holds them.
std::int64_t Trainer::bytes_of_all_states() const {
  const Index others = optimizer_.numbers() * (ranks_.size - 1);
  return bytes_of_state() + others * static_cast<Index>(sizeof(Real));
}

void Trainer::share_validation(std::vector<LossTotals>& totals) {
  Gathered<LossTotals> gathered;
  gathered.gather(*ranks_.group, totals);
  const std::size_t size = ranks_.size;
  totals.clear();
  for (std::size_t number = 0; number < gathered.all.size(); ++number)
    totals.push_back(gathered.of(number % size)[number / size]);
}

}  // namespace headwater
