// Translations of a model whose output layer is set by hand.
#include "decoding/translate.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "decoding/same_vocabulary.hpp"
#include "error_text.hpp"
#include "word_tokenizer.hpp"

using namespace headwater;

namespace {

LoadedTranslator small_translator(Index length = 6, SourceSpecialTokens ends = SourceSpecialTokens::none) {
  EncoderDecoderSettings settings;
  settings.transformer.width = 8;
  settings.transformer.heads = 2;
  settings.transformer.feed_forward_width = 12;
  settings.transformer.length = length;
  settings.source_special_tokens = ends;
  const Tokenizer words = Tokenizer::parse(kWordTokenizer, "words");
  LoadedTranslator files{{}, words, words, std::make_unique<EncoderDecoder>(settings, 7, 7)};
  files.ids = translation_ids(words);
  files.model->parameters().allocate(false);
  files.model->parameters().initialize(1);
  return files;
}

}  // namespace

TEST_CASE("padding and start are not generated, [UNK] not unless it is allowed, however likely they are") {
  const LoadedTranslator files = small_translator();
  const std::int32_t unknown = files.target_tokenizer.unknown_id();
  REQUIRE(unknown == 1);
  Real* const bias = files.model->parameters().find("head.bias")->value.data;
  bias[files.ids.pad] = bias[files.ids.start] = 2000;
  bias[unknown] = 1000;
  for (const std::string search : {"greedy", "beams", "sampling"}) {
    INFO(search);
    GenerationSettings settings{.search = {.min_new_tokens = 4}};
    if (search == "beams") settings.search.num_beams = 3;
    if (search == "sampling") settings.sampling = SamplingSettings{};
    for (const bool is_allowed : {true, false}) {
      settings.allows_unknown = is_allowed;
      Translator translator(files, settings);
      for (const Translations& of_line : translator.translations({"a b", "c"})) {
        const std::vector<std::int32_t>& ids = of_line.at(0).hypothesis.ids;
        const auto length = static_cast<std::ptrdiff_t>(ids.size());
        REQUIRE(length >= 4);
        CHECK(std::count(ids.begin(), ids.end(), unknown) == (is_allowed ? length : 0));
        CHECK(std::count(ids.begin(), ids.end(), files.ids.pad) == 0);
        CHECK(std::count(ids.begin(), ids.end(), files.ids.start) == 0);
      }
    }
  }
}

TEST_CASE("as many tokens as the ratio says: 1.1 times ten are eleven") {
  const LoadedTranslator files = small_translator(20);
  std::string text = "a";
  for (int i = 1; i < 10; ++i) text += " b";
  Translator translator(files, {.search = {.max_length_ratio = 1.1, .min_new_tokens = 20}});
  CHECK(translator.translations({text}).at(0).at(0).hypothesis.ids.size() == 11);
}

TEST_CASE("alignments link tokens of the text alone, counted from its first") {
  for (const SourceSpecialTokens ends : {SourceSpecialTokens::none, SourceSpecialTokens::start_end}) {
    INFO(name_of(ends));
    const LoadedTranslator files = small_translator(6, ends);
    GenerationSettings settings{.search = {.min_new_tokens = 5}};
    settings.alignment.emplace();
    Translator translator(files, settings);
    const std::vector<Translations> found = translator.translations({"c", "a b c", "a b c a b c a b c"});
    const Index most = ends == SourceSpecialTokens::none ? 6 : 5;  // [START] takes a place of the last line
    for (const auto& [line, tokens] : {std::pair<std::size_t, Index>{0, 1}, {1, 3}, {2, most}}) {
      REQUIRE(found.at(line).at(0).source_of.size() == found[line][0].hypothesis.ids.size());
      for (const Index source : found[line][0].source_of) CHECK((source >= 0 && source < tokens));
    }
  }
}

TEST_CASE("a text that is too long keeps its end token where the model is a published one") {
  LoadedTranslator files = small_translator(4);
  const SourceIds own = files.source_ids("a b c a b");
  CHECK(own.ids == std::vector<std::int32_t>{4, 5, 6, 4});
  CHECK((own.is_truncated && own.first == TokenRange{0, 4}));
  files.appends_end = files.uses_template = true;  // Marian's, whose tokenizer has no template
  const SourceIds cut = files.source_ids("a b c a b");
  CHECK(cut.ids == std::vector<std::int32_t>{4, 5, 6, 3});
  CHECK((cut.is_truncated && cut.first == TokenRange{0, 3}));
  const SourceIds whole = files.source_ids("a b c");
  CHECK(whole.ids == cut.ids);
  CHECK((!whole.is_truncated && whole.first == TokenRange{0, 3}));
  CHECK(files.source_ids(" ").is_empty);
  LoadedTranslator ends =
      small_translator(4, SourceSpecialTokens::start_end);  // as vectorize cuts what it learns from
  CHECK(ends.source_ids("a b c a b").ids == std::vector<std::int32_t>{2, 4, 5, 6});
  CHECK(ends.source_ids("a b c a b").first == TokenRange{1, 4});
  const LoadedTranslator end = small_translator(4, SourceSpecialTokens::end);
  CHECK(end.source_ids("a b c").ids == std::vector<std::int32_t>{4, 5, 6, 3});
  CHECK(end.source_ids("a b c a b").ids == std::vector<std::int32_t>{4, 5, 6, 4});
}

TEST_CASE("models that read or write other tokens are no ensemble") {
  const LoadedTranslator files = small_translator();
  CHECK_NOTHROW(check_same_vocabulary(files, small_translator()));
  const auto refused = [&](LoadedTranslator other, const std::string& what) {
    other.files = "other";
    const std::string text = error_text([&] { check_same_vocabulary(files, other); });
    INFO(text);
    CHECK(text.find("other: its " + what) == 0);
  };
  const std::string text(kWordTokenizer);
  const auto tokenizer_of = [&](std::string_view from, std::string_view to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return Tokenizer::parse(changed, "words");
  };
  LoadedTranslator other = small_translator();
  other.source_tokenizer = tokenizer_of("\"normalizer\": null", "\"normalizer\": {\"type\": \"Lowercase\"}");
  refused(std::move(other), "source tokenizer");
  other = small_translator();
  other.target_tokenizer = tokenizer_of("\"a\": 4, \"b\": 5", "\"a\": 5, \"b\": 4");
  refused(std::move(other), "target tokenizer");
  refused(small_translator(7), "length, 7 tokens,");
  refused(small_translator(6, SourceSpecialTokens::end), "special tokens");
  other = small_translator();
  other.ids.start = 3;
  refused(std::move(other), "special tokens");
}
