// How far each head looks, layer by layer, as a picture.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "reports/attention_map.hpp"

namespace headwater {

// An SVG 1.1 document: a dot for each head over its layer, and a line through the means of the layers. Throws
// Error where there are no rows.
std::string attention_distance_svg(std::span<const AttentionDistance::Row> rows, std::string_view title);

}  // namespace headwater
