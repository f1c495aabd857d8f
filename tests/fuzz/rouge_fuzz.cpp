// Any well-formed text on two lines: words of letters and digits, stems that are not longer by more than a
// letter, and scores from 0 to 1 that equal texts reach.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "metrics/diversity.hpp"
#include "metrics/porter_stemmer.hpp"
#include "metrics/rouge.hpp"
#include "support/utf8.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headwater;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (size > 20000 || find_invalid_utf8(bytes) != std::string_view::npos) return 0;
  const std::size_t cut = bytes.find('\n');
  const std::vector<std::string> hypothesis = {std::string(bytes.substr(0, cut))};
  const std::vector<std::vector<std::string>> references = {
      {cut == std::string_view::npos ? std::string() : std::string(bytes.substr(cut + 1))}};
  for (const bool is_stemmed : {false, true}) {
    const std::vector<std::string> words = rouge_tokens(hypothesis.front(), {is_stemmed});
    for (const std::string& word : words) {
      if (word.empty()) std::abort();
      for (const char c : word) {
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))) std::abort();
      }
      if (porter_stem(word).size() > word.size() + 1) std::abort();
    }
    const RougeScores scores = sentence_rouge(hypothesis, references, {is_stemmed}).front();
    for (const RougeScore& score : scores) {
      if (!(score.f1 >= 0 && score.f1 <= 1 && score.precision <= 1 && score.recall <= 1)) std::abort();
    }
    const std::vector<std::vector<std::string>> itself = {hypothesis};
    if (sentence_rouge(hypothesis, itself, {is_stemmed}).front()[2].f1 != (words.empty() ? 0 : 1))
      std::abort();
  }
  const Diversity diversity = diversity_of(hypothesis);
  for (int n = 1; n <= kDistinctOrders; ++n) {
    if (!(diversity.distinct_share(n) <= 1)) std::abort();
  }
  if (!(diversity.repetition() >= 0 && diversity.repetition() < 1)) std::abort();
  return 0;
}
