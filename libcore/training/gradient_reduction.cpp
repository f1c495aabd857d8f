#include "training/gradient_reduction.hpp"

#include <utility>

namespace headwater {

GradientReduction::GradientReduction(Parameters& parameters, const OwnParts& own, const RankShares& shares,
                                     ProcessGroup* group)
    : parameters_(parameters), own_(own) {
  if (group != nullptr) ranks_.emplace(parameters, shares, *group);
  if (own.of == 1) return;
  parameters.keep_uses_apart();
  for (Index covered = 1; covered < own.count; covered *= 2) {
    Level level;
    level.memory = make_flat_array(parameters.size());
    for (const auto& p : parameters.all()) {
      level.gradients.push_back(p->gradient_at(level.memory.get() + p->offset));
      level.further.emplace_back();
    }
    levels_.push_back(std::move(level));
  }
}

void GradientReduction::exchange(std::size_t level) {
  if (level == 0) return;
  Level& other = levels_[level - 1];
  for (std::size_t place = 0; place < other.gradients.size(); ++place) {
    Parameter& p = *parameters_.all()[place];
    std::swap(p.gradient, other.gradients[place]);
    std::swap(p.further, other.further[place]);
  }
}

void GradientReduction::merge(std::size_t level) {
  const Level& upper = levels_[level];
  for (std::size_t place = 0; place < upper.gradients.size(); ++place) {
    Parameter& p = *parameters_.all()[place];
    Gradient& gradient = level == 0 ? p.gradient : levels_[level - 1].gradients[place];
    std::vector<Gradient>& further = level == 0 ? p.further : levels_[level - 1].further[place];
    add_gradient(upper.gradients[place], gradient);
    for (std::size_t use = 0; use < further.size(); ++use)
      add_gradient(upper.further[place][use], further[use]);
  }
}

// In the order in which the uses of one batch add to one gradient.
void GradientReduction::add_uses() {
  for (const auto& p : parameters_.all()) {
    for (const Gradient& use : p->further) add_gradient(use, p->gradient);
  }
}

void GradientReduction::make_room() {
  for (Level& level : levels_) {
    for (std::size_t place = 0; place < level.further.size(); ++place) {
      const Parameter& p = *parameters_.all()[place];
      while (level.further[place].size() < p.further.size())
        level.further[place].push_back(p.gradient_of_its_own());
    }
  }
  if (sends_early()) ranks_->agree_on_order();
}

Index GradientReduction::numbers() const {
  Index numbers = parameters_.size();
  for (const auto& p : parameters_.all()) numbers += p->size() * static_cast<Index>(p->further.size());
  return numbers;
}

std::int64_t GradientReduction::bytes() const {
  const Index all = numbers(), exchanged = own_.of > own_.count ? RankExchange::room(all) : 0;
  return (all * static_cast<Index>(levels_.size() + 1) + exchanged) * static_cast<Index>(sizeof(Real));
}

std::int64_t GradientReduction::bytes_exchanged() const {
  const Index ranks = own_.of / own_.count;
  const Index all = numbers() + parameters_.size();  // gradients there, parameters back
  return (all - all / ranks) * static_cast<Index>(sizeof(Real));
}

}  // namespace headwater
