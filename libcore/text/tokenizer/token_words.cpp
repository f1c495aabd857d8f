#include "text/tokenizer/token_words.hpp"

#include <algorithm>

namespace headwater {

std::vector<std::int32_t> words_of_tokens(const Tokenizer& tokenizer, std::string_view text,
                                          std::size_t most) {
  constexpr std::string_view kSpaces = " \t";
  // Every word has the text before it encoded once more: of a text whose words are that long the rest is of
  // none.
  constexpr std::size_t kMostBytesRead = std::size_t{1} << 26;
  std::vector<std::int32_t> words, ids;
  std::int32_t word = 0;
  std::size_t bytes = 0;
  std::size_t begin = text.find_first_not_of(kSpaces);
  while (begin != text.npos && words.size() < most && bytes <= kMostBytesRead) {
    const std::size_t end = std::min(text.find_first_of(kSpaces, begin), text.size());
    begin = text.find_first_not_of(kSpaces, end);
    // What follows the last word, as a token of the space at the end of a line, is its own.
    tokenizer.encode(begin == text.npos ? text : text.substr(0, end), ids);
    bytes += end;
    words.resize(std::max(words.size(), std::min(ids.size(), most)), word);
    ++word;
  }
  return words;
}

}  // namespace headwater
