// Links between the words of a text and those of its translation, and how well they agree with those that
// people made.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headwater {

// A word of the source and the word of the target that it goes with, from 0.
using AlignmentLink = std::pair<std::int32_t, std::int32_t>;
// In ascending order, each once.
using AlignmentLinks = std::vector<AlignmentLink>;

AlignmentLinks each_once(AlignmentLinks links);
// The same from the target to the source.
AlignmentLinks inverted(const AlignmentLinks& links);
// Words are linked where any of their tokens are: target token t goes with source token source_of[t]. The
// others hold the word of each token, -1 for one of no word, and are as long as there are tokens; source_of
// may be longer, its end token's entry is not read.
AlignmentLinks links_of_words(std::span<const std::int64_t> source_of,
                              std::span<const std::int32_t> source_words,
                              std::span<const std::int32_t> target_words);

// What alignments of both directions agree on, and more of their union: grow-diag-final-and (Koehn, Och and
// Marcu 2003, section 4.5). Links beside one that is there, diagonally too, are taken as long as one of their
// words has none; then those of `forward` and of `inverse` neither of whose words has one. Both are links
// from source to target, as inverted() makes them.
AlignmentLinks grow_diag_final_and(const AlignmentLinks& forward, const AlignmentLinks& inverse);

// A line of Pharaoh's format: "0-0 2-1".
std::string pharaoh_line(const AlignmentLinks& links);

struct Alignment {
  AlignmentLinks sure;
  AlignmentLinks possible = {};  // beside the sure ones
};

// A line of Pharaoh's format: "0-0 2-1", separated by spaces; of people's alignments "3?1" or "3p1" is
// possible only. A link that is both is sure. Throws Error "what" for anything else.
Alignment read_alignment(std::string_view line);

// Numbers of links, over as many lines as are added, for the alignment error rate (Och and Ney 2003, section
// 4.1).
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
