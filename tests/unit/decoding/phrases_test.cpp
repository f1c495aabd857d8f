// What a hypothesis has of the phrases that it must contain, and searches that must.
#include "decoding/phrases.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "decoding/translate.hpp"
#include "word_tokenizer.hpp"

using namespace headwater;

namespace {

using Ids = std::vector<std::int32_t>;

Phrases::State after(const Phrases& phrases, const Ids& ids) {
  Phrases::State state;
  for (const std::int32_t id : ids) state = phrases.next(state, id);
  return state;
}

LoadedTranslator small_translator(std::uint64_t seed) {
  EncoderDecoderSettings settings;
  settings.transformer.width = 8;
  settings.transformer.heads = 2;
  settings.transformer.feed_forward_width = 12;
  settings.transformer.length = 12;
  const Tokenizer words = Tokenizer::parse(kWordTokenizer, "words");
  LoadedTranslator files{{}, words, words, std::make_unique<EncoderDecoder>(settings, 7, 7)};
  files.ids = translation_ids(words);
  files.model->parameters().allocate(false);
  files.model->parameters().initialize(seed);
  for (Real& value : files.model->parameters().values()) value *= 3;
  return files;
}

}  // namespace

TEST_CASE("phrases: begun, broken off, shared beginnings, in any order") {
  const Phrases phrases({{{{4, 5}}, true}, {{{4, 6, 4}}, false}, {{{5}}, false}});
  CHECK(phrases.missing({}) == 6);
  CHECK(phrases.stage(after(phrases, {4})) == 1);
  CHECK(phrases.missing(after(phrases, {4})) == 5);
  CHECK(phrases.stage(after(phrases, {4, 4})) == 1);
  CHECK(phrases.missing(after(phrases, {4, 5})) == 4);
  CHECK(phrases.missing(after(phrases, {4, 6})) == 4);   // the second one, begun as the first
  CHECK(phrases.stage(after(phrases, {4, 6, 5})) == 2);  // broken off, and the third met
  CHECK(phrases.is_complete(after(phrases, {4, 6, 4, 5, 4, 5})));
  CHECK_FALSE(phrases.is_complete(after(phrases, {4, 6, 4, 5})));
  Ids advancing;
  phrases.advancing({}, advancing);
  CHECK(advancing == Ids{4, 5});
  phrases.advancing(after(phrases, {4, 6}), advancing);
  CHECK(advancing == Ids{4});
  const std::vector<Phrases::Span> spans = phrases.spans(Ids{6, 5, 4, 6, 4, 4, 5});
  REQUIRE(spans.size() == 3);
  CHECK((spans[0].phrase == 2 && spans[0].begin == 1 && spans[0].end == 2));
  CHECK((spans[1].phrase == 1 && spans[1].begin == 2 && spans[1].end == 5));
  CHECK((spans[2].phrase == 0 && spans[2].begin == 5 && spans[2].end == 7));
}

TEST_CASE("phrases: any form meets one, and one that must follow another does not begin before it") {
  const Phrases forms({{{{4, 5}, {6}}, false}});
  CHECK(forms.missing({}) == 1);
  CHECK(forms.missing(after(forms, {4})) == 1);
  CHECK(forms.is_complete(after(forms, {6})));
  CHECK(forms.is_complete(after(forms, {4, 5})));
  const Phrases ordered({{{{4}}, true}, {{{5}}, true, 0}});
  CHECK(ordered.stage(after(ordered, {5})) == 0);
  CHECK(ordered.is_complete(after(ordered, {4, 5})));
  const auto none = [](std::size_t) { return -1; };
  CHECK(ordered.repeats({}, 5, none));
  CHECK_FALSE(ordered.repeats(after(ordered, {4}), 5, none));
  Ids advancing;
  ordered.advancing({}, advancing);
  CHECK(advancing == Ids{4});
}

TEST_CASE("phrases: one that is met may not come again, one that is asked for twice may") {
  const Ids text{6, 4};
  const auto back = [&](std::size_t k) { return k <= text.size() ? text[text.size() - k] : -1; };
  const Phrases once({{{{4, 5}}, true}}), twice({{{{4, 5}}, true}, {{{4, 5}}, true}}),
      any({{{{4, 5}}, false}});
  const Ids met{4, 5, 6, 4};
  CHECK(once.repeats(after(once, met), 5, back));
  CHECK_FALSE(once.repeats(after(once, {6, 4}), 5, back));
  CHECK_FALSE(twice.repeats(after(twice, met), 5, back));
  CHECK_FALSE(any.repeats(after(any, met), 5, back));
}

TEST_CASE("translations contain what is required, as often, and other lines stay as they are") {
  for (const std::uint64_t seed : {1, 2, 3}) {
    INFO(seed);
    const LoadedTranslator files = small_translator(seed);
    const GenerationSettings settings{.search = {.max_new_tokens = 11, .num_beams = 2}};
    Translator translator(files, settings);
    const std::vector<std::string> lines{"a b", "c a b", "b", "c", "a"};
    const auto once = [](std::string text, std::int64_t times, std::int32_t after) {
      return RequiredText{
          .text = std::move(text), .times = times, .is_once = true, .after = after, .follows_space = true};
    };
    const std::vector<RequiredTexts> required{{{once("c a", 1, -1)}},
                                              {},
                                              {{once("a", 2, -1), once("c c", 1, 0), once("a", 2, 1)}},
                                              {{{.text = "b a c b a"}, {.text = "a a"}}},
                                              {{once("c b a c b a c b a c b a", 1, -1)}}};
    const std::vector<Translations> found = translator.translations(lines, {}, required);
    const auto ids_of = [&](std::size_t line) { return found.at(line).at(0).hypothesis.ids; };
    for (const std::size_t line : {0, 1, 2, 3}) {
      INFO(line, ": ", found.at(line).at(0).text);
      CHECK(has_required(found.at(line).at(0).text, required[line]));
    }
    const Ids third = ids_of(2);  // a, c c, a
    CHECK(std::count(third.begin(), third.end(), 4) == 2);
    const Ids both{6, 6};
    CHECK(std::search(third.begin(), third.end(), both.begin(), both.end()) != third.end());
    // Where there is no room: what is written without.
    Translator plain(files, settings);
    const std::vector<Translations> without = plain.translations(lines);
    for (const std::size_t line : {1, 4}) CHECK(without.at(line).at(0).hypothesis.ids == ids_of(line));
    // Alone as in a batch.
    for (const std::size_t line : {0, 2, 3}) {
      const std::vector<RequiredTexts> own{required[line]};
      Translator alone(files, settings);
      CHECK(alone.translations({lines[line]}, {}, own).at(0).at(0).hypothesis.ids == ids_of(line));
    }
  }
}

TEST_CASE("translations write what is required as it was given, though the tokenizer cannot") {
  const LoadedTranslator files = small_translator(1);
  Translator translator(files, {.search = {.max_new_tokens = 11}});
  const std::vector<RequiredTexts> required{{{{.text = "{name}", .is_once = true}, {.text = "A"}}},
                                            {{{.text = "%s", .is_once = true}}, true}};
  const std::vector<Translations> found = translator.translations({"a b", " %s!"}, {}, required);
  INFO(found.at(0).at(0).text);
  CHECK(has_required(found.at(0).at(0).text, required[0]));
  CHECK(found.at(1).at(0).text == " %s!");  // nothing else to translate
}

TEST_CASE("faults of a translation: missing or too often, out of order, grown together") {
  const RequiredTexts required{
      {{.text = "%d", .is_once = true}, {.text = "%s", .is_once = true, .after = 0}}};
  CHECK(faults_of("%d a %s", required) == 0);
  const std::vector<std::string> worse{"%d a %sb", "%s a %d", "%d %s %s", "nothing"};
  for (std::size_t i = 1; i < worse.size(); ++i)
    CHECK(faults_of(worse[i - 1], required) < faults_of(worse[i], required));
  CHECK(has_required(worse[0], required));
  CHECK_FALSE(has_required(worse[1], required));
  CHECK(faults_of("caf\u00e9%s", {{{.text = "%s", .is_once = true}}}) == 1);
  CHECK_FALSE(has_required("casa", {{{.text = "cas"}}}));  // a term is whole words
}

TEST_CASE("words stand in for what tokenizers cannot write, and go again with the spaces that they brought") {
  const auto can_write = [](const std::string& text) { return text.find_first_of("<{") == text.npos; };
  const auto once = [](std::string text, std::size_t begin, std::int32_t after, bool is_apart) {
    return RequiredText{.text = std::move(text),
                        .is_once = true,
                        .after = after,
                        .source_begin = begin,
                        .is_apart_before = is_apart,
                        .is_apart_after = is_apart};
  };
  const std::string line = "a<b>c %s {x}.";
  const RequiredTexts required{{once("<b>", 1, -1, false), once("%s", 6, -1, true), once("{x}", 9, 0, true)}};
  const StandIns words = with_stand_ins(line, required, can_write);
  CHECK(words.line == "a X1X c %s X2X.");
  CHECK((words.required.texts[0].text == "X1X" && words.required.texts[1].text == "%s"));
  CHECK((words.required.texts[2].text == "X2X" && words.required.texts[2].after == 0));
  CHECK(words.restored("C X1X a X2X, %s") == "C<b>a {x}, %s");
  CHECK(with_stand_ins("X1X {x}", {{once("{x}", 4, -1, true)}}, can_write).line == "X1X x1x");
  CHECK(with_stand_ins("{x}", required, [](const std::string&) { return false; }).line == "{x}");
}
