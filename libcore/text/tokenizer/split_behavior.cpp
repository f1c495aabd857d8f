#include "text/tokenizer/split_behavior.hpp"

#include <algorithm>

namespace headwater {
namespace {

struct Segment {
  TextSpan span;
  bool is_match = false;
};

// Matches and what stands between them, from the left. A match of no width is a segment too: it ends what is
// contiguous.
std::vector<Segment> segments(std::string_view text, const TextSpans& matches, bool invert) {
  std::vector<Segment> all;
  std::size_t after = 0;
  for (const TextSpan& match : matches) {
    if (match.begin > after) all.push_back({{after, match.begin}, invert});
    all.push_back({match, !invert});
    after = std::max(after, match.end);
  }
  if (after < text.size()) all.push_back({{after, text.size()}, invert});
  return all;
}

}  // namespace

SplitBehavior read_split_behavior(const Json& part, const std::string& where) {
  const std::string& name = json_string(part, "behavior", where);
  if (name == "Removed") return SplitBehavior::removed;
  if (name == "Isolated") return SplitBehavior::isolated;
  if (name == "MergedWithPrevious") return SplitBehavior::merged_with_previous;
  if (name == "MergedWithNext") return SplitBehavior::merged_with_next;
  if (name == "Contiguous") return SplitBehavior::contiguous;
  throw Error(where + ".behavior: unknown value " + quote(name));
}

TextSpans split_at(std::string_view text, const TextSpans& matches, SplitBehavior behavior, bool inverts) {
  const std::vector<Segment> all = segments(text, matches, inverts);
  TextSpans pieces;
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
    case SplitBehavior::removed:
      for (const Segment& segment : all) {
        if (!segment.is_match) pieces.push_back(segment.span);
      }
      break;
    case SplitBehavior::isolated:
      for (const Segment& segment : all) pieces.push_back(segment.span);
      break;
    case SplitBehavior::contiguous:
      for (const Segment& segment : all) join(segment, segment.is_match == previous_match);
      break;
    case SplitBehavior::merged_with_previous:
      for (const Segment& segment : all) join(segment, segment.is_match && !previous_match);
      break;
    case SplitBehavior::merged_with_next:
      for (auto segment = all.rbegin(); segment != all.rend(); ++segment)
        join(*segment, segment->is_match && !previous_match);
      std::reverse(pieces.begin(), pieces.end());
      break;
  }
  std::erase_if(pieces, [](const TextSpan& piece) { return piece.begin == piece.end; });
  return pieces;
}

}  // namespace headwater
