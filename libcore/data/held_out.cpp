#include "data/held_out.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "support/hash.hpp"
#include "support/random.hpp"

namespace headwater {

namespace {

std::size_t share_of(std::size_t count, double fraction) {
  if (!(fraction > 0) || count < 2) return 0;
  const double wanted = std::round(static_cast<double>(count) * std::min(fraction, 1.0));
  return std::clamp<std::size_t>(static_cast<std::size_t>(wanted), 1, count - 1);
}

}  // namespace

std::vector<std::uint32_t> split_by_seed(std::size_t count, double fraction, std::uint64_t seed) {
  const std::size_t held_out = share_of(count, fraction);
  if (held_out == 0) return {};
  std::vector<std::uint32_t> order = random_order({.seed = seed, .purpose = Purpose::split}, count);
  order.resize(held_out);
  order.shrink_to_fit();
  std::sort(order.begin(), order.end());
  return order;
}

std::uint64_t split_key(std::string_view text, std::uint64_t seed) {
  return hash64(std::to_string(seed) + '\n' + std::string(text));
}

std::vector<std::uint32_t> split_by_text(std::span<const std::uint64_t> keys,
                                         std::span<const std::uint32_t> groups, double fraction) {
  std::vector<std::vector<std::pair<std::uint64_t, std::uint32_t>>> members;
  for (std::uint32_t i = 0; i < keys.size(); ++i) {
    if (members.size() <= groups[i]) members.resize(groups[i] + std::size_t{1});
    members[groups[i]].emplace_back(keys[i], i);
  }
  std::vector<std::uint32_t> held_out;
  for (auto& group : members) {
    std::sort(group.begin(), group.end());
    const auto same_text = [&](std::size_t i) { return group[i].first == group[i - 1].first; };
    const std::size_t share = share_of(group.size(), fraction);
    // Where the last text that is held out begins and ends.
    std::size_t begin = share, end = share;
    while (begin > 0 && begin < group.size() && same_text(begin)) --begin;
    while (end > 0 && end < group.size() && same_text(end)) ++end;
    const bool is_begin_good = begin > 0, is_end_good = end < group.size();
    if (is_begin_good && (!is_end_good || share - begin <= end - share)) {
      end = begin;
    } else if (!is_end_good) {
      end = share;  // one text is all there is
    }
    for (std::size_t i = 0; i < end; ++i) held_out.push_back(group[i].second);
  }
  std::sort(held_out.begin(), held_out.end());
  return held_out;
}

}  // namespace headwater
