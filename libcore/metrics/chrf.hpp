// chrF and chrF++ (Popović 2015, 2017) as sacreBLEU 2.6 computes them: n-grams of characters (without white
// space) and of words, precision and recall averaged over the orders that both sides have, F with beta = 2.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace headwater {

struct ChrfSettings {
  int character_order = 6;  // 1 to 6
  int word_order = 0;       // 0 to 6; 2 is chrF++
  double beta = 2;          // recall counts beta times as much as precision
  bool is_lowercased = false;
};

// 0 to 100. references[r][i] belongs to hypotheses[i]; of several references each line takes the one with the
// best score of its own. Throws Error where the numbers of lines differ or there are none.
double corpus_chrf(std::span<const std::string> hypotheses,
                   std::span<const std::vector<std::string>> references, const ChrfSettings& settings = {});

std::vector<double> sentence_chrf(std::span<const std::string> hypotheses,
                                  std::span<const std::vector<std::string>> references,
                                  const ChrfSettings& settings = {});

// "chrF2", "chrF2++"
std::string chrf_name(const ChrfSettings& settings);

// "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:headwater-0.1.0"
std::string chrf_signature(const ChrfSettings& settings, std::size_t reference_sets);

}  // namespace headwater
