#include "training/rank_exchange.hpp"

#include "training/gradient_reduction.hpp"

namespace headwater {

namespace {

using State = Gradient::State;

// A gradient in a description: its state, or how many rows follow.
constexpr std::int32_t kUntouched = -2, kDense = -1;

}  // namespace

RankExchange::~RankExchange() {
  {
    const std::lock_guard lock(mutex_);
    is_abandoned_ = true;
  }
  has_changed_.notify_all();
  try {
    thread_.wait();
  } catch (...) {  // of a step that nobody will finish
  }
}

Gradient& RankExchange::gradient_of(const Use& use) {
  Parameter& p = *parameters_.all()[use.place];
  return use.use == 0 ? p.gradient : p.further[use.use - 1];
}

template <class F>
void RankExchange::for_each_bucket(std::span<const RankTensor> tensors, Index enough, const F& f) {
  slices_.clear();
  Index numbers = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const Index slices = bucket_.slices_of(tensors[i]);
    for (Index number = 0; number < slices; ++number) {
      slices_.push_back({&tensors[i], number});
      numbers += bucket_.numbers_of(slices_.back());
      if (numbers < enough) continue;
      f(slices_, i + 1);
      slices_.clear();
      numbers = 0;
    }
  }
  if (!slices_.empty()) f(slices_, tensors.size());
}

void RankExchange::watch_operation() {
  const auto& all = parameters_.all();
  uses_.resize(all.size());
  done_at_.resize(all.size());
  ++operations_;
  for (std::size_t place = 0; place < all.size(); ++place) {
    if (all[place]->uses == uses_[place]) continue;
    uses_[place] = all[place]->uses;
    done_at_[place] = operations_;
  }
}

void RankExchange::agree_on_order() {
  const auto& all = parameters_.all();
  std::vector<std::int32_t> order;  // places and uses, as rank 0 has them
  std::vector<std::size_t> places;
  for (std::size_t place = 0; place < uses_.size(); ++place) {
    const Parameter& p = *all[place];
    bool is_dense = uses_[place] > 0 && p.gradient.state == State::dense;
    for (std::size_t use = 1; use < uses_[place]; ++use) is_dense &= p.further[use - 1].state == State::dense;
    if (is_dense) places.push_back(place);
  }
  std::ranges::stable_sort(places, {}, [this](std::size_t place) { return done_at_[place]; });
  for (const std::size_t place : places) {
    for (std::size_t use = 0; use < uses_[place]; ++use) {
      order.push_back(static_cast<std::int32_t>(place));
      order.push_back(static_cast<std::int32_t>(use));
    }
  }
  broadcast_all(group_, order);
  uses_.resize(all.size());
  is_early_.assign(all.size(), false);
  early_.clear();
  early_tensors_.clear();
  Index numbers = 0;
  for (std::size_t i = 0; i < order.size(); i += 2) {
    const Use early{static_cast<std::size_t>(order[i]), static_cast<std::size_t>(order[i + 1])};
    Parameter& p = *all[early.place];
    while (p.further.size() < early.use) p.further.push_back(p.gradient_of_its_own());
    is_early_[early.place] = true;
    uses_[early.place] = early.use + 1;
    early_.push_back(early);
    early_tensors_.push_back({.place = early.place, .values = gradient_of(early).values});
    numbers += p.size();
  }
  buckets_.clear();
  for_each_bucket(early_tensors_, std::min(numbers / kBuckets, kMostOfBucket),
                  [this](const std::vector<RankBucket::Slice>& slices, std::size_t tensors) {
                    buckets_.push_back({slices, tensors});
                  });
}

void RankExchange::take_complete(bool is_all) {
  std::size_t complete = complete_;
  for (; taken_ < early_.size(); ++taken_) {
    const Use& early = early_[taken_];
    if (!is_all && parameters_.all()[early.place]->uses < uses_[early.place]) break;
    early_tensors_[taken_].is_absent = gradient_of(early).state == State::untouched;
    while (complete < buckets_.size() && buckets_[complete].tensors <= taken_ + 1) ++complete;
  }
  if (complete == complete_) return;
  {
    const std::lock_guard lock(mutex_);
    complete_ = complete;
  }
  has_changed_.notify_all();
  if (!is_sending_) thread_.start(job_);
  is_sending_ = true;
}

void RankExchange::send_early() {
  for (std::size_t number = 0; number < buckets_.size(); ++number) {
    {
      std::unique_lock lock(mutex_);
      has_changed_.wait(lock, [&] { return complete_ > number || is_abandoned_; });
      if (is_abandoned_) return;
    }
    bucket_.reduce_scatter(buckets_[number].slices, false);
  }
}

void RankExchange::finish_early() {
  if (buckets_.empty()) return;
  take_complete(true);
  thread_.wait();
  is_sending_ = false;
  taken_ = complete_ = 0;
}

void RankExchange::describe(const Gradient& gradient) {
  if (gradient.state != State::sparse) {
    description_.push_back(gradient.state == State::dense ? kDense : kUntouched);
    return;
  }
  description_.push_back(static_cast<std::int32_t>(gradient.rows.size()));
  description_.insert(description_.end(), gradient.rows.begin(), gradient.rows.end());
}

RankTensor& RankExchange::next_tensor(const Use& use) {
  if (tensor_count_ == tensors_.size()) {
    tensors_.emplace_back();
    tensor_uses_.emplace_back();
  }
  tensor_uses_[tensor_count_] = use;
  RankTensor& tensor = tensors_[tensor_count_++];
  tensor.place = use.place;
  tensor.here = nullptr;
  tensor.is_absent = tensor.is_sparse = false;
  tensor.rows.clear();
  return tensor;
}

void RankExchange::plan_gradient(const Use& use) {
  Gradient& gradient = gradient_of(use);
  State state = State::untouched;  // of the sum
  is_wanted_.assign(gradient.values.rows, 0);
  for (std::size_t rank = 0; rank < read_.size(); ++rank) {
    if (use.use > further_[rank]) continue;
    const std::span<const std::int32_t> description = descriptions_.of(rank);
    const std::int32_t of_rank = description[read_[rank]++];
    if (of_rank == kDense) state = State::dense;
    if (of_rank >= 0 && state == State::untouched) state = State::sparse;
    for (std::int32_t row = 0; row < of_rank; ++row) is_wanted_[description[read_[rank]++]] = 1;
  }
  if (!is_early_.empty() && is_early_[use.place] && use.use < uses_[use.place]) {  // its sums are there
    if (state != State::untouched) gradient.begin_dense();
    gradient.has_old_values |= state == State::untouched;
    return;
  }
  if (state == State::untouched) return;
  RankTensor& tensor = next_tensor(use);
  tensor.values = gradient.values;
  tensor.is_absent = gradient.state == State::untouched;
  tensor.is_sparse = state == State::sparse;
  if (!tensor.is_sparse) return;
  if (tensor.is_absent) gradient.clear();
  tensor.here = &gradient.rows;
  for (std::size_t row = 0; row < is_wanted_.size(); ++row)
    if (is_wanted_[row] != 0) tensor.rows.push_back(static_cast<std::int32_t>(row));
}

void RankExchange::plan() {
  description_.clear();
  for (const auto& p : parameters_.all()) {
    description_.push_back(static_cast<std::int32_t>(p->further.size()));
    describe(p->gradient);
    for (const Gradient& use : p->further) describe(use);
  }
  descriptions_.gather(group_, description_);
  const std::size_t ranks = group_.size();
  read_.assign(ranks, 0);
  further_.assign(ranks, 0);
  tensor_count_ = 0;
  for (std::size_t place = 0; place < parameters_.all().size(); ++place) {
    Parameter* const p = parameters_.all()[place].get();
    for (std::size_t rank = 0; rank < ranks; ++rank)
      further_[rank] = static_cast<std::size_t>(descriptions_.of(rank)[read_[rank]++]);
    const std::size_t most = *std::max_element(further_.begin(), further_.end());
    while (p->further.size() < most) p->further.push_back(p->gradient_of_its_own());
    for (std::size_t use = 0; use <= most; ++use) plan_gradient({place, use});
  }
}

std::optional<LossTotals> RankExchange::sum(const std::optional<LossTotals>& totals) {
  finish_early();
  plan();
  for_each_bucket(std::span(tensors_).first(tensor_count_), kMostOfBucket,
                  [this](std::span<const RankBucket::Slice> slices, std::size_t) {
                    bucket_.reduce_scatter(slices, true);
                  });
  for (std::size_t i = 0; i < tensor_count_; ++i) {
    const RankTensor& tensor = tensors_[i];
    Gradient& gradient = gradient_of(tensor_uses_[i]);
    if (!tensor.is_sparse) {
      gradient.begin_dense();
      continue;
    }
    gradient.state = State::sparse;
    gradient.rows.assign(tensor.rows.begin(), tensor.rows.end());
  }
  all_gather_value(group_, totals, totals_);
  return reduce_parts(
      0, static_cast<Index>(totals_.size()), 0, [&](Index rank, std::size_t) { return totals_[rank]; },
      [](std::size_t) {});
}

void RankExchange::share_parameters(bool leaves_rows_out) {
  tensor_count_ = 0;
  for (std::size_t place = 0; place < parameters_.all().size(); ++place) {
    const Parameter& p = *parameters_.all()[place];
    const bool has_rows_left_out = leaves_rows_out && p.is_table && p.gradient.state != State::dense;
    if (p.is_frozen || (has_rows_left_out && p.gradient.rows.empty())) continue;
    RankTensor& tensor = next_tensor({place, 0});
    tensor.values = p.value;
    tensor.is_sparse = has_rows_left_out;
    if (has_rows_left_out) tensor.rows.assign(p.gradient.rows.begin(), p.gradient.rows.end());
  }
  for_each_bucket(
      std::span(tensors_).first(tensor_count_), kMostOfBucket,
      [this](std::span<const RankBucket::Slice> slices, std::size_t) { bucket_.all_gather(slices); });
}

}  // namespace headwater
