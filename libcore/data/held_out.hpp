// Which examples are held out, to validate or test on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace headwater {

// Which of `count` examples are held out: round(count * fraction) of them, drawn by seed (Purpose::split),
// ascending. At least one is held out and one kept where 0 < fraction and count > 1.
std::vector<std::uint32_t> split_by_seed(std::size_t count, double fraction, std::uint64_t seed);

// Where a text stands in the order in which texts are held out: its hash, and the seed's.
std::uint64_t split_key(std::string_view text, std::uint64_t seed);

// The same share of each group by itself, those with the least keys. `keys` has split_key() of each example,
// `groups` the group of each, from 0 on. A text that is held out today is so from a file that has grown, but
// for the few whose keys are near the share; and texts that stand twice in a group stand on one side (so
// that the share is met as nearly as that allows), unless the group has but one text. A group's only example
// is kept.
std::vector<std::uint32_t> split_by_text(std::span<const std::uint64_t> keys,
                                         std::span<const std::uint32_t> groups, double fraction);

}  // namespace headwater
