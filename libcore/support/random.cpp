#include "support/random.hpp"

#include <numeric>
#include <utility>

namespace headwater {

std::uint64_t random_below(const RandomStream& stream, std::uint64_t element, std::uint64_t bound) {
  const std::array<std::uint32_t, 4> words = philox_block(stream, element / 2);
  const std::size_t at = static_cast<std::size_t>(element % 2) * 2;
  const std::uint64_t word = (std::uint64_t{words[at + 1]} << 32) | words[at];
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(word) * bound) >> 64);
}

std::vector<std::uint32_t> random_order(const RandomStream& stream, std::size_t count) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random_below(stream, i, i)]);
  return order;
}

}  // namespace headwater
