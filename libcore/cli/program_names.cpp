#include "cli/program_names.hpp"

#include <algorithm>

namespace headwater::cli {

namespace {

constexpr std::string_view kPrograms[] = {"attn-dump", "classify",  "convert",  "embed",  "evaluate",
                                          "generate",  "headwater", "inspect",  "report", "tokenize",
                                          "train",     "translate", "vectorize"};
// That are no words of a sentence about something else.
constexpr std::string_view kUnmistakable[] = {"attn-dump", "headwater", "tokenize", "vectorize"};
constexpr std::string_view kDeeds[] = {"writes", "wrote", "reads", "makes",
                                       "finds",  "shows", "lists", "does"};
constexpr std::string_view kBefore[] = {"use", "see", "next:"};
constexpr std::string_view kUpper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", kLower = "abcdefghijklmnopqrstuvwxyz",
                           kDigits = "0123456789";

template <class Words>
bool is_among(const Words& words, std::string_view word) {
  return std::ranges::find(words, word) != std::end(words);
}

bool is_of_word(char c) {
  return kUpper.find(c) != kUpper.npos || kLower.find(c) != kLower.npos || kDigits.find(c) != kDigits.npos ||
         c == '_' || c == '-' || c == '/' || c == '=' || c == ':';
}

// The name of a program that begins there as a whole word; nothing: none does.
std::string_view program_at(std::string_view text, std::size_t at) {
  if (at > 0 && (is_of_word(text[at - 1]) || text[at - 1] == '.')) return {};
  for (const std::string_view name : kPrograms) {
    if (!text.substr(at).starts_with(name)) continue;
    const std::string_view after = text.substr(at + name.size());
    const bool is_file = after.size() > 1 && after[0] == '.' && is_of_word(after[1]);
    if (after.empty() || (!is_of_word(after[0]) && !is_file)) return name;
  }
  return {};
}

std::string_view word_before(std::string_view text, std::size_t at) {
  std::string_view before = text.substr(0, at);
  if (!before.ends_with(' ')) return {};
  before.remove_suffix(1);
  return before.substr(before.find_last_of(" (\n") + 1);
}

bool is_command(std::string_view text, std::size_t at) {
  const std::size_t line = text.find_last_of('\n', at) + 1, begin = text.find_first_not_of(' ', line);
  const std::string_view before = word_before(text, at);
  return begin == at || before == "|" || before == "xargs";
}

// "(use classify, embed or attn-dump)"
bool is_in_list(std::string_view text, std::size_t at) {
  const std::size_t open = text.rfind('(', at);
  return open != text.npos && text.substr(open).starts_with("(use ") && text.find(')', open) > at;
}

bool is_named(std::string_view text, std::size_t at, std::string_view name) {
  if (is_among(kUnmistakable, name) || is_in_list(text, at)) return true;
  const std::string_view before = word_before(text, at), after = text.substr(at + name.size());
  if (before == "|" || is_among(kBefore, before)) return true;
  if (!after.starts_with(' ')) return before == "of" || before == "from";
  const std::string_view next = after.substr(1, after.find_first_of(" ,;)\n", 1) - 1);
  const bool is_operand = next.size() > 1 && next.find_first_not_of(kUpper) == next.npos;
  return next.starts_with('-') || is_operand || next.find('/') != next.npos || is_among(kDeeds, next);
}

template <class IsProgram>
std::string prefixed(std::string_view text, std::string_view prefix, const IsProgram& is_program) {
  std::string out;
  bool is_quoted = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view name = program_at(text, at);
    if (name.empty()) {
      is_quoted = text[at] == '"' ? !is_quoted : is_quoted && text[at] != '\n';
      out += text[at++];
      continue;
    }
    if (!is_quoted && is_program(at, name)) out += prefix;
    out += name;
    at += name.size();
  }
  return out;
}

}  // namespace

std::string_view program_prefix(std::string_view path, std::string_view name) {
  const std::string_view called = path.substr(path.rfind('/') + 1);
  return called.ends_with(name) ? called.substr(0, called.size() - name.size()) : std::string_view();
}

std::string with_program_prefix(std::string_view text, std::string_view prefix) {
  if (prefix.empty()) return std::string(text);
  return prefixed(text, prefix,
                  [&](std::size_t at, std::string_view name) { return is_named(text, at, name); });
}

std::string commands_with_program_prefix(std::string_view lines, std::string_view prefix) {
  if (prefix.empty()) return std::string(lines);
  return prefixed(lines, prefix, [&](std::size_t at, std::string_view) { return is_command(lines, at); });
}

}  // namespace headwater::cli
