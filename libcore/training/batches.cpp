#include "training/batches.hpp"

#include <algorithm>
#include <chrono>
#include <type_traits>

#include "support/error.hpp"
#include "support/numbers.hpp"

namespace headwater {

// Let C be the most tokens of a batch, m those of the longest example and T those of all. With
// B = ceil(T / (C - m + 1)) batches, each of which ends with the first example that reaches its share of T,
// none has more than T / B + m - 1 <= C tokens: in every order.
Batches::Batches(const TrainingSettings& training, const Objective& objective, Split split)
    : objective_(objective),
      split_(split),
      examples_(static_cast<std::int64_t>(objective.examples(split))),
      most_sequences_(training.batch_sequences),
      most_tokens_(training.batch_tokens) {
  if (most_tokens_ == 0) {
    count_ = (examples_ + most_sequences_ - 1) / most_sequences_;
    return;
  }
  std::int64_t longest = 0;
  for (std::int64_t i = 0; i < examples_; ++i) {
    const std::int64_t tokens = tokens_of(static_cast<std::uint32_t>(i));
    longest = std::max(longest, tokens);
    tokens_ += tokens;
  }
  if (longest > most_tokens_)
    throw UsageError("training.batch_tokens is " + format_count(most_tokens_) + ", but an example of " +
                     (split == Split::train ? "training" : "validation") + " has " +
                     counted(longest, "token") + " (write " + std::to_string(longest) +
                     " or more; several times that is usual)");
  const std::int64_t room = most_tokens_ - longest + 1;
  count_ = std::min((tokens_ + room - 1) / room, examples_);
}

EpochBatches Batches::evenly(ExampleOrder order) const {
  if (most_tokens_ == 0) return {std::move(order), count_};
  std::vector<std::int64_t> begins{0};
  begins.reserve(static_cast<std::size_t>(count_) + 1);
  std::int64_t end = 0, tokens = 0;
  for (std::int64_t number = 1; number <= count_; ++number) {
    // As shares of whole numbers: number * T / B without overflow.
    const std::int64_t share = tokens_ / count_ * number + tokens_ % count_ * number / count_;
    // At least one example here, and one for each batch that follows.
    const std::int64_t first = end + 1, last = examples_ - (count_ - number);
    while (end < last && (end < first || tokens < share)) tokens += tokens_of(order[end++]);
    begins.push_back(end);
  }
  return {std::move(order), std::move(begins)};
}

EpochBatches Batches::in_order() const {
  std::vector<std::int64_t> begins{0};
  std::int64_t begin = 0, tokens = 0;
  for (std::int64_t i = 0; i < examples_; ++i) {
    const std::int64_t more = most_tokens_ > 0 ? tokens_of(static_cast<std::uint32_t>(i)) : 0;
    const bool is_full = most_tokens_ > 0 ? tokens + more > most_tokens_ : i - begin == most_sequences_;
    if (is_full) {
      begins.push_back(i);
      begin = i;
      tokens = 0;
    }
    tokens += more;
  }
  if (examples_ > 0) begins.push_back(examples_);
  return {ExampleOrder(examples_), std::move(begins)};
}

std::int64_t ExampleOrder::count() const {
  return std::visit(
      [](const auto& order) -> std::int64_t {
        using Order = std::decay_t<decltype(order)>;
        if constexpr (std::is_same_v<Order, std::int64_t>) {
          return order;
        } else if constexpr (std::is_same_v<Order, std::vector<std::uint32_t>>) {
          return static_cast<std::int64_t>(order.size());
        } else {
          return static_cast<std::int64_t>(order.count());
        }
      },
      order_);
}

std::uint32_t ExampleOrder::operator[](std::int64_t place) const {
  return std::visit(
      [place](const auto& order) {
        if constexpr (std::is_same_v<std::decay_t<decltype(order)>, std::int64_t>) {
          return static_cast<std::uint32_t>(place);
        } else {
          return static_cast<std::uint32_t>(order[place]);
        }
      },
      order_);
}

std::int64_t EpochBatches::begin(std::int64_t number) const {
  if (!begins_.empty()) return begins_[number];
  // number * examples / count without overflow
  return examples() / count_ * number + examples() % count_ * number / count_;
}

void EpochBatches::take(std::int64_t number, std::vector<std::uint32_t>& to) const {
  to.clear();
  if (number >= count_) return;
  for (std::int64_t place = begin(number); place < begin(number + 1); ++place) to.push_back(order_[place]);
}

LargestPart largest_part(const Objective& objective,
                         const std::function<EpochBatches(std::int64_t)>& batches_of_epoch,
                         std::int64_t batches, std::int64_t steps, Index parts) {
  // What all orders together may have at the most: in a longer run, batches of later epochs are hardly
  // larger.
  constexpr std::int64_t kMaxExamples = 20'000'000;
  const auto examples = static_cast<std::int64_t>(objective.examples(Split::train));
  LargestPart largest;
  std::int64_t most = -1;
  std::vector<std::uint32_t> taken;
  std::int64_t most_examples = 0, seen = 0;
  for (std::int64_t epoch = 0; epoch * batches < steps; ++epoch) {
    if (epoch > 0 && (epoch + 1) * examples > kMaxExamples) break;
    const EpochBatches list = batches_of_epoch(epoch);
    for (std::int64_t number = 0; number < std::min(batches, steps - epoch * batches); ++number) {
      const std::int64_t size = list.begin(number + 1) - list.begin(number);
      // Where examples are equal, any batch of the most is the largest; of two, one has no shorter example.
      if (objective.has_equal_examples()) {
        if (size < most_examples || (size == most_examples && ++seen > 2)) continue;
        if (size > most_examples) seen = 1;
        most_examples = size;
      }
      list.take(number, taken);
      const std::span<const std::uint32_t> batch = taken;
      for (Index index = 0; index < parts; ++index) {
        const BatchPart part{index, parts, static_cast<Index>(batch.size())};
        const auto of_part = batch.subspan(part.begin(), part.end() - part.begin());
        const std::int64_t tokens = objective.tokens(Split::train, of_part);
        if (tokens <= most) continue;
        most = tokens;
        largest.batch.assign(batch.begin(), batch.end());
        largest.part = part;
      }
    }
  }
  return largest;
}

Prefetcher::~Prefetcher() {
  try {
    thread_.wait();
  } catch (...) {  // of a batch that nobody will compute
  }
}

bool Prefetcher::start_part(Index index) {
  for (; index < own_.first + own_.count; ++index) {
    part_ = {index, own_.of, static_cast<Index>(chosen_.size())};
    if (part_.begin() == part_.end()) continue;
    slot_ = slot_ == BatchSlot::first ? BatchSlot::second : BatchSlot::first;
    thread_.start(job_);
    return true;
  }
  return false;
}

void Prefetcher::start(std::span<const std::uint32_t> chosen) {
  chosen_ = chosen;
  start_part(own_.first);
}

BatchSlot Prefetcher::take(std::span<const std::uint32_t> next) {
  const auto waiting_since = std::chrono::steady_clock::now();
  thread_.wait();
  waited_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - waiting_since).count();
  const BatchSlot taken = slot_;
  if (!start_part(part_.index + 1)) start(next);
  return taken;
}

}  // namespace headwater
