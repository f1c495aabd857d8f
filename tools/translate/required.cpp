#include "tools/translate/required.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "cli/tool.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/utf8.hpp"
#include "text/unicode/unicode.hpp"
#include "text/unicode/unicode_properties.hpp"

namespace headwater::translate {

namespace {

std::size_t count_of(std::string_view text, std::string_view wanted) {
  std::size_t count = 0;
  for (std::size_t at = text.find(wanted); at != text.npos; at = text.find(wanted, at + wanted.size()))
    ++count;
  return count;
}

// Whether a word may begin or end at `at`: not between two of its characters.
bool is_boundary(std::string_view text, std::size_t at) {
  if (at == 0 || at >= text.size()) return true;
  std::size_t before = at - 1;
  while (before > 0 && is_inside_character(text, before)) --before;
  return !is_word_character(next_code_point(text, before)) || !is_word_character(next_code_point(text, at));
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
    const std::string_view source = line.substr(0, tab),
                           target = tab == line.npos ? std::string_view() : line.substr(tab + 1);
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

RequiredTexts Required::of(std::string_view line) const {
  budget_->grant(line.size());
  RequiredTexts required;
  std::vector<TextSpan> kept;
  for (const Pattern& pattern : patterns_) {
    for (const TextSpan& span : pattern.find_all(line)) {
      const auto overlaps = [&](const TextSpan& k) { return span.begin < k.end && k.begin < span.end; };
      const std::string_view found = trimmed(line.substr(span.begin, span.end - span.begin));
      if (found.empty() || std::ranges::any_of(kept, overlaps)) continue;
      kept.push_back(span);
      required.push_back({std::string(found), true});
    }
  }
  add_terms(line, kept, required);
  return required;
}

// From the left, at each place the longest term that is made of whole words.
void Required::add_terms(std::string_view line, const std::vector<TextSpan>& kept,
                         RequiredTexts& required) const {
  for (std::size_t at = 0; !lengths_.empty() && at < line.size();) {
    std::size_t end = at;
    for (const std::size_t length : lengths_) {
      if (length > line.size() - at || !is_boundary(line, at) || !is_boundary(line, at + length)) continue;
      const auto overlaps = [&](const TextSpan& k) { return at < k.end && k.begin < at + length; };
      const auto term = terms_.find(line.substr(at, length));
      if (term == terms_.end() || std::ranges::any_of(kept, overlaps)) continue;
      required.push_back({term->second.target, false});
      end = at + length;
      break;
    }
    at = std::max(end, at + 1);
    while (is_inside_character(line, at)) ++at;
  }
}

std::vector<RequiredTexts> Required::of(const std::vector<std::string>& lines) const {
  std::vector<RequiredTexts> required;
  for (const std::string& line : lines) {
    required.push_back(of(std::string_view(line)));
    if (const std::size_t count = required.back().size(); count > Phrases::kMost)
      throw LineError(required.size() - 1, "--keep and --terms find " + std::to_string(count) +
                                               " places, and the search takes at most " +
                                               std::to_string(Phrases::kMost) + " (split the line)");
  }
  return required;
}

void Required::check(std::int64_t number, std::string_view line, const RequiredTexts& required,
                     std::string_view translation) {
  for (const RequiredText& text : required) {
    if (!text.is_once || count_of(line, text.text) == count_of(translation, text.text)) continue;
    differing_.add(number);
    return;
  }
}

void Required::note() const {
  if (differing_.count() == 0) return;
  cli::warn(counted(differing_.count(), "translation") + differing_.numbers() +
            (differing_.count() == 1 ? " does" : " do") +
            " not have what --keep found as often as the source");
}

}  // namespace headwater::translate
