#include "metrics/diversity.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "metrics/ngram_overlap.hpp"
#include "metrics/parallel_text.hpp"
#include "text/unicode/unicode_properties.hpp"

namespace headwater {

namespace {

// All texts one after the other, as numbers.
struct NumberedTexts {
  std::vector<std::uint32_t> words;
  std::vector<std::size_t> ends;  // of each text
};

NumberedTexts number_texts(std::span<const std::string> texts, const DiversitySettings& settings) {
  NumberedTexts numbered;
  std::unordered_map<std::string, std::uint32_t> number_of;
  for (const std::string& text : texts) {
    const std::string tokens =
        bleu_tokens(settings.is_lowercased ? lowercase_unicode(text) : text, settings.tokenization);
    for_each_word(tokens, [&](std::string_view word) {
      const auto next = static_cast<std::uint32_t>(number_of.size());
      numbered.words.push_back(number_of.try_emplace(std::string(word), next).first->second);
    });
    numbered.ends.push_back(numbered.words.size());
  }
  return numbered;
}

// Keys by their places among the different ones, which become their numbers; how many there are.
std::int64_t number_keys(const std::vector<std::uint64_t>& keys, std::vector<std::uint32_t>& numbers) {
  std::vector<std::uint64_t> different = keys;
  std::sort(different.begin(), different.end());
  different.erase(std::unique(different.begin(), different.end()), different.end());
  numbers.clear();
  for (const std::uint64_t key : keys) {
    const auto at = std::lower_bound(different.begin(), different.end(), key);
    numbers.push_back(static_cast<std::uint32_t>(at - different.begin()));
  }
  return static_cast<std::int64_t>(different.size());
}

// 1 - different / all; 0 of none. Sorts what it is given.
double repeated_share(std::span<std::uint32_t> ngrams) {
  if (ngrams.empty()) return 0;
  std::sort(ngrams.begin(), ngrams.end());
  const auto different = std::unique(ngrams.begin(), ngrams.end()) - ngrams.begin();
  return 1 - static_cast<double>(different) / static_cast<double>(ngrams.size());
}

}  // namespace

Diversity diversity_of(std::span<const std::string> texts, const DiversitySettings& settings) {
  const NumberedTexts numbered = number_texts(texts, settings);
  Diversity result;
  result.tokens = static_cast<std::int64_t>(numbered.words.size());
  // An n-gram is the pair (number of the (n-1)-gram at i, word at i + n - 1). Those of a text stand together,
  // one fewer than of the order below.
  std::vector<std::uint32_t> shorter(numbered.words.size(), 0), ngrams;
  std::vector<std::uint64_t> keys;
  for (int n = 1; n <= kDistinctOrders; ++n) {
    keys.clear();
    std::size_t begin = 0, from = 0;  // of the text in `words`, and in `shorter`
    for (const std::size_t end : numbered.ends) {
      const std::size_t count = ngrams_in(end - begin, n);
      for (std::size_t i = 0; i < count; ++i)
        keys.push_back(std::uint64_t{shorter[from + i]} << 32 |
                       numbered.words[begin + i + static_cast<std::size_t>(n - 1)]);
      from += n == 1 ? end - begin : static_cast<std::size_t>(ngrams_in(end - begin, n - 1));
      begin = end;
    }
    result.distinct[n - 1] = number_keys(keys, ngrams);
    shorter.swap(ngrams);
  }
  static_assert(kRepetitionOrder == kDistinctOrders);
  std::size_t begin = 0, from = 0;
  for (const std::size_t end : numbered.ends) {
    const std::size_t count = ngrams_in(end - begin, kRepetitionOrder);
    result.repeated.push_back(repeated_share(std::span(shorter).subspan(from, count)));
    result.texts_with_ngrams += count > 0 ? 1 : 0;
    from += count;
    begin = end;
  }
  return result;
}

double Diversity::distinct_share(int order) const {
  return tokens == 0 ? 0 : static_cast<double>(distinct[order - 1]) / static_cast<double>(tokens);
}

double Diversity::repetition() const {
  double sum = 0;
  for (const double share : repeated) sum += share;
  return texts_with_ngrams == 0 ? 0 : sum / static_cast<double>(texts_with_ngrams);
}

std::string diversity_signature(const DiversitySettings& settings) {
  std::string signature = settings.is_lowercased ? "case:lc" : "case:mixed";
  signature.append("|tok:").append(bleu_tokenization_name(settings.tokenization));
  return signature.append("|version:").append(kScoreVersion);
}

}  // namespace headwater
