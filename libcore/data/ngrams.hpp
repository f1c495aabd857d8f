// n-grams of tokens: neighbours joined by one space, as the framework's text layer makes them
// (libcore/FORMATS.md, n-gram tables).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace headwater {

// The tokens of one line. n-grams are pieces of it and stay written as in token lines (token_lines.hpp), so
// that no token can hold the space that joins two.
class TokenRow {
 public:
  // Throws Error "COLUMN: what" where the line is no token line.
  void read(std::string_view token_line);
  void clear();
  void add(std::string_view token);  // not escaped

  std::size_t size() const { return begins_.size(); }
  // Tokens first .. first + length - 1, joined; valid until the next change.
  std::string_view ngram(std::size_t first, std::size_t length) const {
    const std::size_t end = first + length < begins_.size() ? begins_[first + length] - 1 : text_.size();
    return std::string_view(text_).substr(begins_[first], end - begins_[first]);
  }

 private:
  std::string text_, scratch_;
  std::vector<std::size_t> begins_;
};

// Calls use(ngram) for all single tokens, then all pairs, ... up to `most` tokens, each group from the left.
template <class Use>
void for_each_ngram(const TokenRow& row, std::size_t most, const Use& use) {
  for (std::size_t length = 1; length <= most && length <= row.size(); ++length) {
    for (std::size_t first = 0; first + length <= row.size(); ++first) use(row.ngram(first, length));
  }
}

// An n-gram as the framework has it: nothing escaped. For comparing and ordering.
std::string plain_ngram(std::string_view ngram);

}  // namespace headwater
