#include "support/random_permutation.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <vector>

using namespace headwater;

namespace {

std::vector<std::uint64_t> all(const RandomStream& stream, std::uint64_t count) {
  const RandomPermutation permutation(stream, count);
  std::vector<std::uint64_t> order;
  for (std::uint64_t place = 0; place < count; ++place) order.push_back(permutation[place]);
  return order;
}

}  // namespace

TEST_CASE("a computed order is a permutation, of every small count and of some large ones") {
  std::vector<std::uint64_t> counts{4096, 4097, 10007, 65536, 100000};
  for (std::uint64_t count = 0; count < 300; ++count) counts.push_back(count);
  for (const std::uint64_t count : counts) {
    std::vector<std::uint64_t> order = all({.seed = 5, .purpose = Purpose::epoch_order, .step = 3}, count);
    std::sort(order.begin(), order.end());
    bool is_permutation = true;
    for (std::uint64_t i = 0; i < count; ++i) is_permutation = is_permutation && order[i] == i;
    INFO(count);
    CHECK(is_permutation);
  }
}

TEST_CASE("a computed order depends on seed, step and count alone, and looks drawn") {
  constexpr std::uint64_t kCount = 5000;
  const RandomStream stream{.seed = 1, .purpose = Purpose::epoch_order, .layer = 1, .step = 0};
  const std::vector<std::uint64_t> order = all(stream, kCount);
  CHECK(order == all(stream, kCount));
  for (const RandomStream& other :
       {RandomStream{2, Purpose::epoch_order, 1, 0}, RandomStream{1, Purpose::epoch_order, 1, 1},
        RandomStream{1, Purpose::epoch_order, 2, 0}}) {
    const std::vector<std::uint64_t> others = all(other, kCount);
    // Two orders drawn alone agree in one place on average.
    std::size_t same = 0;
    for (std::size_t i = 0; i < kCount; ++i) same += order[i] == others[i];
    CHECK(same < 12);
  }
  // In a drawn order neighbours are kCount / 3 apart on average, and half of the steps go up.
  std::uint64_t ups = 0;
  double apart = 0;
  for (std::size_t i = 1; i < kCount; ++i) {
    ups += order[i] > order[i - 1];
    apart += std::abs(static_cast<double>(order[i]) - static_cast<double>(order[i - 1]));
  }
  CHECK(ups > 2400);
  CHECK(ups < 2600);
  CHECK(apart / kCount > 1600);
  CHECK(apart / kCount < 1733);
}

TEST_CASE("of very many things one place is computed like another") {
  constexpr std::uint64_t kCount = (std::uint64_t{1} << 40) + 12345;
  const RandomPermutation permutation({.seed = 9, .purpose = Purpose::epoch_order}, kCount);
  std::vector<std::uint64_t> found;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    found.push_back(permutation[i * (kCount / 2000)]);
    CHECK(found.back() < kCount);
  }
  std::sort(found.begin(), found.end());
  CHECK(std::adjacent_find(found.begin(), found.end()) == found.end());
}

namespace {

const RandomStream kStream{.seed = 5, .purpose = Purpose::epoch_order, .layer = 3, .step = 2};

std::vector<std::uint64_t> all_of(const RandomStream& stream, std::uint64_t count, std::uint64_t window) {
  const BlockShuffle shuffle(stream, count, window);
  std::vector<std::uint64_t> order;
  for (std::uint64_t place = 0; place < count; ++place) order.push_back(shuffle[place]);
  return order;
}

}  // namespace

TEST_CASE("blocks in a drawn order, shuffled within windows, are a permutation") {
  for (const std::uint64_t window : {1u, 2u, 63u, 64u, 65u, 128u, 200u, 640u, 100000u}) {
    for (const std::uint64_t count :
         {0u, 1u, 2u, 5u, 63u, 64u, 65u, 127u, 500u, 639u, 640u, 641u, 5000u, 12345u}) {
      std::vector<std::uint64_t> order = all_of(kStream, count, window);
      std::sort(order.begin(), order.end());
      bool is_permutation = true;
      for (std::uint64_t i = 0; i < count; ++i) is_permutation = is_permutation && order[i] == i;
      INFO(count, " examples in windows of ", window);
      CHECK(is_permutation);
    }
  }
}

TEST_CASE("a window's examples come from 64 blocks, and are well mixed") {
  constexpr std::uint64_t kCount = 100003, kWindow = 6400;  // blocks of 100; the last has 3
  const std::vector<std::uint64_t> order = all_of(kStream, kCount, kWindow);
  std::size_t at = 0, ups = 0;
  for (std::size_t window = 0; at < kCount; ++window) {
    std::set<std::uint64_t> blocks;
    const std::size_t begin = at;
    // As many as the window's blocks hold: 64 blocks, of which one may be the short one.
    for (; at < kCount; ++at) {
      const std::uint64_t block = order[at] / 100;
      if (blocks.size() == 64 && !blocks.contains(block)) break;
      blocks.insert(block);
    }
    const bool is_last = at == kCount;
    INFO("window ", window, " from ", begin);
    CHECK((is_last || at - begin == 6400 || at - begin == 6303));
    CHECK((is_last || blocks.size() == 64));
  }
  for (std::size_t i = 1; i < kCount; ++i) ups += order[i] > order[i - 1];
  CHECK(ups > 49000);
  CHECK(ups < 51000);
}

TEST_CASE("an order in blocks depends on seed, epoch, count and window") {
  const std::vector<std::uint64_t> order = all_of(kStream, 5000, 640);
  CHECK(order == all_of(kStream, 5000, 640));
  RandomStream epoch = kStream, seed = kStream;
  epoch.step = 3;
  seed.seed = 6;
  CHECK(order != all_of(epoch, 5000, 640));
  CHECK(order != all_of(seed, 5000, 640));
  CHECK(order != all_of(kStream, 5000, 1280));
}
