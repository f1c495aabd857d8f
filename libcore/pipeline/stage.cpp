#include "pipeline/stage.hpp"

#include <algorithm>

namespace headwater {

namespace {

bool is_plain(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c >= 0x80 ||
           std::string_view("._-/+@,:%=").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

std::string in_quotes(std::string_view word) {
  if (is_plain(word)) return std::string(word);
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace

std::string Shell::quoted(std::string_view word) const {
  for (const Variable& variable : variables_) {
    if (word == variable.value) return "\"$" + variable.name + "\"";
    if (word.starts_with(variable.value) && word[variable.value.size()] == '/')
      return "\"$" + variable.name + "\"" + in_quotes(word.substr(variable.value.size()));
  }
  // Of a path the folder alone, so that a program's name is seen.
  const std::size_t slash = word.rfind('/');
  if (slash != word.npos && slash > 0 && is_plain(word.substr(slash)))
    return in_quotes(word.substr(0, slash)) + std::string(word.substr(slash));
  return in_quotes(word);
}

std::string Shell::text(const Words& command) const {
  std::string out;
  for (const Word& word : command) {
    if (!out.empty()) out += ' ';
    switch (word.kind) {
      case Word::Kind::plain:
        out += quoted(word.text);
        break;
      case Word::Kind::made:
        out += quoted(place_ ? place_(word.text).string() : word.text);
        break;
      case Word::Kind::of_shell:
        out += word.text;
        break;
    }
  }
  return out;
}

std::string text_of(const Stage& stage, const Shell& shell) {
  std::string out;
  for (const Words& command : stage.commands) out += shell.text(command) + "\n";
  return out;
}

}  // namespace headwater
