#include "tensor/arena.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>

using namespace headwater;

namespace {

struct Memory {
  alignas(64) std::array<char, 64 * 64> bytes{};
  void* at(std::size_t block) { return bytes.data() + 64 * block; }
};

}  // namespace

TEST_CASE_FIXTURE(Memory, "the smallest block that fits is taken, the rest stays") {
  FreeBlocks free;
  CHECK(free.take(64) == nullptr);
  free.add(at(0), 4 * 64);
  free.add(at(10), 2 * 64);
  free.add(at(20), 3 * 64);
  CHECK(free.take(65) == at(10));
  CHECK(free.take(65) == at(20));
  CHECK(free.take(64) == at(22));
  CHECK(free.take(5 * 64) == nullptr);
  CHECK(free.take(3 * 64) == at(0));
  CHECK(free.take(1) == at(3));
  CHECK(free.take(1) == nullptr);
}

TEST_CASE_FIXTURE(Memory, "neighbours are joined, whatever order they come back in") {
  for (const std::array<std::size_t, 3>& order :
       {std::array<std::size_t, 3>{0, 1, 2}, {2, 1, 0}, {0, 2, 1}, {1, 2, 0}, {1, 0, 2}, {2, 0, 1}}) {
    FreeBlocks free;
    for (const std::size_t block : order) free.add(at(5 + block), 64);
    CHECK(free.take(3 * 64) == at(5));
    CHECK(free.take(1) == nullptr);
  }
}

TEST_CASE_FIXTURE(Memory, "no two blocks overlap and nothing is lost") {
  FreeBlocks free;
  free.add(at(0), 64 * 64);
  std::mt19937 random(3);
  std::map<char*, std::size_t> taken;
  std::size_t blocks = 0;
  for (int round = 0; round < 5000; ++round) {
    if (random() % 2 == 0) {
      const std::size_t wanted = 1 + random() % 9;
      char* const block = static_cast<char*>(free.take(wanted * 64));
      if (block == nullptr) continue;
      std::fill_n(block, wanted * 64, '\1');
      const auto next = taken.lower_bound(block);
      CHECK((next == taken.end() || block + wanted * 64 <= next->first));
      CHECK((next == taken.begin() || std::prev(next)->first + std::prev(next)->second <= block));
      taken[block] = wanted * 64;
      blocks += wanted;
    } else if (!taken.empty()) {
      auto which = taken.begin();
      std::advance(which, static_cast<std::ptrdiff_t>(random() % taken.size()));
      free.add(which->first, which->second);
      blocks -= which->second / 64;
      taken.erase(which);
    }
    CHECK(blocks <= 64);
  }
  for (const auto& [block, size] : taken) free.add(block, size);
  CHECK(free.take(64 * 64) == at(0));
}
