#include "text/tokenizer/pre_tokenizer.hpp"

#include <algorithm>
#include <exception>

#include "support/error.hpp"
#include "support/utf8.hpp"
#include "text/tokenizer/text_part.hpp"
#include "text/unicode/byte_level.hpp"
#include "text/unicode/unicode.hpp"
#include "text/unicode/unicode_properties.hpp"

namespace headwater {

namespace {

// What becomes of the matches at which a piece of text is split (libcore/FORMATS.md, tokenizer.json).
enum class SplitBehavior { removed, isolated, merged_with_previous, merged_with_next, contiguous };

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

// The member "behavior"; Error for another word.
SplitBehavior read_split_behavior(const Json& part, const std::string& where) {
  const std::string& name = json_string(part, "behavior", where);
  if (name == "Removed") return SplitBehavior::removed;
  if (name == "Isolated") return SplitBehavior::isolated;
  if (name == "MergedWithPrevious") return SplitBehavior::merged_with_previous;
  if (name == "MergedWithNext") return SplitBehavior::merged_with_next;
  if (name == "Contiguous") return SplitBehavior::contiguous;
  throw Error(where + ".behavior: unknown value " + quote(name));
}

// The pieces from the left, none empty. `inverts`: what stands between the matches takes their place.
TextSpans split_at(std::string_view text, const TextSpans& matches, SplitBehavior behavior,
                   bool inverts = false) {
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

using CharacterTest = bool (*)(char32_t);

// Every character of which is_one(character) is true, as a match.
TextSpans find_characters(std::string_view text, CharacterTest is_one) {
  TextSpans found;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    if (is_one(next_code_point(text, at))) found.push_back({begin, at});
  }
  return found;
}

// Pieces whose code points have one class each; class 0 is dropped.
template <class ClassOf>
TextSpans split_by_class(std::string_view text, const ClassOf& class_of) {
  TextSpans pieces;
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

// Pieces of `count` characters; the last may have fewer.
TextSpans split_by_length(std::string_view text, std::int64_t count) {
  TextSpans pieces;
  std::int64_t characters = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    (void)next_code_point(text, at);
    if (characters++ % count == 0) pieces.push_back({begin, at});
    pieces.back().end = at;
  }
  return pieces;
}

// A step that cuts and changes no byte.
template <class Cut>
auto cutting(Cut cut) {
  return [cut](std::string_view piece, bool, const PreTokenizer::TakePiece& take) {
    const TextSpans spans = cut(piece);
    for (const TextSpan& span : spans) take(piece.substr(span.begin, span.end - span.begin));
    return !spans.empty() && spans.front().begin == 0;
  };
}

enum class Cut { none, dropped, kept };

// A step that cuts at each character of which cut_of() says so. It lists nothing: of a text of spaces that
// would be a span for each.
template <class CutOf>
auto cutting_characters(CutOf cut_of) {
  return [cut_of](std::string_view text, bool, const PreTokenizer::TakePiece& take) {
    bool begins = false;
    const auto give = [&](std::size_t begin, std::size_t end) {
      if (begin == end) return;
      begins = begins || begin == 0;
      take(text.substr(begin, end - begin));
    };
    std::size_t begin = 0;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t before = at;
      const Cut cut = cut_of(next_code_point(text, at));
      if (cut == Cut::none) continue;
      give(begin, before);
      if (cut == Cut::kept) give(before, at);
      begin = at;
    }
    give(begin, text.size());
    return begins;
  };
}

Cut cut_of_white_space(char32_t c) { return is_white_space(c) ? Cut::dropped : Cut::none; }

Cut cut_of_bert(char32_t c) { return is_bert_punctuation(c) ? Cut::kept : cut_of_white_space(c); }

auto cutting_at(CharacterTest is_one, SplitBehavior behavior) {
  return cutting([is_one, behavior](std::string_view text) {
    return split_at(text, find_characters(text, is_one), behavior);
  });
}

enum class PrependScheme { always, never, first };

struct MetaspaceSettings {
  std::string replacement;
  PrependScheme prepend = PrependScheme::always;
  bool splits = true;
};

// Files of old versions say add_prefix_space instead of prepend_scheme.
MetaspaceSettings read_metaspace(const Json& part, const std::string& where) {
  check_members(part, {"type", "replacement", "prepend_scheme", "split", "add_prefix_space", "str_rep"},
                where);
  MetaspaceSettings settings;
  append_utf8(settings.replacement, json_character(part, "replacement", where));
  settings.splits = json_bool_or(part, "split", true, where);
  if (part.find("prepend_scheme") != nullptr) {
    const std::string& scheme = json_string(part, "prepend_scheme", where);
    if (scheme != "always" && scheme != "never" && scheme != "first")
      throw Error(where + ".prepend_scheme: unknown value " + quote(scheme) + " (always, never, first)");
    settings.prepend = scheme == "always"  ? PrependScheme::always
                       : scheme == "never" ? PrependScheme::never
                                           : PrependScheme::first;
  }
  if (!json_bool_or(part, "add_prefix_space", true, where)) {
    if (part.find("prepend_scheme") != nullptr && settings.prepend != PrependScheme::never)
      throw Error(where + ": add_prefix_space is false and prepend_scheme is not \"never\"");
    settings.prepend = PrependScheme::never;
  }
  return settings;
}

auto metaspace(const MetaspaceSettings& settings) {
  return [settings](std::string_view piece, bool begins_text, const PreTokenizer::TakePiece& take) {
    const std::string& mark = settings.replacement;
    const bool prepends = settings.prepend == PrependScheme::always ||
                          (settings.prepend == PrependScheme::first && begins_text);
    std::string text;
    if (prepends && !piece.starts_with(' ') && !piece.starts_with(mark)) text = mark;
    for (const char c : piece) {
      if (c == ' ') {
        text += mark;
      } else {
        text += c;
      }
    }
    if (!settings.splits) {
      take(text);
      return true;
    }
    for (std::size_t begin = 0; begin < text.size();) {  // each mark begins a piece
      const std::size_t end = std::min(text.find(mark, begin + 1), text.size());
      take(std::string_view(text).substr(begin, end - begin));
      begin = end;
    }
    return true;
  };
}

auto byte_level(bool adds_space, bool splits) {
  return [adds_space, splits](std::string_view piece, bool, const PreTokenizer::TakePiece& take) {
    std::string text;
    if (adds_space && !piece.starts_with(' ')) text += ' ';
    text += piece;
    if (splits) {
      for_each_byte_level_piece(text, [&](std::string_view part) { take(byte_level_text(part)); });
    } else {
      take(byte_level_text(text));
    }
    return true;
  };
}

}  // namespace

PreTokenizer::PreTokenizer(const Json& part, const std::string& where)
    : budget_(std::make_shared<MatchBudget>()) {
  if (!part.is_null()) add(part, where);
}

void PreTokenizer::add(const Json& part, const std::string& where) {
  const std::string& type = type_of_part(part, where);
  if (type == "Sequence") {
    check_members(part, {"type", "pretokenizers"}, where);
    for_each_part(part, "pretokenizers", where,
                  [&](const Json& inner, const std::string& place) { add(inner, place); });
    return;
  }
  Run run = read(part, type, where);
  check_step_count(steps_.size(), where);
  steps_.push_back({where, std::move(run)});
}

PreTokenizer::Run PreTokenizer::read(const Json& part, const std::string& type,
                                     const std::string& where) const {
  if (type == "Whitespace") {  // \w+|[^\w\s]+
    check_members(part, {"type"}, where);
    return cutting([](std::string_view text) {
      return split_by_class(text, [](char32_t c) {
        return is_word_character(c) ? 1 : is_white_space(c) ? 0 : 2;
      });
    });
  }
  if (type == "BertPreTokenizer") {
    check_members(part, {"type"}, where);
    return cutting_characters(cut_of_bert);
  }
  if (type == "WhitespaceSplit") {
    check_members(part, {"type"}, where);
    return cutting_characters(cut_of_white_space);
  }
  if (type == "Split") {
    check_members(part, {"type", "pattern", "behavior", "invert"}, where);
    return cutting([find = read_pattern(part, where, budget_), behavior = read_split_behavior(part, where),
                    inverts = json_bool_or(part, "invert", false, where)](std::string_view text) {
      return split_at(text, find(text), behavior, inverts);
    });
  }
  if (type == "CharDelimiterSplit") {
    check_members(part, {"type", "delimiter"}, where);
    return cutting_characters([delimiter = json_character(part, "delimiter", where)](char32_t c) {
      return c == delimiter ? Cut::dropped : Cut::none;
    });
  }
  if (type == "Punctuation") {
    check_members(part, {"type", "behavior"}, where);
    return cutting_at(is_bert_punctuation, part.find("behavior") == nullptr
                                               ? SplitBehavior::isolated
                                               : read_split_behavior(part, where));
  }
  if (type == "Digits") {
    check_members(part, {"type", "individual_digits"}, where);
    return cutting_at(is_number, json_bool_or(part, "individual_digits", false, where)
                                     ? SplitBehavior::isolated
                                     : SplitBehavior::contiguous);
  }
  if (type == "FixedLength") {
    check_members(part, {"type", "length"}, where);
    return cutting([count = json_whole_number(part, "length", 1, 1 << 30, where)](std::string_view text) {
      return split_by_length(text, count);
    });
  }
  if (type == "Metaspace") return metaspace(read_metaspace(part, where));
  if (type == "ByteLevel") {
    check_members(part, {"type", "add_prefix_space", "trim_offsets", "use_regex"}, where);
    return byte_level(json_bool_or(part, "add_prefix_space", true, where),
                      json_bool_or(part, "use_regex", true, where));
  }
  throw Error(where + ": unsupported type " + quote(type) +
              " (supported: BertPreTokenizer, ByteLevel, CharDelimiterSplit, Digits, FixedLength, Metaspace, "
              "Punctuation, Sequence, Split, Whitespace, WhitespaceSplit)");
}

TextPieces PreTokenizer::split(std::string_view text, bool begins_text) const {
  TextPieces pieces;
  for_each_piece(text, begins_text, [&](std::string_view piece) { pieces.add(piece); });
  return pieces;
}

void PreTokenizer::for_each_piece(std::string_view text, bool begins_text, const TakePiece& use) const {
  if (text.empty()) return;
  if (steps_.empty()) return use(text);
  struct OfUse {  // no fault of a part
    std::exception_ptr error;
  };
  budget_->grant(text.size());
  const std::size_t most = max_grown_bytes(text.size());
  TextPieces pieces;  // of the step before
  for (const Step& step : steps_) {
    const bool is_first_step = &step == &steps_.front(), is_last_step = &step == &steps_.back();
    TextPieces finer;
    std::size_t bytes = 0;
    const TakePiece take = [&](std::string_view piece) {
      if (piece.empty()) return;
      bytes += piece.size();
      if (!is_last_step) return finer.add(piece);
      try {
        use(piece);
      } catch (...) {
        throw OfUse{std::current_exception()};
      }
    };
    try {
      at_part(step.where, [&] {
        for (std::size_t i = 0; i < (is_first_step ? 1 : pieces.spans.size()); ++i) {
          const bool is_first = i == 0 && begins_text;
          const bool begins = step.run(is_first_step ? text : pieces.piece(i), is_first, take);
          if (is_first) finer.begins_text = begins;
          check_grown(bytes, most);
        }
      });
    } catch (const OfUse& thrown) {
      std::rethrow_exception(thrown.error);
    }
    begins_text = finer.begins_text;
    pieces = std::move(finer);
  }
}

}  // namespace headwater
