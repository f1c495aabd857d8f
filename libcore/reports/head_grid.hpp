// All heads of a model on one page: the mean matrix of each, and what it looks at.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "reports/head_patterns.hpp"

namespace headwater {

// An SVG 1.1 document: of each kind a row of panels a layer and a column a head, queries down and keys to the
// right, the first tokens alone, colour for the mean weight; below each its pattern. `shown` says what the
// panels are of: "the first 24 tokens of each text". Throws Error where there are no rows.
std::string head_grid_svg(std::span<const HeadRow> rows, std::string_view title, std::string_view shown);

}  // namespace headwater
