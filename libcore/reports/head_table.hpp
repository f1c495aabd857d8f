// What heads look at as CSV and JSON.
#pragma once

#include <span>
#include <string>

#include "reports/head_patterns.hpp"

namespace headwater {

// A header and a line a head: "kind,layer,head", the shares, "entropy,distance,pattern", then the intervals
// "previous_interval" to "distance_interval" and "score,score_interval". What there is nothing of is empty.
std::string head_csv(std::span<const HeadRow> rows);

// An object a head, a line each: "version" 1; of each measure "mean" and "interval", null where there is
// none.
std::string head_json(std::span<const HeadRow> rows);

}  // namespace headwater
