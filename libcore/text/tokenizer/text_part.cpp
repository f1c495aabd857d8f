#include "text/tokenizer/text_part.hpp"

#include "support/utf8.hpp"

namespace headwater {

SpanFinder read_pattern(const Json& part, const std::string& where,
                        const std::shared_ptr<MatchBudget>& budget) {
  const std::string here = where + ".pattern";
  const Json& pattern = json_member(part, "pattern", where);
  check_members(pattern, {"String", "Regex"}, here);
  if (pattern.find("Regex") != nullptr) {
    const std::string& expression = json_string(pattern, "Regex", here);
    return at_part(here, [&]() -> SpanFinder {
      return
          [compiled = Pattern(expression, budget)](std::string_view text) { return compiled.find_all(text); };
    });
  }
  const std::string literal = json_string(pattern, "String", here);
  if (literal.empty()) {
    throw Error(here + ": an empty string matches everywhere (remove this part)");
  }
  return [literal](std::string_view text) {
    TextSpans found;
    for (std::size_t at = text.find(literal); at != text.npos; at = text.find(literal, at + literal.size())) {
      found.push_back({at, at + literal.size()});
    }
    return found;
  };
}

void check_grown(std::size_t bytes, std::size_t most) {
  if (bytes > most) {
    throw Error("the line grows beyond " + std::to_string(most) + " bytes (at most 16 times, plus 4 KiB)");
  }
}

std::string replace_matches(std::string_view text, const TextSpans& matches, std::string_view content,
                            std::size_t most) {
  std::size_t bytes = text.size();
  for (const TextSpan& match : matches) {
    bytes = bytes - (match.end - match.begin) + content.size();
    if (bytes > most + text.size()) check_grown(bytes, most);  // later matches may take away that much
  }
  check_grown(bytes, most);
  std::string out;
  out.reserve(bytes);
  std::size_t after = 0;
  for (const TextSpan& match : matches) {
    out += text.substr(after, match.begin - after);
    out += content;
    after = match.end;
  }
  out += text.substr(after);
  return out;
}

void check_step_count(std::size_t steps, const std::string& where) {
  constexpr std::size_t kMaxSteps = 256;
  if (steps >= kMaxSteps) throw Error(where + ": more than " + std::to_string(kMaxSteps) + " parts");
}

const std::string& type_of_part(const Json& part, const std::string& where) {
  if (!part.is_object()) throw Error(where + ": expected an object or null");
  return json_string(part, "type", where);
}

char32_t json_character(const Json& object, std::string_view name, const std::string& where) {
  const std::string& text = json_string(object, name, where);
  std::size_t at = 0;
  const char32_t character = text.empty() ? 0 : next_code_point(text, at);
  if (text.empty() || at != text.size())
    throw Error(where + "." + std::string(name) + ": expected one character");
  return character;
}

}  // namespace headwater
