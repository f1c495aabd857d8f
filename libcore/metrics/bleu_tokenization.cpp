// The tokenizations of BLEU: mteval-v13a as ported by sacreBLEU, its international successor, single
// characters.
#include <array>

#include "metrics/bleu.hpp"
#include "support/utf8.hpp"
#include "text/unicode/unicode_properties.hpp"

namespace headwater {

namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  std::size_t at = text.find(from);
  if (at == std::string::npos) return;
  std::string replaced;
  std::size_t copied = 0;
  for (; at != std::string::npos; at = text.find(from, copied)) {
    replaced.append(text, copied, at - copied).append(to);
    copied = at + from.size();
  }
  replaced.append(text, copied);
  text = std::move(replaced);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_point(char c) { return c == '.' || c == ','; }

// ASCII punctuation but ' , - . and also the space
bool is_split_mark(char c) {
  return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= ' ' && c <= '&') ||
         (c >= '(' && c <= '+') || (c >= ':' && c <= '@') || c == '/';
}

// The passes look at bytes: whatever they ask for is ASCII, and all bytes of other characters count as "no
// digit". Each goes from left to right over what the pass before it wrote; a match does not overlap the next
// one.
void tokenize_13a(std::string& text) {
  replace_all(text, "<skipped>", "");
  replace_all(text, "-\n", "");
  replace_all(text, "\n", " ");
  if (text.find('&') != std::string::npos) {
    replace_all(text, "&quot;", "\"");
    replace_all(text, "&amp;", "&");
    replace_all(text, "&lt;", "<");
    replace_all(text, "&gt;", ">");
  }
  std::string marks = " ";  // every mark apart
  marks.reserve(2 * text.size() + 8);
  for (const char c : text) {
    if (is_split_mark(c)) {
      marks.append({' ', c, ' '});
    } else {
      marks.push_back(c);
    }
  }
  marks.push_back(' ');

  text.clear();  // points and commas apart unless a digit stands before them
  for (std::size_t i = 0; i < marks.size(); ++i) {
    text.push_back(marks[i]);
    if (!is_digit(marks[i]) && i + 1 < marks.size() && is_point(marks[i + 1])) {
      text.append({' ', marks[i + 1], ' '});
      ++i;
    }
  }
  marks.clear();  // ... unless a digit stands after them
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_point(text[i]) && i + 1 < text.size() && !is_digit(text[i + 1])) {
      marks.append({' ', text[i], ' ', text[i + 1]});
      ++i;
    } else {
      marks.push_back(text[i]);
    }
  }
  text.clear();  // a hyphen after a digit
  for (std::size_t i = 0; i < marks.size(); ++i) {
    text.push_back(marks[i]);
    if (is_digit(marks[i]) && i + 1 < marks.size() && marks[i + 1] == '-') {
      text.append(" - ");
      ++i;
    }
  }
}

std::u32string code_points(std::string_view text) {
  std::u32string points;
  points.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) points.push_back(next_code_point(text, at));
  return points;
}

// Writes `before`, the first, `between`, the second and `after` for each two neighbours that match.
template <class Match>
std::u32string set_apart(const std::u32string& text, const Match& matches, const std::u32string_view before,
                         const std::u32string_view between, const std::u32string_view after) {
  std::u32string out;
  out.reserve(2 * text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i + 1 < text.size() && matches(text[i], text[i + 1])) {
      out.append(before).push_back(text[i]);
      out.append(between).push_back(text[i + 1]);
      out.append(after);
      ++i;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

void tokenize_international(std::string& text) {
  const auto behind_other = [](char32_t a, char32_t b) { return !is_number(a) && is_punctuation(b); };
  const auto before_other = [](char32_t a, char32_t b) { return is_punctuation(a) && !is_number(b); };
  std::u32string points = code_points(text);
  points = set_apart(points, behind_other, U"", U" ", U" ");
  points = set_apart(points, before_other, U" ", U" ", U"");
  text.clear();
  for (const char32_t c : points) {
    const bool is_apart = is_symbol(c);
    if (is_apart) text.push_back(' ');
    append_utf8(text, c);
    if (is_apart) text.push_back(' ');
  }
}

void tokenize_characters(std::string& text) {
  std::string apart;
  apart.reserve(2 * text.size());
  for (const char32_t c : code_points(text)) {
    append_utf8(apart, c);
    apart.push_back(' ');
  }
  text = std::move(apart);
}

}  // namespace

std::string bleu_tokens(std::string_view line, BleuTokenization tokenization) {
  // White space at the end goes first: "-" before a line end would otherwise match differently.
  std::size_t end = 0;
  for (std::size_t at = 0; at < line.size();) {
    if (!is_word_separator(next_code_point(line, at))) end = at;
  }
  std::string text(line.substr(0, end));
  switch (tokenization) {
    case BleuTokenization::mteval_13a:
      tokenize_13a(text);
      break;
    case BleuTokenization::international:
      tokenize_international(text);
      break;
    case BleuTokenization::characters:
      tokenize_characters(text);
      break;
    case BleuTokenization::none:
      break;
  }
  return text;
}

std::optional<BleuTokenization> bleu_tokenization(std::string_view name) {
  if (name == "13a") return BleuTokenization::mteval_13a;
  if (name == "none") return BleuTokenization::none;
  if (name == "intl") return BleuTokenization::international;
  if (name == "char") return BleuTokenization::characters;
  return std::nullopt;
}

std::string_view bleu_tokenization_name(BleuTokenization tokenization) {
  constexpr std::array<std::string_view, 4> names = {"13a", "none", "intl", "char"};
  return names[static_cast<std::size_t>(tokenization)];
}

}  // namespace headwater
