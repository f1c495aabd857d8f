// What the readers of a tokenizer.json's parts (normalizer, pre_tokenizer, decoder) share. A file may be
// hostile: a part that takes too long, or a line that grows too far, is an Error that names the part.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "support/error.hpp"
#include "text/tokenizer/json_members.hpp"
#include "text/unicode/pattern.hpp"

namespace headwater {

using TextSpans = std::vector<TextSpan>;
using SpanFinder = std::function<TextSpans(std::string_view)>;

// {"String": literal} or {"Regex": expression} of the member "pattern": all matches from the left.
SpanFinder read_pattern(const Json& part, const std::string& where,
                        const std::shared_ptr<MatchBudget>& budget);

// Neither 27 steps that double a line nor a step of a million bytes may fill the memory: a line grows to 16
// times its bytes and 4 KiB.
inline std::size_t max_grown_bytes(std::size_t bytes) { return 16 * bytes + 4096; }
void check_grown(std::size_t bytes, std::size_t most);

// The text with `content` for each match, of at most `most` bytes.
std::string replace_matches(std::string_view text, const TextSpans& matches, std::string_view content,
                            std::size_t most);

void check_step_count(std::size_t steps, const std::string& where);

// Errors of a step get the name of its part.
template <class Work>
auto at_part(const std::string& where, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    throw Error(where + ": " + error.what());
  }
}

// "type" of a part, which is an object.
const std::string& type_of_part(const Json& part, const std::string& where);

// Calls use(part, where) for each member of the list `name`.
template <class Use>
void for_each_part(const Json& part, std::string_view name, const std::string& where, const Use& use) {
  const Json& list = json_member(part, name, where);
  const std::string here = where + "." + std::string(name);
  if (!list.is_array()) throw Error(here + ": expected an array");
  for (std::size_t i = 0; i < list.as_array().size(); ++i)
    use(list.as_array()[i], here + "[" + std::to_string(i) + "]");
}

// A member that is one character.
char32_t json_character(const Json& object, std::string_view name, const std::string& where);

}  // namespace headwater
