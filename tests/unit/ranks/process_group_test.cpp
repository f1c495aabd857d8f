// What ranks tell each other, between threads of one process.
#include "ranks/process_group.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <numeric>
#include <string>

#include "local_group.hpp"

using namespace headwater;

TEST_CASE("what rank 0 has is there on all ranks") {
  for (const int size : {1, 2, 4, 8}) {
    std::atomic<int> right = 0;
    on_ranks(size, [&](ProcessGroup& group) {
      std::string text = group.rank() == 0 ? "a text of some length" : "";
      broadcast_all(group, text);
      std::vector<double> numbers{group.rank() + 1.0, 7};
      broadcast_values(group, std::span(numbers));
      std::string nothing = group.rank() == 0 ? "" : "something";
      broadcast_all(group, nothing);
      if (text == "a text of some length" && numbers == std::vector<double>{1, 7} && nothing.empty()) ++right;
    });
    CHECK(right == size);
  }
}

TEST_CASE("each rank gets the values of all, any number of each") {
  for (const int size : {1, 2, 4, 8}) {
    std::atomic<int> right = 0;
    on_ranks(size, [&](ProcessGroup& group) {
      std::vector<int> ranks;
      all_gather_value(group, 10 * group.rank(), ranks);
      bool is_right = static_cast<int>(ranks.size()) == size;
      // Rank r has r values, rank 0 none; the second time others.
      Gathered<int> gathered;
      for (const int factor : {1, 3}) {
        std::vector<int> mine(factor * group.rank());
        std::iota(mine.begin(), mine.end(), 100 * group.rank());
        gathered.gather(group, mine);
        for (int rank = 0; rank < size; ++rank) {
          const auto of = gathered.of(static_cast<std::size_t>(rank));
          is_right &= ranks[rank] == 10 * rank && static_cast<int>(of.size()) == factor * rank;
          for (std::size_t i = 0; i < of.size(); ++i) is_right &= of[i] == 100 * rank + static_cast<int>(i);
        }
      }
      if (is_right) ++right;
    });
    CHECK(right == size);
  }
}

TEST_CASE("one rank's yes is the answer of all") {
  for (const int says : {-1, 0, 3}) {
    std::atomic<int> yes = 0;
    on_ranks(4, [&](ProcessGroup& group) { yes += any_of_ranks(group, group.rank() == says); });
    CHECK(yes == (says < 0 ? 0 : 4));
  }
}

TEST_CASE("a broadcast sends the bytes once to each other rank") {
  std::atomic<std::int64_t> sent = 0;
  on_ranks(4, [&](LocalGroup& group) {
    std::vector<std::byte> bytes(100);
    broadcast(group, bytes);
    sent += group.bytes_sent();
  });
  CHECK(sent == 300);
}

TEST_CASE("a rank that fails ends the others") {
  std::atomic<int> failed = 0;
  CHECK_THROWS_AS(on_ranks(4,
                           [&](ProcessGroup& group) {
                             if (group.rank() == 2) throw Error("no memory");
                             try {
                               any_of_ranks(group, false);
                             } catch (const Error&) {
                               ++failed;
                               throw;
                             }
                           }),
                  Error);
  CHECK(failed == 3);
}
