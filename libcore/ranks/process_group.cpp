#include "ranks/process_group.hpp"

namespace headwater {

void broadcast(ProcessGroup& group, std::span<std::byte> bytes) {
  const int rank = group.rank();
  for (int distance = group.size() / 2; distance > 0; distance /= 2) {
    // Ranks that are multiples of twice the distance have it, and give it to those half-way.
    if (rank % (2 * distance) == 0) {
      group.exchange(rank + distance, bytes, {});
    } else if (rank % (2 * distance) == distance) {
      group.exchange(rank - distance, {}, bytes);
    }
  }
}

void all_gather(ProcessGroup& group, std::span<std::byte> all, std::span<const std::size_t> ends) {
  const int rank = group.rank();
  const auto pieces = [&](int first, int count) {
    const std::size_t begin = first == 0 ? 0 : ends[static_cast<std::size_t>(first - 1)];
    return all.subspan(begin, ends[static_cast<std::size_t>(first + count - 1)] - begin);
  };
  for (int distance = 1; distance < group.size(); distance *= 2) {
    const int mine = rank / distance * distance, partner = rank ^ distance;
    group.exchange(partner, pieces(mine, distance), pieces(mine ^ distance, distance));
  }
}

bool any_of_ranks(ProcessGroup& group, bool says) {
  std::vector<char> all;
  all_gather_value(group, static_cast<char>(says), all);
  return std::find(all.begin(), all.end(), char{1}) != all.end();
}

}  // namespace headwater
