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

}  // namespace

void RankExchange::describe(const Gradient& gradient) {
  if (gradient.state != State::sparse) {
    description_.push_back(gradient.state == State::dense ? kDense : kUntouched);
    return;
  }
  description_.push_back(static_cast<std::int32_t>(gradient.rows.size()));
  description_.insert(description_.end(), gradient.rows.begin(), gradient.rows.end());
}

void RankExchange::add_entry(Gradient& gradient, std::size_t use) {
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
  Index rows = gradient.values.rows;
  if (entry.state == State::sparse) {
    for (std::size_t row = 0; row < is_wanted_.size(); ++row)
      if (is_wanted_[row] != 0) entry.rows.push_back(static_cast<std::int32_t>(row));
    rows = static_cast<Index>(entry.rows.size());
  }
  entry.begin = entry_count_ == 0 ? 0 : entries_[entry_count_ - 1].end;
  entry.end = entry.begin + rows * gradient.values.cols;
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
  for (const auto& p : parameters_.all()) {
    for (std::size_t rank = 0; rank < ranks; ++rank)
      further_[rank] = static_cast<std::size_t>(descriptions_.of(rank)[read_[rank]++]);
    const std::size_t most = *std::max_element(further_.begin(), further_.end());
    while (p->further.size() < most) p->further.push_back(p->gradient_of_its_own());
    add_entry(p->gradient, 0);
    for (std::size_t use = 1; use <= most; ++use) add_entry(p->further[use - 1], use);
  }
}

void RankExchange::pack() {
  numbers_.resize(entry_count_ == 0 ? 0 : static_cast<std::size_t>(entries().back().end));
  for (const Entry& entry : entries()) {
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

void RankExchange::add_up() {
  struct Halves {
    std::size_t begin, middle, end;
  };
  std::array<Halves, 32> levels;  // a doubling each
  std::size_t level = 0;
  std::size_t begin = 0, end = numbers_.size();
  received_.resize(end / 2 + 1);
  const auto part = [this](std::size_t from, std::size_t to) {
    return std::as_writable_bytes(std::span(numbers_).subspan(from, to - from));
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
    for_each_stretch_of(static_cast<Index>(end - begin), [&](Index from, Index to) {
      for (Index i = from; i < to; ++i) sums[i] += received_[static_cast<std::size_t>(i)];
    });
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
  plan();
  pack();
  add_up();
  unpack();
  all_gather_value(group_, totals, totals_);
  return reduce_parts(
      0, static_cast<Index>(totals_.size()), 0,
      [&](Index rank, std::size_t) { return totals_[static_cast<std::size_t>(rank)]; }, [](std::size_t) {});
}

}  // namespace headwater
