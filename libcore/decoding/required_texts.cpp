#include "decoding/required_texts.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "support/utf8.hpp"
#include "text/unicode/unicode.hpp"
#include "text/unicode/unicode_properties.hpp"

namespace headwater {

namespace {

using Ids = std::vector<std::int32_t>;

// Places where a word touches the text, though none does in the source.
std::int64_t touched(std::string_view translation, const RequiredText& required) {
  std::int64_t places = 0;
  const std::string_view text = required.text;
  for (std::size_t at = translation.find(text); at != translation.npos;
       at = translation.find(text, at + text.size())) {
    places += required.is_apart_before && is_word_before(translation, at) ? 1 : 0;
    places += required.is_apart_after && is_word_at(translation, at + text.size()) ? 1 : 0;
  }
  return places;
}

bool are_in_order(std::string_view translation, const RequiredTexts& required) {
  std::vector<std::size_t> ends;
  for (const RequiredText& text : required.texts) {
    const std::size_t from = text.after < 0 ? 0 : ends[text.after];
    const std::size_t at = from == translation.npos ? from : translation.find(text.text, from);
    if (at == translation.npos && text.after >= 0) return false;
    ends.push_back(at == translation.npos ? at : at + text.text.size());
  }
  return true;
}

// The ids of `text` after `before`, where these are of their own; else none.
Ids ids_after(const Tokenizer& tokenizer, const std::string& before, const std::string& text) {
  const Ids begin = tokenizer.encode(before), all = tokenizer.encode(before + text);
  // White space at the end of `before` may have gone to the text's first token.
  const Ids word = tokenizer.encode(before.substr(0, 1));
  for (const Ids& head : {begin, word}) {
    if (all.size() > head.size() && std::equal(head.begin(), head.end(), all.begin()))
      return {all.begin() + std::ssize(head), all.end()};
  }
  return {};
}

constexpr std::int64_t kOfOrder = 1000, kOfCount = 1000000;

}  // namespace

std::int64_t count_of(std::string_view text, std::string_view wanted) {
  std::int64_t count = 0;
  for (std::size_t at = text.find(wanted); at != text.npos; at = text.find(wanted, at + wanted.size()))
    ++count;
  return count;
}

std::int64_t faults_of(std::string_view translation, const RequiredTexts& required) {
  std::int64_t faults = are_in_order(translation, required) ? 0 : kOfOrder;
  for (const RequiredText& text : required.texts) {
    const std::int64_t touches = touched(translation, text);
    // A term is whole words.
    const std::int64_t more = count_of(translation, text.text) - (text.is_once ? 0 : touches) - text.times;
    if (more < 0 || text.is_once) faults += kOfCount * std::abs(more);
    faults += touches;
  }
  return faults;
}

bool has_required(std::string_view translation, const RequiredTexts& required) {
  return faults_of(translation, required) < kOfOrder;
}

StandIns with_stand_ins(const std::string& line, const RequiredTexts& required,
                        const std::function<bool(const std::string&)>& can_write) {
  StandIns result{line, required, {}};
  std::vector<std::size_t> replaced;
  for (std::size_t i = 0; i < required.texts.size(); ++i) {
    if (required.texts[i].is_once && !can_write(required.texts[i].text)) replaced.push_back(i);
  }
  std::ranges::sort(replaced, {}, [&](std::size_t i) { return required.texts[i].source_begin; });
  for (const char letter : {'X', 'x'}) {
    const auto word_of = [&](std::size_t number) {
      return std::string(1, letter) + std::to_string(number + 1) + letter;
    };
    const auto is_of_use = [&](std::size_t number) {
      return can_write(word_of(number)) && line.find(word_of(number)) == line.npos;
    };
    bool are_of_use = true;
    for (std::size_t n = 0; n < replaced.size(); ++n) are_of_use = are_of_use && is_of_use(n);
    if (!are_of_use) continue;
    result.line.clear();
    std::size_t end = 0;
    for (std::size_t n = 0; n < replaced.size(); ++n) {
      const RequiredText& text = required.texts[replaced[n]];
      const bool has_before = !text.is_apart_before, has_after = !text.is_apart_after;
      result.words.push_back({word_of(n), text.text, has_before, has_after});
      result.line += line.substr(end, text.source_begin - end) + (has_before ? " " : "") + word_of(n) +
                     (has_after ? " " : "");
      end = text.source_begin + text.text.size();
      RequiredText& now = result.required.texts[replaced[n]];
      now = {.text = word_of(n),
             .is_once = true,
             .after = text.after,
             .begins_line = text.begins_line,
             .follows_space = text.follows_space || has_before};
    }
    result.line += line.substr(end);
    break;
  }
  return result;
}

std::string StandIns::restored(std::string translation) const {
  for (const Word& word : words) {
    for (std::size_t at = translation.find(word.word); at != translation.npos;
         at = translation.find(word.word, at + word.text.size())) {
      std::size_t begin = at, end = at + word.word.size();
      if (word.eats_after && end < translation.size() && translation[end] == ' ') ++end;
      if (word.eats_before && begin > 0 && translation[begin - 1] == ' ') --begin;
      translation.replace(begin, end - begin, word.text);
      at = begin;
    }
  }
  return translation;
}

Phrases phrases_of(const RequiredTexts& required, const Tokenizer& tokenizer) {
  if (required.texts.size() > Phrases::kMost) return {};
  std::vector<Phrase> phrases;
  for (const RequiredText& text : required.texts) {
    Phrase& phrase = phrases.emplace_back(Phrase{{}, text.is_once, text.after});
    const auto add = [&](Ids ids) {
      if (!ids.empty() && std::ranges::find(phrase.forms, ids) == phrase.forms.end())
        phrase.forms.push_back(std::move(ids));
    };
    // As it stands in the source: a tokenizer may put the white space before a word into its first token.
    if (!text.begins_line && !text.follows_space) add(ids_after(tokenizer, "(", text.text));
    add(ids_after(tokenizer, "a ", text.text));
    if (!text.follows_space || phrase.forms.empty()) add(tokenizer.encode(text.text));
    if (phrase.forms.empty()) return {};
  }
  return Phrases(phrases);
}

std::string with_required(std::string text, std::span<const std::int32_t> ids, std::size_t begun,
                          const Phrases& phrases, const RequiredTexts& required, const Tokenizer& tokenizer) {
  std::vector<Phrases::Span> spans = phrases.spans(ids.subspan(begun));
  std::ranges::reverse(spans);  // so that what stands before stays where it is
  for (const Phrases::Span& span : spans) {
    const std::string& wanted = required.texts[span.phrase].text;
    const std::string written = tokenizer.decode(ids.subspan(begun + span.begin, span.end - span.begin)),
                      before = tokenizer.decode(ids.first(begun + span.begin));
    const std::string_view word = trimmed(written);
    const std::size_t at = text.find(word, text.starts_with(before) ? before.size() : 0);
    if (at != text.npos) text.replace(at, word.size(), wanted);
  }
  return text;
}

}  // namespace headwater
