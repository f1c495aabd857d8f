#include "support/random_permutation.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <vector>

using namespace headwater;

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
