// ROUGE-1, ROUGE-2 and ROUGE-L (Lin 2004) as the package rouge-score 0.1.2 computes them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headwater {

// The longest common subsequence of two sequences, what ROUGE-L counts. With tables that are used again; one
// object a thread.
class CommonSubsequence {
 public:
  // Symbols are small numbers: a table has an entry for each up to the greatest. Time grows with the product
  // of the lengths, a 64th of it.
  std::int64_t length(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b);

 private:
  void note_places(std::span<const std::uint32_t> a);
  const std::uint64_t* places_of(std::uint32_t symbol);

  std::vector<std::uint32_t> begin_, places_;  // places_[begin_[s]] .. places_[begin_[s + 1]]: where a has s
  std::vector<std::int32_t> row_of_;           // of a frequent symbol its row of rows_, else -1
  std::vector<std::uint64_t> rows_, rare_, open_;
  std::size_t words_ = 0;
};

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
