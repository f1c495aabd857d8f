// Which bits a recipe trains to.
#pragma once

#include <cstdint>
#include <string_view>

namespace headwater {

// Two programs of one bits version train a recipe to the same model, optimizer state and log. A change that
// alters the bits of a run raises it (tests/golden/bits.tsv). Runs of 0.1.0 do not name theirs.
constexpr std::int64_t kBitsVersion = 1;
constexpr std::string_view kBitsMember = "bits_version";  // of config.json

}  // namespace headwater
