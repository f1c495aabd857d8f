#include "training/batches.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "error_text.hpp"

using namespace headwater;

namespace {

// Examples of so many tokens each, and nothing else.
class Lengths : public Objective {
 public:
  explicit Lengths(std::vector<std::int64_t> of_examples) : tokens_(std::move(of_examples)) {}
  Parameters& parameters() override { return parameters_; }
  std::int64_t width() const override { return 1; }
  std::size_t examples(Split) const override { return tokens_.size(); }
  std::int64_t tokens(Split, std::span<const std::uint32_t> chosen) const override {
    return std::accumulate(chosen.begin(), chosen.end(), std::int64_t{0},
                           [&](std::int64_t sum, std::uint32_t i) { return sum + tokens_[i]; });
  }
  std::string data_hash() const override { return {}; }
  void prepare(Split, std::span<const std::uint32_t>, const BatchPart&, BatchSlot) override {}
  LossTotals loss(const ForwardContext&, Split, BatchSlot) override { return {}; }

 private:
  Parameters parameters_;
  std::vector<std::int64_t> tokens_;
};

TrainingSettings of_tokens(std::int64_t most) {
  TrainingSettings training;
  training.batch_tokens = most;
  return training;
}

std::vector<std::uint32_t> batch_of(const EpochBatches& list, std::int64_t number) {
  std::vector<std::uint32_t> batch;
  list.take(number, batch);
  return batch;
}

std::vector<std::int64_t> begins_of(const EpochBatches& list) {
  std::vector<std::int64_t> begins;
  for (std::int64_t number = 0; number <= list.count(); ++number) begins.push_back(list.begin(number));
  return begins;
}

std::vector<std::uint32_t> ascending(std::size_t count) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  return order;
}

}  // namespace

TEST_CASE("no batch has more than its tokens, every order has as many batches, and none is empty") {
  std::mt19937_64 random(5);
  for (int round = 0; round < 300; ++round) {
    const std::size_t count = 1 + random() % 200;
    const std::int64_t longest = 1 + static_cast<std::int64_t>(random() % 40);
    std::vector<std::int64_t> tokens(count);
    for (std::int64_t& t : tokens)
      t = 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(longest));
    const std::int64_t most =
        *std::max_element(tokens.begin(), tokens.end()) + static_cast<std::int64_t>(random() % 200);
    const Lengths objective(tokens);
    const Batches batches(of_tokens(most), objective, Split::train);
    std::vector<std::uint32_t> order = ascending(count);
    for (int epoch = 0; epoch < 4; ++epoch) {
      std::shuffle(order.begin(), order.end(), random);
      const EpochBatches list = batches.evenly(ExampleOrder(order));
      INFO(count, " examples of up to ", longest, " tokens, batches of ", most);
      REQUIRE(list.count() == batches.count());
      CHECK(list.examples() == static_cast<std::int64_t>(count));
      std::vector<std::uint32_t> taken;
      for (std::int64_t number = 0; number < list.count(); ++number) {
        const std::vector<std::uint32_t> batch = batch_of(list, number);
        CHECK_FALSE(batch.empty());
        CHECK(objective.tokens(Split::train, batch) <= most);
        taken.insert(taken.end(), batch.begin(), batch.end());
      }
      CHECK(taken == order);
    }
    const EpochBatches in_order = batches.in_order();
    CHECK(in_order.begin(in_order.count()) == static_cast<std::int64_t>(count));
    for (std::int64_t number = 0; number < in_order.count(); ++number) {
      const std::int64_t here = objective.tokens(Split::train, batch_of(in_order, number));
      CHECK(here <= most);
      if (number + 1 == in_order.count()) continue;
      const std::vector<std::uint32_t> next = batch_of(in_order, number + 1);
      CHECK(here + objective.tokens(Split::train, std::span(next).first(1)) > most);
    }
  }
}

TEST_CASE("batches of tokens are even: as full as the longest example allows") {
  const Lengths objective(std::vector<std::int64_t>(1000, 10));
  const Batches batches(of_tokens(100), objective, Split::train);
  CHECK(batches.count() == 110);  // 10,000 tokens, at most 91 a batch on average
  for (std::int64_t number = 0; number < 110; ++number) {
    const std::size_t size = batch_of(batches.evenly(ExampleOrder(ascending(1000))), number).size();
    CHECK((size == 9 || size == 10));
  }
}

TEST_CASE("an example that is longer than a batch may be is an error before training") {
  const Lengths objective({5, 1300, 7});
  CHECK(error_text([&] { Batches(of_tokens(1000), objective, Split::validation); }) ==
        "training.batch_tokens is 1,000, but an example of validation has 1,300 tokens (write 1300 or more; "
        "several times that is usual)");
  CHECK(Batches(of_tokens(1300), objective, Split::train).count() == 3);
}

TEST_CASE("batches of sequences are even, and in order all but the last are full") {
  const Lengths objective(std::vector<std::int64_t>(18, 1));
  TrainingSettings training;
  training.batch_sequences = 4;
  const Batches batches(training, objective, Split::train);
  const EpochBatches even = batches.evenly(ExampleOrder(ascending(18)));
  CHECK(begins_of(even) == std::vector<std::int64_t>{0, 3, 7, 10, 14, 18});
  CHECK(begins_of(batches.in_order()) == std::vector<std::int64_t>{0, 4, 8, 12, 16, 18});
  CHECK(batch_of(even, even.count()).empty());
  CHECK(Batches(training, Lengths({}), Split::train).count() == 0);
}

TEST_CASE("batches of an order that is computed are those of one that is held") {
  for (const std::int64_t most : {0, 9}) {
    const Lengths objective({1, 2, 3, 1, 5, 1, 1, 2, 1, 4, 1, 1, 3, 2, 1, 1, 1, 2, 2, 1, 1, 3, 1});
    TrainingSettings training = of_tokens(most);
    training.batch_sequences = 4;
    const Batches batches(training, objective, Split::train);
    const RandomStream stream{.seed = 4, .purpose = Purpose::epoch_order};
    const RandomPermutation permutation(stream, 23);
    const BlockShuffle blocks(stream, 23, 7);
    std::vector<std::uint32_t> permuted, shuffled;
    for (std::uint64_t i = 0; i < 23; ++i) {
      permuted.push_back(static_cast<std::uint32_t>(permutation[i]));
      shuffled.push_back(static_cast<std::uint32_t>(blocks[i]));
    }
    const std::pair<EpochBatches, EpochBatches> pairs[] = {
        {batches.evenly(ExampleOrder(ascending(23))), batches.evenly(ExampleOrder(std::int64_t{23}))},
        {batches.evenly(ExampleOrder(permuted)), batches.evenly(ExampleOrder(permutation))},
        {batches.evenly(ExampleOrder(shuffled)), batches.evenly(ExampleOrder(blocks))}};
    for (const auto& [held, computed] : pairs) {
      REQUIRE(computed.count() == held.count());
      CHECK(computed.examples() == 23);
      CHECK(begins_of(computed) == begins_of(held));
      for (std::int64_t number = 0; number < held.count(); ++number)
        CHECK(batch_of(held, number) == batch_of(computed, number));
      CHECK(computed.begin(held.count()) == 23);
    }
  }
}
