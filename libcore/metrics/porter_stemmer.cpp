#include "metrics/porter_stemmer.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace headwater {

namespace {

// What the conditions of the rules ask of a stem.
struct StemShape {
  std::int64_t measure = 0;  // m: how often a consonant comes after a vowel
  bool has_vowel = false, ends_with_consonant = false;
  bool ends_with_double_consonant = false;  // *d
  // *o: consonant, vowel, consonant other than w, x and y; here also a vowel and a consonant alone
  bool ends_with_short_syllable = false;
};

StemShape shape_of(std::string_view stem) {
  StemShape shape;
  std::array<bool, 3> vowel{};  // of the last three letters, the newest last
  for (std::size_t i = 0; i < stem.size(); ++i) {
    const char c = stem[i];
    // y is a vowel after a consonant.
    const bool is_vowel =
        std::string_view("aeiou").find(c) != std::string_view::npos || (c == 'y' && i > 0 && !vowel[2]);
    shape.measure += i > 0 && vowel[2] && !is_vowel ? 1 : 0;
    shape.has_vowel = shape.has_vowel || is_vowel;
    vowel = {vowel[1], vowel[2], is_vowel};
  }
  const std::size_t n = stem.size();
  if (n == 0) return shape;
  const char last = stem[n - 1];
  shape.ends_with_consonant = !vowel[2];
  shape.ends_with_double_consonant = n >= 2 && stem[n - 2] == last && !vowel[2];
  const bool is_vowel_consonant = n >= 2 && vowel[1] && !vowel[2];
  shape.ends_with_short_syllable =
      is_vowel_consonant && (n == 2 || (!vowel[0] && last != 'w' && last != 'x' && last != 'y'));
  return shape;
}

struct SuffixRule {
  std::string_view suffix, replacement;
};

std::string_view stem_before(std::string_view word, std::string_view suffix) {
  return word.substr(0, word.size() - suffix.size());
}

void replace_suffix(std::string& word, const SuffixRule& rule) {
  word.erase(word.size() - rule.suffix.size());
  word.append(rule.replacement);
}

// The first rule whose suffix the word has decides; it holds where the stem's measure is above `measure`.
void apply_first(std::string& word, std::span<const SuffixRule> rules, std::int64_t measure) {
  for (const SuffixRule& rule : rules) {
    if (!word.ends_with(rule.suffix)) continue;
    if (shape_of(stem_before(word, rule.suffix)).measure > measure) replace_suffix(word, rule);
    return;
  }
}

constexpr auto kIrregular = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"skies", "sky"},
    {"sky", "sky"},
    {"dying", "die"},
    {"lying", "lie"},
    {"tying", "tie"},
    {"news", "news"},
    {"innings", "inning"},
    {"inning", "inning"},
    {"outings", "outing"},
    {"outing", "outing"},
    {"cannings", "canning"},
    {"canning", "canning"},
    {"howe", "howe"},
    {"proceed", "proceed"},
    {"exceed", "exceed"},
    {"succeed", "succeed"},
});

constexpr auto kPlurals = std::to_array<SuffixRule>({{"sses", "ss"}, {"ies", "i"}, {"ss", "ss"}, {"s", ""}});

constexpr auto kDoubleSuffixes = std::to_array<SuffixRule>({
    {"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"}, {"anci", "ance"}, {"izer", "ize"},
    {"bli", "ble"},     {"alli", "al"},     {"entli", "ent"}, {"eli", "e"},     {"ousli", "ous"},
    {"ization", "ize"}, {"ation", "ate"},   {"ator", "ate"},  {"alism", "al"},  {"iveness", "ive"},
    {"fulness", "ful"}, {"ousness", "ous"}, {"aliti", "al"},  {"iviti", "ive"}, {"biliti", "ble"},
    {"fulli", "ful"},
});

constexpr auto kAdjectiveSuffixes = std::to_array<SuffixRule>({
    {"icate", "ic"},
    {"ative", ""},
    {"alize", "al"},
    {"iciti", "ic"},
    {"ical", "ic"},
    {"ful", ""},
    {"ness", ""},
});

constexpr auto kLastSuffixes = std::to_array<SuffixRule>({
    {"al", ""},  {"ance", ""},  {"ence", ""}, {"er", ""},  {"ic", ""},  {"able", ""}, {"ible", ""},
    {"ant", ""}, {"ement", ""}, {"ment", ""}, {"ent", ""}, {"ion", ""}, {"ou", ""},   {"ism", ""},
    {"ate", ""}, {"iti", ""},   {"ous", ""},  {"ive", ""}, {"ize", ""},
});

// Step 1a: plurals; "dies" keeps its e, "flies" does not.
void cut_plural(std::string& word) {
  if (word.size() == 4 && word.ends_with("ies")) {
    replace_suffix(word, {"ies", "ie"});
  } else {
    apply_first(word, kPlurals, -1);
  }
}

// Step 1b: -eed, -ed and -ing; "died" keeps its e.
void cut_past(std::string& word) {
  if (word.ends_with("ied")) {
    replace_suffix(word, {"ied", word.size() == 4 ? "ie" : "i"});
    return;
  }
  if (word.ends_with("eed")) {
    if (shape_of(stem_before(word, "eed")).measure > 0) replace_suffix(word, {"eed", "ee"});
    return;
  }
  const std::string_view suffix = word.ends_with("ed") ? "ed" : word.ends_with("ing") ? "ing" : "";
  if (suffix.empty() || !shape_of(stem_before(word, suffix)).has_vowel) return;
  replace_suffix(word, {suffix, ""});
  const StemShape shape = shape_of(word);
  if (word.ends_with("at") || word.ends_with("bl") || word.ends_with("iz")) {
    word.push_back('e');
  } else if (shape.ends_with_double_consonant) {
    const char last = word.back();
    if (last != 'l' && last != 's' && last != 'z') word.pop_back();
  } else if (shape.measure == 1 && shape.ends_with_short_syllable) {
    word.push_back('e');
  }
}

// Step 1c: "happy" and "spy", but neither "enjoy" nor "by".
void replace_y(std::string& word) {
  if (word.size() < 3 || word.back() != 'y') return;
  if (shape_of(stem_before(word, "y")).ends_with_consonant) word.back() = 'i';
}

// Step 2. -alli comes first, and what is left of it is seen again; -logi needs a vowel before its g only.
void cut_double_suffix(std::string& word) {
  if (word.ends_with("alli") && shape_of(stem_before(word, "alli")).measure > 0)
    replace_suffix(word, {"alli", "al"});
  if (word.ends_with("logi")) {
    if (shape_of(stem_before(word, "ogi")).measure > 0) replace_suffix(word, {"logi", "log"});
    return;
  }
  apply_first(word, kDoubleSuffixes, 0);
}

// Step 4; -ion goes only after s and t.
void cut_last_suffix(std::string& word) {
  if (word.ends_with("ion")) {
    const std::string_view stem = stem_before(word, "ion");
    if (!stem.ends_with('s') && !stem.ends_with('t')) return;
  }
  apply_first(word, kLastSuffixes, 1);
}

// Step 5: a final e, one of two final l.
void tidy(std::string& word) {
  if (word.ends_with('e')) {
    const StemShape shape = shape_of(stem_before(word, "e"));
    if (shape.measure > 1 || (shape.measure == 1 && !shape.ends_with_short_syllable)) word.pop_back();
  }
  if (word.ends_with("ll") && shape_of(stem_before(word, "l")).measure > 1) word.pop_back();
}

}  // namespace

std::string porter_stem(std::string word) {
  for (const auto& [form, stem] : kIrregular) {
    if (word == form) return std::string(stem);
  }
  if (word.size() <= 2) return word;
  cut_plural(word);
  cut_past(word);
  replace_y(word);
  cut_double_suffix(word);
  apply_first(word, kAdjectiveSuffixes, 0);
  cut_last_suffix(word);
  tidy(word);
  return word;
}

}  // namespace headwater
