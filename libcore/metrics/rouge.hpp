// ROUGE-1, ROUGE-2 and ROUGE-L (Lin 2004) as the package rouge-score 0.1.2 computes them.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headwater {

struct RougeSettings {
  bool is_stemmed = false;  // words of more than three letters by their stems (porter_stem)
};

// 0 to 1.
struct RougeScore {
  double precision = 0, recall = 0, f1 = 0;
};

// N-grams of one and two words, longest common subsequence. A text is one sentence, so ROUGE-L is what the
// package calls both rougeL and rougeLsum.
inline constexpr std::array<std::string_view, 3> kRougeNames = {"rouge1", "rouge2", "rougeL"};
using RougeScores = std::array<RougeScore, kRougeNames.size()>;

// references[r][i] belongs to hypotheses[i]; of several references each line takes, for each of the three,
// the one of the best F1. Well-formed UTF-8. Throws Error where the numbers of lines differ or there are
// none, and for a line and reference too long for ROUGE-L.
std::vector<RougeScores> sentence_rouge(std::span<const std::string> hypotheses,
                                        std::span<const std::vector<std::string>> references,
                                        const RougeSettings& settings = {});
// The means over the lines.
RougeScores mean_rouge(std::span<const RougeScores> lines);

// "nrefs:1|stem:no|mean:lines|version:headwater-0.1.0"
std::string rouge_signature(const RougeSettings& settings, std::size_t reference_sets);

// The words that ROUGE counts: runs of ASCII letters and digits of the lower-cased text.
std::vector<std::string> rouge_tokens(std::string_view line, const RougeSettings& settings);

}  // namespace headwater
