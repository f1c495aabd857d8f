#include "text/learning/subword_text_encoder_learner.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <map>

#include "support/random.hpp"
#include "support/utf8.hpp"
#include "text/models/subword_text_encoder.hpp"

using namespace headwater;

namespace {

using Subwords = std::vector<std::string>;

std::vector<std::string> beginnings(std::string_view text) {
  std::vector<std::string> all;
  for (std::size_t end = 0; end < text.size() && all.size() < 20;) {
    end += utf8_sequence_length(text.substr(end));
    all.emplace_back(text.substr(0, end));
  }
  return all;
}

// As tensorflow-datasets counts: each candidate is a string.
Subwords learned_naively(const WordTable& words, std::int64_t least) {
  Subwords subwords;
  for (int i = 0; i < 4; ++i) {
    const SubwordMatcher matcher(subwords);
    std::map<std::string, std::int64_t> counts;
    for (const WordTable::Entry& word : words.entries()) {
      for (std::string_view rest = word.word(); !rest.empty();
           rest.remove_prefix(matcher.longest(rest).bytes))
        for (const std::string& text : beginnings(rest))
          counts[text] += static_cast<std::int64_t>(word.value);
    }
    std::map<std::size_t, Subwords, std::greater<>> by_length;
    for (const auto& [text, count] : counts) {
      if (text.size() > 1) by_length[count_code_points(text)].push_back(text);
    }
    std::vector<std::pair<std::int64_t, std::string>> taken;
    for (const auto& [length, texts] : by_length) {
      for (const std::string& text : texts) {
        const std::int64_t count = counts[text];
        if (count < least) continue;
        taken.emplace_back(count, text);
        for (const std::string& shorter : beginnings(text)) counts[shorter] -= count;
      }
    }
    std::sort(taken.rbegin(), taken.rend());
    subwords.clear();
    for (const auto& [count, text] : taken) subwords.push_back(text);
  }
  return subwords;
}

// Of all that is tried between two counts the nearest, of two the later.
Subwords searched_naively(const WordTable& words, std::int64_t low, std::int64_t high, std::int64_t target) {
  const std::int64_t least = (low + high) / 2;
  const Subwords found = learned_naively(words, least);
  const auto distance = [&](const Subwords& subwords) {
    return std::abs(static_cast<std::int64_t>(subwords.size()) + 257 - target);
  };
  if (distance(found) * 100 < target || low >= high || least <= 1) return found;
  const bool is_too_large = static_cast<std::int64_t>(found.size()) + 257 > target;
  const Subwords next =
      searched_naively(words, is_too_large ? least + 1 : low, is_too_large ? high : least - 1, target);
  return distance(found) < distance(next) ? found : next;
}

}  // namespace

TEST_CASE("subwords are those that counting every candidate as a string gives") {
  const std::vector<std::vector<std::string>> alphabets = {
      {"a", "b"},
      {"a", "b", " ", "the ", "_"},
      {"a", "\u00E9", "\u65E5", "\U0001F600", " ", "."},
      {"a", "\\&undsc", "_", "aaaaaaaaaaaaaaaaaaaaaaaa", "\U0001F600\U0001F600\U0001F600\U0001F600"}};
  const RandomStream stream{.seed = 5, .purpose = Purpose::sample};
  std::uint64_t element = 0;
  for (int i = 0; i < 60; ++i) {
    const std::vector<std::string>& parts = alphabets[random_below(stream, element++, alphabets.size())];
    std::string text;
    for (std::uint64_t left = 1 + random_below(stream, element++, 200); left > 0; --left) {
      text += parts[random_below(stream, element++, parts.size())];
      if (random_below(stream, element++, 20) == 0) text += '\n';
    }
    WordTable words;
    count_subword_words(text, words);
    if (words.size() == 0) continue;
    std::uint64_t fewest = words.entries().front().value, most = fewest;
    for (const WordTable::Entry& word : words.entries()) {
      fewest = std::min(fewest, word.value);
      most = std::max(most, word.value);
    }
    const auto target = static_cast<std::int64_t>(258 + random_below(stream, element++, 80));
    INFO(text, " to ", target);
    CHECK(
        learn_subword_text_encoder(words, target) ==
        searched_naively(words, static_cast<std::int64_t>(fewest), static_cast<std::int64_t>(most), target));
  }
}
