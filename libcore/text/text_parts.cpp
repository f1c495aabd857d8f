#include "text/text_parts.hpp"

#include <algorithm>

#include "support/error.hpp"
#include "support/utf8.hpp"
#include "text/json_members.hpp"
#include "text/unicode.hpp"

namespace headwater {
namespace {

using Finder = std::function<std::vector<TextSpan>(std::string_view)>;
using Spans = std::vector<TextSpan>;

// {"String": literal} or {"Regex": expression}.
Finder read_pattern(const Json& part, const std::string& where, const std::shared_ptr<MatchBudget>& budget) {
  const Json& pattern = json_member(part, "pattern", where);
  check_members(pattern, {"String", "Regex"}, where + ".pattern");
  if (pattern.find("Regex") != nullptr) {
    const std::string& expression = json_string(pattern, "Regex", where + ".pattern");
    try {
      return
          [compiled = Pattern(expression, budget)](std::string_view text) { return compiled.find_all(text); };
    } catch (const Error& error) {
      throw Error(where + ".pattern: " + error.what());
    }
  }
  const std::string literal = json_string(pattern, "String", where + ".pattern");
  if (literal.empty()) {
    throw Error(where + ".pattern: an empty string matches everywhere (remove this part)");
  }
  return [literal](std::string_view text) {
    Spans found;
    for (std::size_t at = text.find(literal); at != text.npos; at = text.find(literal, at + literal.size())) {
      found.push_back({at, at + literal.size()});
    }
    return found;
  };
}

// Neither 27 steps that double a line nor a step of a million bytes may fill the memory.
std::size_t max_bytes(std::string_view text) { return 16 * text.size() + 4096; }

[[noreturn]] void fail_grown(std::size_t most) {
  throw Error("the line grows beyond " + std::to_string(most) + " bytes (at most 16 times, plus 4 KiB)");
}

void check_count(std::size_t steps, const std::string& where) {
  constexpr std::size_t kMaxSteps = 256;
  if (steps == kMaxSteps) throw Error(where + ": more than " + std::to_string(kMaxSteps) + " parts");
}

// Errors of a step get the name of its part.
template <class Work>
auto at_part(const std::string& where, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    throw Error(where + ": " + error.what());
  }
}

std::string replace(std::string_view text, const Spans& matches, std::string_view content, std::size_t most) {
  std::size_t bytes = text.size();
  for (const TextSpan& match : matches) {
    bytes = bytes - (match.end - match.begin) + content.size();
    if (bytes > most + text.size()) fail_grown(most);  // later matches may take away that much
  }
  if (bytes > most) fail_grown(most);
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

std::string strip(std::string_view text, bool left, bool right) {
  std::size_t begin = text.size(), end = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t from = at;
    if (!is_white_space(next_code_point(text, at))) {
      begin = std::min(begin, from);
      end = at;
    }
  }
  begin = left ? begin : 0;
  end = right ? std::max(end, begin) : text.size();
  return std::string(text.substr(begin, end - begin));
}

enum class Behavior { removed, isolated, merged_with_previous, merged_with_next, contiguous };

Behavior read_behavior(const Json& part, const std::string& where) {
  const std::string& name = json_string(part, "behavior", where);
  if (name == "Removed") return Behavior::removed;
  if (name == "Isolated") return Behavior::isolated;
  if (name == "MergedWithPrevious") return Behavior::merged_with_previous;
  if (name == "MergedWithNext") return Behavior::merged_with_next;
  if (name == "Contiguous") return Behavior::contiguous;
  throw Error(where + ".behavior: unknown value " + quote(name));
}

struct Segment {
  TextSpan span;
  bool is_match = false;
};

// Matches and what stands between them, from the left.
std::vector<Segment> segments(std::string_view text, const Spans& matches, bool invert) {
  std::vector<Segment> all;
  std::size_t after = 0;
  for (const TextSpan& match : matches) {
    if (match.begin > after) all.push_back({{after, match.begin}, invert});
    if (match.end > match.begin) all.push_back({match, !invert});
    after = std::max(after, match.end);
  }
  if (after < text.size()) all.push_back({{after, text.size()}, invert});
  return all;
}

Spans cut(const std::vector<Segment>& all, Behavior behavior) {
  Spans pieces;
  bool previous_match = false;
  const auto join = [&](const Segment& segment, bool joins) {
    if (joins && !pieces.empty()) {
      pieces.back().begin = std::min(pieces.back().begin, segment.span.begin);
      pieces.back().end = std::max(pieces.back().end, segment.span.end);
    } else {
      pieces.push_back(segment.span);
    }
    previous_match = segment.is_match;
  };
  switch (behavior) {
    case Behavior::removed:
      for (const Segment& segment : all) {
        if (!segment.is_match) pieces.push_back(segment.span);
      }
      break;
    case Behavior::isolated:
      for (const Segment& segment : all) pieces.push_back(segment.span);
      break;
    case Behavior::contiguous:
      for (const Segment& segment : all) join(segment, segment.is_match == previous_match);
      break;
    case Behavior::merged_with_previous:
      for (const Segment& segment : all) join(segment, segment.is_match && !previous_match);
      break;
    case Behavior::merged_with_next:
      for (auto segment = all.rbegin(); segment != all.rend(); ++segment)
        join(*segment, segment->is_match && !previous_match);
      std::reverse(pieces.begin(), pieces.end());
      break;
  }
  return pieces;
}

// Pieces whose code points have one class each; class 0 is dropped.
template <class ClassOf>
Spans split_by_class(std::string_view text, const ClassOf& class_of) {
  Spans pieces;
  int last = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const int now = class_of(next_code_point(text, at));
    if (now != 0 && now == last) {
      pieces.back().end = at;
    } else if (now != 0) {
      pieces.push_back({begin, at});
    }
    last = now;
  }
  return pieces;
}

std::string type_of(const Json& part, const std::string& where) {
  if (!part.is_object()) throw Error(where + ": expected an object or null");
  return json_string(part, "type", where);
}

// Calls use(part, where) for each member of the list `name`.
template <class Use>
void for_each_part(const Json& part, std::string_view name, const std::string& where, const Use& use) {
  const Json& list = json_member(part, name, where);
  const std::string here = where + "." + std::string(name);
  if (!list.is_array()) throw Error(here + ": expected an array");
  for (std::size_t i = 0; i < list.as_array().size(); ++i)
    use(list.as_array()[i], here + "[" + std::to_string(i) + "]");
}

}  // namespace

Normalizer::Normalizer(const Json& part, const std::string& where)
    : budget_(std::make_shared<MatchBudget>()) {
  if (!part.is_null()) add(part, where);
}

void Normalizer::add(const Json& part, const std::string& where) {
  const std::string type = type_of(part, where);
  const auto add_step = [&](Run run) {
    check_count(steps_.size(), where);
    steps_.push_back({where, std::move(run)});
  };
  const auto add_form = [&](NormalizationForm form) {
    check_members(part, {"type"}, where);
    add_step([form](std::string_view text, std::size_t) { return unicode_normalize(text, form); });
  };
  if (type == "Sequence") {
    check_members(part, {"type", "normalizers"}, where);
    for_each_part(part, "normalizers", where,
                  [&](const Json& inner, const std::string& place) { add(inner, place); });
  } else if (type == "Lowercase") {
    check_members(part, {"type"}, where);
    add_step([](std::string_view text, std::size_t) {
      std::string out;
      append_unicode_lower(out, text);
      return out;
    });
  } else if (type == "NFC") {
    add_form(NormalizationForm::nfc);
  } else if (type == "NFD") {
    add_form(NormalizationForm::nfd);
  } else if (type == "NFKC") {
    add_form(NormalizationForm::nfkc);
  } else if (type == "NFKD") {
    add_form(NormalizationForm::nfkd);
  } else if (type == "Strip") {
    check_members(part, {"type", "strip_left", "strip_right"}, where);
    add_step([left = json_bool(part, "strip_left", where), right = json_bool(part, "strip_right", where)](
                 std::string_view text, std::size_t) { return strip(text, left, right); });
  } else if (type == "Prepend") {  // to a text that is not empty
    check_members(part, {"type", "prepend"}, where);
    add_step([prefix = json_string(part, "prepend", where)](std::string_view text, std::size_t most) {
      if (text.empty()) return std::string();
      if (prefix.size() + text.size() > most) fail_grown(most);
      return prefix + std::string(text);
    });
  } else if (type == "Replace") {
    check_members(part, {"type", "pattern", "content"}, where);
    add_step(
        [find = read_pattern(part, where, budget_), content = json_string(part, "content", where)](
            std::string_view text, std::size_t most) { return replace(text, find(text), content, most); });
  } else {
    throw Error(where + ": unsupported type " + quote(type) +
                " (supported: Lowercase, NFC, NFD, NFKC, NFKD, Strip, Prepend, Replace, Sequence)");
  }
}

std::string Normalizer::apply(std::string_view text) const {
  if (steps_.empty()) return std::string(text);
  budget_->grant(text.size());
  const std::size_t most = max_bytes(text);
  std::string out(text);
  for (const Step& step : steps_) {
    out = at_part(step.where, [&] {
      std::string next = step.run(out, most);
      if (next.size() > most) fail_grown(most);
      return next;
    });
  }
  return out;
}

PreTokenizer::PreTokenizer(const Json& part, const std::string& where)
    : budget_(std::make_shared<MatchBudget>()) {
  if (!part.is_null()) add(part, where);
}

void PreTokenizer::add(const Json& part, const std::string& where) {
  const std::string type = type_of(part, where);
  const auto add_step = [&](std::function<Spans(std::string_view)> run) {
    check_count(steps_.size(), where);
    steps_.push_back({where, std::move(run)});
  };
  if (type == "Sequence") {
    check_members(part, {"type", "pretokenizers"}, where);
    for_each_part(part, "pretokenizers", where,
                  [&](const Json& inner, const std::string& place) { add(inner, place); });
  } else if (type == "Whitespace") {  // \w+|[^\w\s]+
    check_members(part, {"type"}, where);
    add_step([](std::string_view text) {
      return split_by_class(text, [](char32_t c) {
        return is_word_character(c) ? 1 : is_white_space(c) ? 0 : 2;
      });
    });
  } else if (type == "WhitespaceSplit") {
    check_members(part, {"type"}, where);
    add_step([](std::string_view text) {
      return split_by_class(text, [](char32_t c) { return is_white_space(c) ? 0 : 1; });
    });
  } else if (type == "Split") {
    check_members(part, {"type", "pattern", "behavior", "invert"}, where);
    add_step([find = read_pattern(part, where, budget_), behavior = read_behavior(part, where),
              invert = part.find("invert") != nullptr && json_bool(part, "invert", where)](
                 std::string_view text) { return cut(segments(text, find(text), invert), behavior); });
  } else {
    throw Error(where + ": unsupported type " + quote(type) +
                " (supported: Whitespace, WhitespaceSplit, Split, Sequence)");
  }
}

std::vector<TextSpan> PreTokenizer::split(std::string_view text) const {
  Spans pieces;
  if (!steps_.empty()) budget_->grant(text.size());
  if (!text.empty()) pieces.push_back({0, text.size()});
  for (const Step& step : steps_) {
    Spans finer;
    at_part(step.where, [&] {
      for (const TextSpan& piece : pieces) {
        for (const TextSpan& part : step.run(text.substr(piece.begin, piece.end - piece.begin))) {
          finer.push_back({piece.begin + part.begin, piece.begin + part.end});
        }
      }
    });
    pieces.swap(finer);
  }
  return pieces;
}

}  // namespace headwater
