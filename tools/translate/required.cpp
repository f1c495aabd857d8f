#include "tools/translate/required.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "cli/tool.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/utf8.hpp"
#include "text/unicode/unicode.hpp"
#include "text/unicode/unicode_properties.hpp"

namespace headwater::translate {

namespace {

// Whether a word may begin or end at `at`: not between two of its characters.
bool is_boundary(std::string_view text, std::size_t at) {
  return !is_word_before(text, at) || !is_word_at(text, at);
}

// A text of the translation for the part `span` of a line.
RequiredText required_text(std::string_view line, const TextSpan& span, std::string text) {
  const std::string_view before = line.substr(0, span.begin);
  return {.text = std::move(text),
          .source_begin = span.begin,
          .begins_line = trimmed(before).empty(),
          .follows_space = !before.ends_with(trimmed(before)),
          .is_apart_before = !is_word_before(line, span.begin),
          .is_apart_after = !is_word_at(line, span.end)};
}

}  // namespace

Required::Required(const std::vector<std::string>& patterns, const std::string& terms,
                   const cli::LineReaderSettings& settings) {
  for (const std::string& pattern : patterns) {
    try {
      patterns_.emplace_back(pattern, budget_);
    } catch (const Error& error) {
      throw UsageError(std::string("--keep: ") + error.what());
    }
  }
  if (!terms.empty()) read_terms(terms, settings);
}

void Required::read_terms(const std::string& path, const cli::LineReaderSettings& settings) {
  cli::LineReader reader({path}, {.replace_invalid = settings.replace_invalid,
                                  .invalid_fix = settings.invalid_fix,
                                  .has_columns = true});
  std::set<std::size_t> lengths;
  for (std::string_view line; reader.next(line);) {
    const std::size_t tab = line.find('\t');
    const std::string_view source = trimmed(line.substr(0, tab)),
                           target = trimmed(tab == line.npos ? std::string_view() : line.substr(tab + 1));
    if (source.empty() || target.empty() || target.find('\t') != target.npos)
      throw Error(reader.place() + ": expected a term, a TAB and its translation");
    const auto [known, is_new] =
        terms_.try_emplace(std::string(source), Term{std::string(target), reader.place()});
    if (!is_new && known->second.target != target)
      throw Error(reader.place() + ": \"" + known->first + "\" has another translation at " +
                  known->second.place + " (keep one of them)");
    lengths.insert(source.size());
  }
  lengths_.assign(lengths.rbegin(), lengths.rend());
}

std::vector<Required::Kept> Required::find_kept(std::string_view line) const {
  budget_->grant(line.size());
  std::vector<Kept> kept;
  for (std::size_t i = 0; i < patterns_.size(); ++i) {
    for (const TextSpan& found : patterns_[i].find_all(line)) {
      const std::string_view text = line.substr(found.begin, found.end - found.begin), word = trimmed(text);
      if (word.empty() && !text.empty())
        throw Error(" --keep finds white space alone, which a translation cannot keep");
      const std::size_t begin = found.begin + text.find(word);
      const Kept one{{begin, begin + word.size()}, i};
      const auto overlaps = [&](const Kept& k) {
        return one.span.begin < k.span.end && k.span.begin < one.span.end;
      };
      if (!word.empty() && std::ranges::none_of(kept, overlaps)) kept.push_back(one);
    }
  }
  return kept;
}

std::vector<TextSpan> Required::kept(std::string_view line) const {
  std::vector<TextSpan> spans;
  for (const Kept& kept : find_kept(line)) spans.push_back(kept.span);
  return spans;
}

RequiredTexts Required::of(std::string_view line) const {
  RequiredTexts required;
  const std::vector<Kept> kept = find_kept(line);
  std::string others(line);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const auto& [span, pattern] = kept[i];
    RequiredText& text = required.texts.emplace_back(
        required_text(line, span, std::string(line.substr(span.begin, span.end - span.begin))));
    text.is_once = true;
    text.times = count_of(line, text.text);
    // What one pattern finds keeps its order.
    if (i > 0 && kept[i - 1].pattern == pattern) text.after = static_cast<std::int32_t>(i) - 1;
    others.replace(span.begin, span.end - span.begin, span.end - span.begin, ' ');
  }
  bool has_words = false;
  for (std::size_t at = 0; at < others.size() && !has_words;)
    has_words = is_word_character(next_code_point(others, at));
  required.are_all = !kept.empty() && !has_words;
  add_terms(line, kept, required);
  return required;
}

// From the left, at each place the longest term that is made of whole words.
void Required::add_terms(std::string_view line, const std::vector<Kept>& kept,
                         RequiredTexts& required) const {
  const std::size_t first = required.texts.size();
  for (std::size_t at = 0; !lengths_.empty() && at < line.size();) {
    std::size_t end = at;
    for (const std::size_t length : lengths_) {
      if (length > line.size() - at || !is_boundary(line, at) || !is_boundary(line, at + length)) continue;
      const auto overlaps = [&](const Kept& k) { return at < k.span.end && k.span.begin < at + length; };
      const auto term = terms_.find(line.substr(at, length));
      if (term == terms_.end() || std::ranges::any_of(kept, overlaps)) continue;
      required.texts.push_back(required_text(line, {at, at + length}, term->second.target));
      end = at + length;
      break;
    }
    at = std::max(end, at + 1);
    while (is_inside_character(line, at)) ++at;
  }
  const auto terms = std::span(required.texts).subspan(first);
  for (RequiredText& term : terms) term.times = std::ranges::count(terms, term.text, &RequiredText::text);
}

void Required::check(std::int64_t number, std::string_view line, std::string_view translation) {
  if (!has_required(translation, of(line))) {
    lacking_.add(number);
  } else if (has_more(line, translation)) {
    adding_.add(number);
  }
}

// Whether a pattern finds a text more often than in the line.
bool Required::has_more(std::string_view line, std::string_view translation) const {
  budget_->grant(line.size() + translation.size());
  return std::ranges::any_of(patterns_, [&](const auto& pattern) {
    std::map<std::string_view, std::int64_t> left;
    const auto found_in = [&](std::string_view text, std::int64_t change) {
      bool is_short = false;
      for (const TextSpan& span : pattern.find_all(text)) {
        const std::string_view found = trimmed(text.substr(span.begin, span.end - span.begin));
        if (!found.empty()) is_short = (left[found] += change) < 0 || is_short;
      }
      return is_short;
    };
    found_in(line, 1);
    return found_in(translation, -1);
  });
}

void Required::note() const {
  if (adding_.count() > 0)
    cli::warn(counted(adding_.count(), "translation") + adding_.numbers() +
              (adding_.count() == 1 ? " has" : " have") + " more that --keep finds than the source");
  if (lacking_.count() == 0) return;
  cli::warn(counted(lacking_.count(), "translation") + lacking_.numbers() +
            (lacking_.count() == 1 ? " does" : " do") +
            " not have all that --keep and --terms ask for, as often and in order");
}

}  // namespace headwater::translate
