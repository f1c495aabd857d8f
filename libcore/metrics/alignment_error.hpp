// How well word alignments agree with those that people made: alignment error rate (Och and Ney 2003, section
// 4.1).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "metrics/word_alignment.hpp"

namespace headwater {

struct Alignment {
  AlignmentLinks sure;
  AlignmentLinks possible = {};  // beside the sure ones
};

// A line of Pharaoh's format: "0-0 2-1", separated by spaces; of people's alignments "3?1" or "3p1" is
// possible only. A link that is both is sure. Throws Error "what" for anything else.
Alignment read_alignment(std::string_view line);

// Numbers of links, over as many lines as are added.
struct AlignmentCounts {
  std::int64_t links = 0, sure = 0;                 // A and S
  std::int64_t right_sure = 0, right_possible = 0;  // of A in S, and in S or P

  void add(const Alignment& found, const Alignment& right);
  void add(const AlignmentCounts& other);
  // 1 - (|A and S| + |A and P|) / (|A| + |S|); 0 where there are no links at all.
  double error_rate() const;
  double precision() const;  // |A and P| / |A|
  double recall() const;     // |A and S| / |S|
};

// How they are counted, and which version counts: for comparing figures.
std::string alignment_signature();

}  // namespace headwater
