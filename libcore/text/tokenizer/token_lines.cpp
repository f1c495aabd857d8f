#include "text/tokenizer/token_lines.hpp"

#include "support/error.hpp"
#include "support/utf8.hpp"

namespace headwater {
namespace {

constexpr std::string_view kBlock = "\u2581";
constexpr std::string_view kControls = "\t\n\v\f\r", kControlLetters = "tnvfr";

}  // namespace

void append_token(std::string& line, std::size_t line_begin, std::string_view token) {
  if (line.size() != line_begin) line.push_back(' ');
  for (std::size_t at = 0; at < token.size(); ++at) {
    const char c = token[at];
    if (c == ' ') {
      line += kBlock;
    } else if (c == '\\') {
      line += "\\\\";
    } else if (c == '\xE2' && token.substr(at, kBlock.size()) == kBlock) {
      line.push_back('\\');
      line.push_back(c);
    } else if (const std::size_t control = c < ' ' ? kControls.find(c) : kControls.npos;
               control != kControls.npos) {
      line.push_back('\\');
      line.push_back(kControlLetters[control]);
    } else {
      line.push_back(c);
    }
  }
}

std::string token_line(const std::vector<std::string>& tokens) {
  std::string line;
  for (const std::string& token : tokens) append_token(line, 0, token);
  return line;
}

std::vector<std::string> tokens_of_line(std::string_view line) {
  std::vector<std::string> tokens;
  std::string scratch;
  for_each_token_of_line(line, scratch, [&](std::string_view token) { tokens.emplace_back(token); });
  return tokens;
}

namespace detail {

void fail_at(std::string_view line, std::size_t at, const std::string& what) {
  throw Error(std::to_string(count_code_points(line.substr(0, at)) + 1) + ": " + what);
}

std::string_view unescape_token(std::string_view line, std::string_view token, std::string& scratch) {
  scratch.clear();
  for (std::size_t at = 0; at < token.size(); ++at) {
    const std::string_view rest = token.substr(at);
    if (rest.starts_with(kBlock)) {
      scratch.push_back(' ');
      at += kBlock.size() - 1;
    } else if (rest.front() != '\\') {
      scratch.push_back(rest.front());
    } else if (rest.starts_with("\\\\")) {
      scratch.push_back('\\');
      ++at;
    } else if (rest.substr(1).starts_with(kBlock)) {
      scratch += kBlock;
      at += kBlock.size();
    } else if (const std::size_t control = rest.size() > 1 ? kControlLetters.find(rest[1]) : rest.npos;
               control != rest.npos) {
      scratch.push_back(kControls[control]);
      ++at;
    } else {
      fail_at(line, static_cast<std::size_t>(token.data() - line.data()) + at,
              "a backslash that escapes nothing (in a token line \\\\ stands for a backslash; make token "
              "lines with tokenize)");
    }
  }
  return scratch;
}

}  // namespace detail
}  // namespace headwater
