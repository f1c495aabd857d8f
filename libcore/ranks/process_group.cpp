#include "ranks/process_group.hpp"

#include <string>

#include "support/error.hpp"

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
    const std::size_t begin = first == 0 ? 0 : ends[first - 1];
    return all.subspan(begin, ends[first + count - 1] - begin);
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

void compare_ranks(ProcessGroup& group, std::string_view what, std::string_view text) {
  Gathered<char> all;
  all.gather(group, text);
  for (int rank = 1; rank < group.size(); ++rank) {
    if (std::ranges::equal(all.of(static_cast<std::size_t>(rank)), all.of(0))) continue;
    throw Error("rank " + std::to_string(rank) + " has " + std::string(what) +
                " than rank 0 (give all ranks the same command and the same files)");
  }
}

}  // namespace headwater
