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
  const Phrases phrases({{{4, 5}, true}, {{4, 6, 4}, false}, {{5}, false}});
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
  CHECK((spans[2].begin == 1 && spans[2].end == 2));
  CHECK((spans[1].begin == 2 && spans[1].end == 5));
  CHECK((spans[0].begin == 5 && spans[0].end == 7));
}

TEST_CASE("phrases: one that is met may not come again, one that is asked for twice may") {
  const Ids text{6, 4};
  const auto back = [&](std::size_t k) { return k <= text.size() ? text[text.size() - k] : -1; };
  const Phrases once({{{4, 5}, true}}), twice({{{4, 5}, true}, {{4, 5}, true}}), any({{{4, 5}, false}});
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
    const std::vector<std::string> lines{"a b", "c a b", "b", "c"};
    const std::vector<RequiredTexts> required{{{"c a", true}},
                                              {},
                                              {{"a", true}, {"c c", true}, {"a", true}},
                                              {{"b a c b a", false}, {"a a", false}}};
    const std::vector<Translations> found = translator.translations(lines, {}, required);
    const auto ids_of = [&](std::size_t line) { return found.at(line).at(0).hypothesis.ids; };
    const auto count = [&](std::size_t line, const Ids& ids) {
      const Ids text = ids_of(line);
      std::size_t times = 0;
      for (auto at = text.begin(); at + std::ssize(ids) <= text.end(); ++at)
        times += std::equal(ids.begin(), ids.end(), at) ? 1 : 0;
      return times;
    };
    CHECK(count(0, {6, 4}) == 1);
    CHECK(count(2, {4}) == 2);
    CHECK(count(2, {6, 6}) == 1);
    CHECK(count(3, {5, 4, 6, 5, 4}) >= 1);
    CHECK(count(3, {4, 4}) >= 1);
    // Alone as in a batch, and without phrases as ever.
    CHECK(Translator(files, settings).translations({"c a b"}).at(0).at(0).hypothesis.ids == ids_of(1));
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
  const std::vector<RequiredTexts> required{{{"{name}", true}, {"A", false}}};
  const std::string text = translator.translations({"a b"}, {}, required).at(0).at(0).text;
  INFO(text);
  CHECK(text.find("{name}") != text.npos);
  CHECK(text.find('A') != text.npos);
}

TEST_CASE("what is required and does not fit is an error that names the line") {
  const LoadedTranslator files = small_translator(1);
  Translator translator(files, {.search = {.max_new_tokens = 3}});
  const std::vector<RequiredTexts> required{{}, {{"a b c a", true}}};
  CHECK_THROWS_WITH_AS(translator.translations({"a", "b"}, {}, required),
                       doctest::Contains("has 4 tokens, and there is room for 3"), LineError);
}
