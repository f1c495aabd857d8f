// Vectors that are added to tokens for their places: the numbers themselves, and how alike places are.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headwater {

// One table [positions, width], row by row. Of images the last rows x columns positions are patches, row by
// row.
struct PositionTable {
  std::string name;
  std::int64_t positions = 0, width = 0;
  std::vector<float> values;
  std::int64_t rows = 0, columns = 0;  // of patches; 0: positions of text
};

// The cosines of all pairs of positions, [positions, positions]; 0 of a vector of zeros.
std::vector<double> position_similarity(const PositionTable& table);

// "table,position,feature,value\n", a line a number.
std::string position_csv(std::span<const PositionTable> tables);

// An SVG 1.1 document: of each table its numbers, positions down and features to the right, and the cosines;
// of patches a small grid for each patch, which lies where the patch does (Dosovitskiy et al. 2021, figure
// 7). Throws Error where a table is empty, or its picture too large.
std::string position_svg(std::span<const PositionTable> tables, std::string_view title);

}  // namespace headwater
