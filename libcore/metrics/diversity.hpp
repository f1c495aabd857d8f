// How varied texts are, without references: distinct n-grams and repetition.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "metrics/bleu.hpp"

namespace headwater {

inline constexpr int kDistinctOrders = 4;
inline constexpr int kRepetitionOrder = 4;

struct DiversitySettings {
  BleuTokenization tokenization = BleuTokenization::mteval_13a;
  bool is_lowercased = false;
};

struct Diversity {
  std::int64_t tokens = 0;
  std::array<std::int64_t, kDistinctOrders> distinct{};  // different n-grams of all texts together
  // For each text, the share of its 4-grams that stood in it before; 0 of texts of fewer tokens.
  std::vector<double> repeated;
  std::int64_t texts_with_ngrams = 0;  // of four tokens or more

  // distinct-n (Li et al. 2016, A diversity-promoting objective function, sec. 5.4): different n-grams
  // divided by the number of tokens; 0 where there is none.
  double distinct_share(int order) const;
  // The mean of `repeated` over the texts of four tokens or more: seq-rep-4 (Welleck et al. 2020, Neural text
  // generation with unlikelihood training, sec. 3).
  double repetition() const;
};

// Well-formed UTF-8. The work grows with n log n of the tokens.
Diversity diversity_of(std::span<const std::string> texts, const DiversitySettings& settings = {});

// "case:mixed|tok:13a|version:headwater-0.1.0"
std::string diversity_signature(const DiversitySettings& settings);

}  // namespace headwater
