#include "text/tokenizer/added_tokens.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "support/utf8.hpp"
#include "text/unicode/unicode.hpp"

namespace headwater {
namespace {

// Where the code point that ends before text[at] begins.
std::size_t previous_begin(std::string_view text, std::size_t at) {
  do --at;
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
  return at;
}

std::size_t without_space_before(std::string_view text, std::size_t begin, std::size_t least) {
  while (begin > least) {
    const std::size_t before = previous_begin(text, begin);
    std::size_t at = before;
    if (!is_white_space(next_code_point(text, at))) break;
    begin = before;
  }
  return std::max(begin, least);
}

std::size_t with_space_after(std::string_view text, std::size_t end) {
  while (end < text.size()) {
    std::size_t at = end;
    if (!is_white_space(next_code_point(text, at))) break;
    end = at;
  }
  return end;
}

}  // namespace

AddedTokens::AddedTokens(std::vector<AddedToken> tokens) : tokens_(std::move(tokens)), begins_(256, false) {
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    const std::string& content = tokens_[i].content;
    if (table_.find(content) != nullptr) continue;
    table_.value(content) = i;
    lengths_.push_back(content.size());
    begins_[static_cast<unsigned char>(content[0])] = true;
  }
  std::sort(lengths_.begin(), lengths_.end(), std::greater<>());
  lengths_.erase(std::unique(lengths_.begin(), lengths_.end()), lengths_.end());
}

const AddedToken* AddedTokens::longest_at(std::string_view text) const {
  for (const std::size_t length : lengths_) {
    if (length > text.size()) continue;
    if (const WordTable::Entry* entry = table_.find(text.substr(0, length)); entry != nullptr)
      return &tokens_[entry->value];
  }
  return nullptr;
}

std::vector<AddedPart> AddedTokens::split(std::string_view text) const {
  std::vector<AddedPart> parts;
  std::size_t after = 0;  // of the last token
  const auto add_text = [&](std::size_t end) {
    if (end > after) parts.push_back({text.substr(after, end - after), -1});
  };
  if (!tokens_.empty()) {
    for (std::size_t at = 0; at < text.size();) {
      const AddedToken* token =
          begins_[static_cast<unsigned char>(text[at])] ? longest_at(text.substr(at)) : nullptr;
      if (token == nullptr) {
        ++at;
        continue;
      }
      std::size_t begin = at, end = at + token->content.size();
      at = end;
      if (token->id < 0) continue;
      if (token->single_word && (is_word_before(text, begin) || is_word_at(text, end))) continue;
      if (begin < after) continue;  // a token before it has taken its white space
      if (token->takes_left) begin = without_space_before(text, begin, after);
      if (token->takes_right) end = with_space_after(text, end);
      add_text(begin);
      parts.push_back({text.substr(begin, end - begin), token->id});
      after = end;
    }
  }
  add_text(text.size());
  return parts;
}

}  // namespace headwater
