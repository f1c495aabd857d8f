#include "text/tokenizer/token_text.hpp"

#include <algorithm>

#include "support/utf8.hpp"
#include "text/tokenizer/byte_pieces.hpp"
#include "text/tokenizer/word_cuts.hpp"
#include "text/unicode/byte_level.hpp"

namespace headwater {

std::string text_of_byte_level(std::string_view surface) {
  std::string bytes, text;
  if (!append_byte_level_bytes(surface, bytes)) return std::string(surface);
  for (std::string_view rest = bytes; !rest.empty();) {
    const std::size_t length = utf8_sequence_length(rest);
    if (length == 0) {
      text += byte_surface(static_cast<unsigned char>(rest.front()));
    } else {
      text += rest.substr(0, length);
    }
    rest.remove_prefix(std::max<std::size_t>(1, length));
  }
  return text;
}

std::string text_of_byte_piece(std::string_view surface) {
  const int byte = byte_of_surface(surface);
  return byte >= 0 && byte < 0x80 ? std::string(1, static_cast<char>(byte)) : std::string(surface);
}

std::string one_line(std::string_view text) {
  constexpr std::string_view kEscaped = "\t\n\v\f\r", kEscapeLetters = "tnvfr";
  std::string line;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ' ') {
      line += kWordMark;
    } else if (const std::size_t at = kEscaped.find(c); at != kEscaped.npos) {
      (line += '\\') += kEscapeLetters[at];
    } else if (byte < 0x20 || byte == 0x7F) {
      line += byte_surface(byte);
    } else {
      line += c;
    }
  }
  return line;
}

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
