#include "data/ngrams.hpp"

#include "text/tokenizer/token_lines.hpp"

namespace headwater {

void TokenRow::clear() {
  text_.clear();
  begins_.clear();
}

void TokenRow::add(std::string_view token) {
  begins_.push_back(text_.size() + (begins_.empty() ? 0 : 1));
  append_token(text_, 0, token);
}

void TokenRow::read(std::string_view token_line) {
  clear();
  for_each_token_of_line(token_line, scratch_, [&](std::string_view token) { add(token); });
}

std::string plain_ngram(std::string_view ngram) {
  std::string plain, scratch;
  bool is_first = true;
  for_each_token_of_line(ngram, scratch, [&](std::string_view token) {
    if (!is_first) plain.push_back(' ');
    plain += token;
    is_first = false;
  });
  return plain;
}

}  // namespace headwater
