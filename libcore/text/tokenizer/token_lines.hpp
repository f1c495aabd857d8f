// Tokens as text (libcore/FORMATS.md, token lines): a line of surface forms separated by one space. Inside a
// token a space is written U+2581; a real U+2581 and a backslash get a backslash before them; TAB, LF, VT,
// FF, CR become \t \n \v \f \r.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headwater {

// Whether a token or label has what ends a line or a column: LF, CR, TAB or NUL. Written as text it would
// make one line two, so vocabularies and sets of labels refuse it.
inline bool breaks_lines(std::string_view text) {
  return text.find_first_of(std::string_view("\n\r\t\0", 4)) != text.npos;
}
inline constexpr const char* kBreaksLines =
    " holds a line end, TAB or NUL, which would break lines (remove it)";

// Appends the token to the line, after a space unless it is the first of it.
void append_token(std::string& line, std::size_t line_begin, std::string_view token);

std::string token_line(const std::vector<std::string>& tokens);

// Calls use(token) for each token. Throws Error "COLUMN: what", columns counting code points from 1.
template <class Use>
void for_each_token_of_line(std::string_view line, std::string& scratch, const Use& use);

std::vector<std::string> tokens_of_line(std::string_view line);

namespace detail {
// `token` of the line, unescaped into scratch.
std::string_view unescape_token(std::string_view line, std::string_view token, std::string& scratch);
[[noreturn]] void fail_at(std::string_view line, std::size_t at, const std::string& what);
}  // namespace detail

template <class Use>
void for_each_token_of_line(std::string_view line, std::string& scratch, const Use& use) {
  std::size_t begin = 0;
  bool is_plain = true;
  for (std::size_t at = 0; at <= line.size(); ++at) {
    const char c = at < line.size() ? line[at] : ' ';
    if (c == ' ') {
      if (at > begin) {
        const std::string_view token = line.substr(begin, at - begin);
        use(is_plain ? token : detail::unescape_token(line, token, scratch));
      }
      begin = at + 1;
      is_plain = true;
    } else if (c == '\\' || c == '\xE2') {
      is_plain = false;
    } else if (c == '\t') {
      detail::fail_at(line, at, "a TAB in a token line (choose a column with --column N)");
    }
  }
}

}  // namespace headwater
