// Links between the words of a text and those of its translation.
#pragma once

#include <cstdint>
#include <span>
#include <string>
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

}  // namespace headwater
