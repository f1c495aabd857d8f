#include "training/rank_exchange.hpp"

#include <algorithm>
#include <array>

#include "support/parallel.hpp"
#include "training/gradient_reduction.hpp"

namespace headwater {

namespace {

using State = Gradient::State;

// A gradient in a description: its state, or how many rows follow.
constexpr std::int32_t kUntouched = -2, kDense = -1;

// What is not there is -0, the one number that changes no other when it is added.
constexpr Real kAbsent = -0.0f;

// f(begin, end) for pieces of [0, count).
template <class F>
void for_each_stretch_of(Index count, const F& f) {
  constexpr Index kNumbers = 65'536;
  parallel_for((count + kNumbers - 1) / kNumbers,
               [&](Index stretch) { f(stretch * kNumbers, std::min(count, (stretch + 1) * kNumbers)); });
}

void copy_numbers(const Real* from, Index count, Real* to) {
  for_each_stretch_of(count,
                      [&](Index begin, Index end) { std::copy(from + begin, from + end, to + begin); });
}

// In a bucket: a quarter of all numbers, so that sending begins while three quarters of a pass are to come,
// and no more than 4 MiB.
constexpr Index kBuckets = 4, kMostOfBucket = 1 << 20;

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

Gradient& RankExchange::gradient_of(const Early& early) {
  Parameter& p = *parameters_.all()[early.place];
  return early.use == 0 ? p.gradient : p.further[early.use - 1];
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
  early_of_.assign(all.size(), std::nullopt);
  early_.clear();
  buckets_.clear();
  early_end_ = 0;
  Index all_numbers = 0, begin = 0;
  for (std::size_t i = 0; i < order.size(); i += 2)
    all_numbers += all[static_cast<std::size_t>(order[i])]->size();
  const Index enough = std::min(all_numbers / kBuckets, kMostOfBucket);
  for (std::size_t i = 0; i < order.size(); i += 2) {
    Early early{.place = static_cast<std::size_t>(order[i]), .use = static_cast<std::size_t>(order[i + 1])};
    Parameter& p = *all[early.place];
    while (p.further.size() < early.use) p.further.push_back(p.gradient_of_its_own());
    if (early.use == 0) early_of_[early.place] = early_.size();
    uses_.resize(all.size());
    uses_[early.place] = early.use + 1;
    early.begin = early_end_;
    early.end = early_end_ += p.size();
    early_.push_back(early);
    const bool is_last = i + 2 == order.size();
    if (early_end_ - begin < enough && !is_last) continue;
    buckets_.push_back({early_.size(), begin, early_end_});
    received_.resize(std::max(received_.size(), static_cast<std::size_t>(early_end_ - begin)));
    begin = early_end_;
  }
  numbers_.resize(static_cast<std::size_t>(early_end_));
}

void RankExchange::take_complete(bool is_all) {
  std::size_t complete = complete_;
  for (; taken_ < early_.size(); ++taken_) {
    Early& early = early_[taken_];
    if (!is_all && parameters_.all()[early.place]->uses < uses_[early.place]) break;
    const Gradient& gradient = gradient_of(early);
    early.numbers = gradient.state == State::untouched ? nullptr : gradient.values.data;
    if (taken_ + 1 == buckets_[complete].end) ++complete;
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
  std::size_t first = 0;
  for (std::size_t number = 0; number < buckets_.size(); ++number) {
    {
      std::unique_lock lock(mutex_);
      has_changed_.wait(lock, [&] { return complete_ > number || is_abandoned_; });
      if (is_abandoned_) return;
    }
    const Bucket& bucket = buckets_[number];
    for (; first < bucket.end; ++first) {
      const Early& early = early_[first];
      Real* const to = numbers_.data() + early.begin;
      if (early.numbers != nullptr) {
        std::copy_n(early.numbers, early.end - early.begin, to);
      } else {
        std::fill_n(to, early.end - early.begin, kAbsent);
      }
    }
    add_up(bucket.begin_number, bucket.end_number, false);
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

void RankExchange::add_entry(Gradient& gradient, std::size_t place, std::size_t use) {
  if (entry_count_ == entries_.size()) entries_.emplace_back();
  Entry& entry = entries_[entry_count_];
  entry.gradient = &gradient;
  entry.state = State::untouched;
  entry.rows.clear();
  is_wanted_.assign(static_cast<std::size_t>(gradient.values.rows), 0);
  for (std::size_t rank = 0; rank < read_.size(); ++rank) {
    if (use > further_[rank]) continue;
    const std::span<const std::int32_t> description = descriptions_.of(rank);
    const std::int32_t state = description[read_[rank]++];
    if (state == kDense) entry.state = State::dense;
    if (state >= 0 && entry.state == State::untouched) entry.state = State::sparse;
    for (std::int32_t row = 0; row < state; ++row)
      is_wanted_[static_cast<std::size_t>(description[read_[rank]++])] = 1;
  }
  if (entry.state == State::untouched) return;
  if (!early_of_.empty() && early_of_[place] && use < uses_[place]) {
    const Early& early = early_[*early_of_[place] + use];
    entry.state = State::dense;
    entry.begin = early.begin;
    entry.end = early.end;
    ++entry_count_;
    return;
  }
  Index rows = gradient.values.rows;
  if (entry.state == State::sparse) {
    for (std::size_t row = 0; row < is_wanted_.size(); ++row)
      if (is_wanted_[row] != 0) entry.rows.push_back(static_cast<std::int32_t>(row));
    rows = static_cast<Index>(entry.rows.size());
  }
  entry.begin = static_cast<Index>(numbers_.size());
  entry.end = entry.begin + rows * gradient.values.cols;
  numbers_.resize(static_cast<std::size_t>(entry.end));
  ++entry_count_;
}

void RankExchange::plan() {
  description_.clear();
  for (const auto& p : parameters_.all()) {
    description_.push_back(static_cast<std::int32_t>(p->further.size()));
    describe(p->gradient);
    for (const Gradient& use : p->further) describe(use);
  }
  descriptions_.gather(group_, description_);
  const auto ranks = static_cast<std::size_t>(group_.size());
  read_.assign(ranks, 0);
  further_.assign(ranks, 0);
  entry_count_ = 0;
  numbers_.resize(static_cast<std::size_t>(early_end_));
  for (std::size_t place = 0; place < parameters_.all().size(); ++place) {
    Parameter* const p = parameters_.all()[place].get();
    for (std::size_t rank = 0; rank < ranks; ++rank)
      further_[rank] = static_cast<std::size_t>(descriptions_.of(rank)[read_[rank]++]);
    const std::size_t most = *std::max_element(further_.begin(), further_.end());
    while (p->further.size() < most) p->further.push_back(p->gradient_of_its_own());
    add_entry(p->gradient, place, 0);
    for (std::size_t use = 1; use <= most; ++use) add_entry(p->further[use - 1], place, use);
  }
}

void RankExchange::pack() {
  for (const Entry& entry : entries()) {
    if (entry.begin < early_end_) continue;
    const Gradient& gradient = *entry.gradient;
    Real* const to = numbers_.data() + entry.begin;
    if (gradient.state == State::untouched) {
      for_each_stretch_of(entry.end - entry.begin,
                          [&](Index begin, Index end) { std::fill(to + begin, to + end, kAbsent); });
    } else if (entry.state == State::dense) {  // the other rows of a sparse one are 0
      copy_numbers(gradient.values.data, entry.end - entry.begin, to);
    } else {
      const Index cols = gradient.values.cols;
      parallel_for(static_cast<Index>(entry.rows.size()), [&](Index place) {
        const std::int32_t row = entry.rows[static_cast<std::size_t>(place)];
        if (std::binary_search(gradient.rows.begin(), gradient.rows.end(), row)) {
          std::copy_n(gradient.values.row(row), cols, to + place * cols);
        } else {
          std::fill_n(to + place * cols, cols, kAbsent);
        }
      });
    }
  }
}

void RankExchange::add_up(Index from, Index to, bool is_parallel) {
  struct Halves {
    std::size_t begin, middle, end;
  };
  std::array<Halves, 32> levels;  // a doubling each
  std::size_t level = 0;
  auto begin = static_cast<std::size_t>(from), end = static_cast<std::size_t>(to);
  received_.resize(std::max(received_.size(), (end - begin) / 2 + 1));
  const auto part = [this](std::size_t first, std::size_t last) {
    return std::as_writable_bytes(std::span(numbers_).subspan(first, last - first));
  };
  // With the neighbour first: so a sum is that of two ranks, then of two pairs, as in the tree. Which of both
  // comes first in a sum of two cannot show.
  for (int distance = 1; distance < group_.size(); distance *= 2) {
    const Halves halves{begin, begin + (end - begin) / 2, end};
    levels[level++] = halves;
    const bool keeps_upper = (group_.rank() & distance) != 0;
    const auto lower = part(halves.begin, halves.middle), upper = part(halves.middle, halves.end);
    (keeps_upper ? begin : end) = halves.middle;
    const auto in = std::as_writable_bytes(std::span(received_).first(end - begin));
    group_.exchange(group_.rank() ^ distance, keeps_upper ? lower : upper, in);
    Real* const sums = numbers_.data() + begin;
    const Real* const others = received_.data();
    const auto add = [&](Index first, Index last) {
      for (Index i = first; i < last; ++i) sums[i] += others[i];
    };
    if (is_parallel) {
      for_each_stretch_of(static_cast<Index>(end - begin), add);
    } else {
      add(0, static_cast<Index>(end - begin));
    }
  }
  for (int distance = group_.size() / 2; distance > 0; distance /= 2) {
    const Halves& halves = levels[--level];
    const bool has_upper = (group_.rank() & distance) != 0;
    const auto lower = part(halves.begin, halves.middle), upper = part(halves.middle, halves.end);
    group_.exchange(group_.rank() ^ distance, has_upper ? upper : lower, has_upper ? lower : upper);
  }
}

void RankExchange::unpack() {
  for (const Entry& entry : entries()) {
    Gradient& gradient = *entry.gradient;
    const Real* const from = numbers_.data() + entry.begin;
    if (entry.state == State::dense) {
      gradient.begin_dense();
      copy_numbers(from, entry.end - entry.begin, gradient.values.data);
      continue;
    }
    gradient.clear();
    gradient.state = State::sparse;
    gradient.rows.assign(entry.rows.begin(), entry.rows.end());
    const Index cols = gradient.values.cols;
    parallel_for(static_cast<Index>(entry.rows.size()), [&](Index place) {
      std::copy_n(from + place * cols, cols,
                  gradient.values.row(entry.rows[static_cast<std::size_t>(place)]));
    });
  }
}

std::optional<LossTotals> RankExchange::sum(const std::optional<LossTotals>& totals) {
  finish_early();
  plan();
  pack();
  add_up(early_end_, static_cast<Index>(numbers_.size()), true);
  unpack();
  all_gather_value(group_, totals, totals_);
  return reduce_parts(
      0, static_cast<Index>(totals_.size()), 0,
      [&](Index rank, std::size_t) { return totals_[static_cast<std::size_t>(rank)]; }, [](std::size_t) {});
}

}  // namespace headwater
