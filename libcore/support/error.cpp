#include "support/error.hpp"

#include <algorithm>
#include <cctype>
#include <system_error>

#include "support/utf8.hpp"

namespace headwater {

namespace {

// The character at the start of `text`, and whether a terminal must not have it.
struct Shown {
  std::size_t bytes = 1;
  bool is_escaped = true;
};

Shown first_shown(std::string_view text) {
  const std::size_t length = utf8_sequence_length(text);
  if (length == 0) return {};
  std::size_t at = 0;
  const char32_t c = next_code_point(text, at);
  // C1 controls (U+0080..U+009F) drive terminals, too
  return {length, c < 0x20 || (c >= 0x7F && c < 0xA0) || is_bidi_control(c)};
}

void append_bytes(std::string& out, std::string_view bytes) {
  constexpr char kHex[] = "0123456789abcdef";
  for (const char c : bytes) {
    const unsigned char b = static_cast<unsigned char>(c);
    (out += "\\x") += {kHex[b >> 4], kHex[b & 15]};
  }
}

}  // namespace

std::string system_reason(int error) {
  std::string text = std::generic_category().message(error);
  if (text.size() > 1 && !std::isupper(static_cast<unsigned char>(text[1])))
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

std::string visible(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Shown first = first_shown(text);
    if (first.is_escaped) {
      append_bytes(out, text.substr(0, first.bytes));
    } else {
      out += text.substr(0, first.bytes);
    }
    text.remove_prefix(first.bytes);
  }
  return out;
}

std::string quote(std::string_view text) {
  constexpr std::size_t kMaxBytes = 80;
  std::string out = "\"";
  while (!text.empty()) {
    const Shown first = first_shown(text);
    if (out.size() + first.bytes > kMaxBytes) {
      out += "...";
      break;
    }
    if (first.is_escaped) {
      append_bytes(out, text.substr(0, first.bytes));
    } else {
      if (text[0] == '"' || text[0] == '\\') out += '\\';
      out += text.substr(0, first.bytes);
    }
    text.remove_prefix(first.bytes);
  }
  return out + "\"";
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; };
  const auto is_same = [&](char c, char d) { return lower(c) == lower(d); };
  // Rows of the table for a's first i - 1, i and i + 1 bytes.
  std::vector<std::size_t> before(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    next[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      next[j + 1] = std::min({next[j] + 1, row[j + 1] + 1, row[j] + (is_same(a[i], b[j]) ? 0 : 1)});
      if (i > 0 && j > 0 && is_same(a[i], b[j - 1]) && is_same(a[i - 1], b[j]))
        next[j + 1] = std::min(next[j + 1], before[j - 1] + 1);
    }
    std::swap(before, row);
    std::swap(row, next);
  }
  return row[b.size()];
}

}  // namespace headwater
