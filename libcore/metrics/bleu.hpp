// BLEU (Papineni et al. 2002) with the tokenizations, clipping, smoothing and brevity penalty of
// sacreBLEU 2.6 (Post 2018), so that scores can be compared with published ones.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headwater {

inline constexpr int kBleuOrders = 4;

enum class BleuTokenization { mteval_13a, none, international, characters };
// Chen and Cherry 2014: exponential is their method 3, floor 1, add_k 2.
enum class BleuSmoothing { exponential, floor, add_k, none };

struct BleuSettings {
  BleuTokenization tokenization = BleuTokenization::mteval_13a;
  BleuSmoothing smoothing = BleuSmoothing::exponential;
  std::optional<double> smoothing_value = {};  // of floor (default 0.1) and add_k (default 1)
  bool is_lowercased = false;
  bool has_effective_order =
      false;  // leave out orders for which the hypothesis is too short; for single sentences
};

struct BleuScore {
  double score = 0;                                // 0 to 100
  std::array<std::int64_t, kBleuOrders> counts{};  // matched n-grams, clipped
  std::array<std::int64_t, kBleuOrders> totals{};  // n-grams of the hypotheses
  std::array<double, kBleuOrders> precisions{};    // per cent, smoothed
  double brevity_penalty = 1;
  std::int64_t hypothesis_length = 0, reference_length = 0;  // tokens; the reference closest in length counts
};

// "13a", "none", "intl", "char" and "exp", "floor", "add-k", "none"; nothing for another word.
std::optional<BleuTokenization> bleu_tokenization(std::string_view name);
std::optional<BleuSmoothing> bleu_smoothing(std::string_view name);
std::string_view bleu_tokenization_name(BleuTokenization tokenization);  // the same word

// references[r][i] belongs to hypotheses[i]; every reference set has as many lines as there are hypotheses.
// Well-formed UTF-8. Throws Error where the numbers of lines differ or there are none.
BleuScore corpus_bleu(std::span<const std::string> hypotheses,
                      std::span<const std::vector<std::string>> references,
                      const BleuSettings& settings = {});

// One score a line; the effective order is always used.
std::vector<BleuScore> sentence_bleu(std::span<const std::string> hypotheses,
                                     std::span<const std::vector<std::string>> references,
                                     const BleuSettings& settings = {});

// "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:headwater-0.1.0"
std::string bleu_signature(const BleuSettings& settings, std::size_t reference_sets);

// "60.1/33.0/20.9/13.5 (BP = 1.000 ratio = 1.002 hyp_len = 123 ref_len = 122)"
std::string bleu_details(const BleuScore& score);

// The line as BLEU counts it: tokens separated by single spaces (of none: any white space, as it was).
std::string bleu_tokens(std::string_view line, BleuTokenization tokenization);

}  // namespace headwater
