#include "text/learning/subword_text_encoder_learner.hpp"

#include <algorithm>

#include "support/error.hpp"
#include "support/utf8.hpp"
#include "text/models/subword_text_encoder.hpp"

namespace headwater {
namespace {

constexpr std::int64_t kBytesAndPad = 257;
constexpr std::size_t kMaxSubwordLength = 20;  // code points
constexpr int kSubwordIterations = 4;

std::size_t next_boundary(std::string_view text, std::size_t at) {
  return std::min(text.size(), at + std::max<std::size_t>(1, utf8_sequence_length(text.substr(at))));
}

// Beginnings of words from each subword's start on, as the subwords of the iteration before cut them.
WordTable candidates(const std::vector<WordTable::Entry>& words, const std::vector<std::string>& subwords) {
  const SubwordMatcher matcher(subwords);
  WordTable counts;
  for (const WordTable::Entry& word : words) {
    std::string_view rest = word.word();
    while (!rest.empty()) {
      std::size_t end = 0;
      for (std::size_t i = 0; i < kMaxSubwordLength && end < rest.size(); ++i) {
        end = next_boundary(rest, end);
        counts.value(rest.substr(0, end)) += word.value;
      }
      rest.remove_prefix(matcher.longest(rest).bytes);
    }
  }
  return counts;
}

// One iteration: the candidates that are frequent enough, the longest first, so that those that are taken
// count no more in their own beginnings. Counts may fall below 0.
std::vector<std::string> next_subwords(const std::vector<WordTable::Entry>& words,
                                       const std::vector<std::string>& subwords, std::int64_t least) {
  WordTable counts = candidates(words, subwords);
  const auto count_of = [&](std::string_view subword) {
    return static_cast<std::int64_t>(counts.value(subword));
  };
  std::vector<std::vector<std::string_view>> by_length(kMaxSubwordLength + 1);
  for (const WordTable::Entry& entry : counts.entries()) {
    if (static_cast<std::int64_t>(entry.value) < least || entry.length <= 1) continue;
    by_length[count_code_points(entry.word())].push_back(entry.word());
  }
  std::vector<std::pair<std::int64_t, std::string_view>> taken;
  for (std::size_t length = kMaxSubwordLength; length > 0; --length) {
    for (const std::string_view subword : by_length[length]) {
      const std::int64_t count = count_of(subword);
      if (count < least) continue;
      taken.emplace_back(count, subword);
      for (std::size_t end = next_boundary(subword, 0); end < subword.size();
           end = next_boundary(subword, end))
        counts.value(subword.substr(0, end)) -= static_cast<std::uint64_t>(count);
    }
  }
  std::sort(taken.begin(), taken.end(), std::greater<>());
  std::vector<std::string> next;
  for (const auto& [count, subword] : taken) next.emplace_back(subword);
  return next;
}

std::vector<std::string> subwords_of(const std::vector<WordTable::Entry>& words, std::int64_t least) {
  std::vector<std::string> subwords;
  for (int i = 0; i < kSubwordIterations; ++i) subwords = next_subwords(words, subwords, least);
  return subwords;
}

std::int64_t distance(const std::vector<std::string>& subwords, std::int64_t target) {
  return std::abs(static_cast<std::int64_t>(subwords.size()) + kBytesAndPad - target);
}

// The smallest count of a subword, searched between two bounds; of what was tried the nearest to the target,
// of two equally near ones the later.
std::vector<std::string> search_subwords(const std::vector<WordTable::Entry>& words, std::int64_t low,
                                         std::int64_t high, std::int64_t target) {
  const std::int64_t least = (low + high) / 2;
  std::vector<std::string> subwords = subwords_of(words, least);
  if (distance(subwords, target) * 100 < target || low >= high || least <= 1) return subwords;
  const bool is_too_large = static_cast<std::int64_t>(subwords.size()) + kBytesAndPad > target;
  std::vector<std::string> next = is_too_large ? search_subwords(words, least + 1, high, target)
                                               : search_subwords(words, low, least - 1, target);
  return distance(subwords, target) < distance(next, target) ? subwords : next;
}

}  // namespace

void count_subword_words(std::string_view lines, WordTable& counts) {
  const SubwordSplitter splitter;
  std::vector<std::string> words;
  for_each_line(lines, [&](std::string_view line) {
    splitter.split(line, words);
    for (const std::string& word : words) ++counts.value(word);
  });
}

std::vector<std::string> learn_subword_text_encoder(const WordTable& counts, std::int64_t target) {
  if (target <= kBytesAndPad)
    throw UsageError("size: " + std::to_string(target) + " is less than " + std::to_string(kBytesAndPad + 1) +
                     " (padding, 256 bytes and a subword)");
  const std::vector<WordTable::Entry> words = by_bytes(counts);
  if (words.empty()) throw Error("no tokens to learn from (the input is empty)");
  const auto less = [](const WordTable::Entry& a, const WordTable::Entry& b) { return a.value < b.value; };
  const auto [fewest, most] = std::minmax_element(words.begin(), words.end(), less);
  const std::int64_t low = std::max<std::int64_t>(1, static_cast<std::int64_t>(fewest->value));
  return search_subwords(words, low, static_cast<std::int64_t>(most->value), target);
}

}  // namespace headwater
