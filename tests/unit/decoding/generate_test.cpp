// Continuations of texts: what is read of long ones, stop texts, and that nothing but a text, its number and
// the seed decides what follows.
#include "decoding/generate.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "decoding/decoding_group.hpp"
#include "support/error.hpp"
#include "support/parallel.hpp"
#include "support/utf8.hpp"
#include "tensor/kernels/isa.hpp"
#include "text/learning/subword_learner.hpp"
#include "text/unicode/byte_level.hpp"

using namespace headwater;

namespace {

constexpr Index kLength = 24;

LoadedLanguageModel random_model(bool has_start_end) {
  TokenizerLearner learner({.split = SplitKind::character, .size = 40, .has_start_end = has_start_end});
  learner.add("the quick brown fox jumps over the lazy dog\n");
  LoadedLanguageModel files{"nowhere", learner.finish(), nullptr};
  LanguageModelSettings settings;
  settings.transformer.width = 16;
  settings.transformer.heads = 2;
  settings.transformer.feed_forward_width = 24;
  settings.transformer.length = kLength;
  files.model = std::make_unique<LanguageModel>(settings, files.tokenizer.vocabulary_size());
  files.model->parameters().allocate(false);
  files.model->parameters().initialize(1);
  // Large enough that the next token depends on the last ones.
  for (Real& value : files.model->parameters().values()) value *= 6;
  return files;
}

// 1,000 of 1 to 40 characters, some longer than the model.
std::vector<std::string> prompts() {
  const std::string letters = "the quick brown fox jumps over the lazy dog";
  std::vector<std::string> result;
  for (std::size_t i = 0; i < 1000; ++i) {
    std::string& prompt = result.emplace_back();
    for (std::size_t c = 0; c < 1 + i * 7 % 40; ++c)
      prompt += letters[(i * 13 + c * (1 + i % 11)) % letters.size()];
  }
  return result;
}

// Tokens are bytes and, of the text, pairs of them.
LoadedLanguageModel random_byte_model() {
  LoadedLanguageModel files = random_model(false);
  TokenizerLearner learner = subword_learner({.kind = "byte_bpe", .size = 270});
  for (int i = 0; i < 3; ++i) learner.add("\u00e9\u00e8 \u5f8b \U0001F600\U0001F601\U0001F602\n");
  files.tokenizer = learner.finish();
  LanguageModelSettings settings = files.model->settings();
  files.model = std::make_unique<LanguageModel>(settings, files.tokenizer.vocabulary_size());
  files.model->parameters().allocate(false);
  files.model->parameters().initialize(2);
  for (Real& value : files.model->parameters().values()) value *= 6;
  return files;
}

struct Silent : ContinuationListener {};

std::vector<std::string> continued(const LoadedLanguageModel& files, const std::vector<std::string>& lines,
                                   const TextGeneratorSettings& settings, std::size_t batch) {
  TextGenerator generator(files, settings);
  Silent silent;
  std::vector<std::string> texts;
  generator.continue_lines(lines, batch, silent, [&](const Continuation& c) { texts.push_back(c.text); });
  return texts;
}

}  // namespace

TEST_CASE("a byte-level model writes whole characters, however it searches, up to its last token") {
  const LoadedLanguageModel files = random_byte_model();
  const std::vector<std::string> lines = prompts();
  const std::vector<std::string> some(lines.begin(), lines.begin() + 60);
  std::size_t long_characters = 0;
  for (const std::int64_t beams : {1, 3}) {
    for (const bool samples : {false, true}) {
      if (beams > 1 && samples) continue;
      TextGeneratorSettings settings;
      settings.generation.search.max_new_tokens = 13;
      settings.generation.search.num_beams = beams;
      if (samples) settings.generation.sampling = SamplingSettings{.temperature = 3, .seed = 5};
      for (const std::string& text : continued(files, some, settings, 16)) {
        INFO(beams, " beams", samples ? ", sampled" : "");
        CHECK(text.find("\uFFFD") == std::string::npos);
        CHECK(find_invalid_utf8(text) == std::string::npos);
        CHECK(!text.empty());
        long_characters += static_cast<std::size_t>(
            std::ranges::count_if(text, [](char c) { return static_cast<unsigned char>(c) >= 0xC0; }));
      }
    }
  }
  CHECK(long_characters > 200);
}

TEST_CASE("tokens keep to the bytes of a character") {
  const LoadedLanguageModel files = random_byte_model();
  const Tokenizer& bytes = files.tokenizer;
  const std::shared_ptr<const CharacterGuard> guard = CharacterGuard::of(bytes, -1);
  REQUIRE(guard != nullptr);
  CHECK(CharacterGuard::of(random_model(false).tokenizer, -1) == nullptr);
  using State = CharacterGuard::State;
  // All texts of up to four single bytes against a reader of UTF-8.
  std::vector<std::int32_t> id_of(256, -1);
  for (std::int32_t id = 0; id < bytes.vocabulary_size(); ++id) {
    std::string of_id;
    if (append_byte_level_bytes(bytes.surface(id), of_id) && of_id.size() == 1)
      id_of[static_cast<unsigned char>(of_id.front())] = id;
  }
  const std::string firsts("aé\xC1\xDF\xE0\xE1\xED\xEF\xF0\xF1\xF4\xF5\xFF\x80", 15),
      others("a\x80\x8F\x90\x9F\xA0\xBF\xC2\xF0", 9);
  const auto check = [&](const auto& self, const std::string& text, State state) -> void {
    for (const char c : text.empty() ? firsts : others) {
      const std::string longer = text + c;
      const State next = guard->next(state, id_of[static_cast<unsigned char>(c)]);
      const std::size_t invalid = find_invalid_utf8(longer);
      CHECK((next == State::whole) == (invalid == std::string::npos));
      CHECK(std::ranges::binary_search(guard->banned(state), id_of[static_cast<unsigned char>(c)]) ==
            (next == State::broken));
      if (next == State::broken) {  // no bytes make it characters
        for (const std::string& end :
             std::vector<std::string>{"\x80", "\x80\x80", "\x80\x80\x80", "\xBF", "\xA0\x80", "\x90\x80\x80"})
          CHECK(find_invalid_utf8(longer + end) != std::string::npos);
      } else if (longer.size() < 4) {
        self(self, longer, next);
      }
    }
  };
  check(check, "", State::whole);
  const std::vector<std::int32_t> ids = bytes.encode("word \U0001F600");
  CHECK(guard->after(ids) == State::whole);
  CHECK(guard->next(State::whole, id_of[0]) == State::broken);
}

TEST_CASE("a text that is too long loses half a length, as often as it must") {
  CHECK(window_begin(0, 8) == 0);
  CHECK(window_begin(8, 8) == 0);
  CHECK(window_begin(9, 8) == 4);
  CHECK(window_begin(12, 8) == 4);
  CHECK(window_begin(13, 8) == 8);
  CHECK(window_begin(6, 5) == 2);
  CHECK(window_begin(7, 5) == 2);
  CHECK(window_begin(8, 5) == 4);
  CHECK(window_begin(3, 1) == 2);
  for (const Index length : {1, 2, 3, 7, 64}) {
    for (Index tokens = 1; tokens < 5 * length; ++tokens) {
      const Index read = tokens - window_begin(tokens, length);
      CHECK((read >= 1 && read <= length));
      CHECK((tokens <= length || read > length - std::max<Index>(1, length / 2)));
    }
  }
}

TEST_CASE("the first stop text counts, wherever it begins, and what may begin one is held back") {
  const StopTexts stops({"END", "\n\n", "ab"});
  CHECK(stops.find("xxENDab", 0) == 2);
  CHECK(stops.find("xxENDab", 4) == 2);  // the first four bytes hold none
  CHECK(stops.find("xxEN", 0) == std::string::npos);
  CHECK(stops.find("", 0) == std::string::npos);
  CHECK(stops.begun("xxEN") == 2);
  CHECK(stops.begun("xxE") == 1);
  CHECK(stops.begun("a\n") == 1);
  CHECK(stops.begun("ba") == 1);
  CHECK(stops.begun("xEx") == 0);
  CHECK(StopTexts({}).empty());
  CHECK(StopTexts({}).begun("x") == 0);
}

// Byte-level BPE with these tokens and without merges.
static Tokenizer byte_level(const std::string& vocabulary) {
  return Tokenizer::parse_any(
      R"({"version":"1.0","truncation":null,"padding":null,"added_tokens":[],"normalizer":null,)"
      R"("pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false,"trim_offsets":true,"use_regex":true},)"
      R"("post_processor":null,"decoder":{"type":"ByteLevel","add_prefix_space":false,"trim_offsets":true,"use_regex":true},)"
      R"("model":{"type":"BPE","dropout":null,"unk_token":null,"continuing_subword_prefix":null,)"
      R"("end_of_word_suffix":null,"fuse_unk":false,"byte_fallback":false,"vocab":)" +
          vocabulary + R"(,"merges":[]}})",
      "bytes.json");
}

TEST_CASE("a byte of NUL, which no line has, is U+FFFD in generated text") {
  const Tokenizer bytes = byte_level(R"({"a":0,"Ā":1})");
  REQUIRE(bytes.decode(std::vector<std::int32_t>{0, 1}) == std::string("a\0", 2));
  GrowingText text(bytes, {});
  for (const std::int32_t id : {1, 0, 1, 1, 0}) text.add(id);
  text.finish();
  CHECK(text.text() == "\uFFFDa\uFFFD\uFFFDa");
  CHECK(without_nul("plain") == "plain");
}

TEST_CASE("characters that tokens share are written whole, however many tokens in a row end inside one") {
  // Three characters, E5BE8B E5B9B3 E7AD89, as the tokens E5BE, 8BE5, B9, B3E7, AD, 89.
  const Tokenizer bytes = byte_level(R"({"å¾":0,"ĭå":1,"¹":2,"³ç":3,"Ń":4,"ī":5,"a":6})");
  const std::vector<std::int32_t> ids{0, 1, 2, 3, 4, 5};
  REQUIRE(bytes.decode(ids) == "律平等");
  GrowingText text(bytes, {});
  std::vector<std::string> grown;
  for (const std::int32_t id : ids) {
    text.add(id);
    grown.push_back(text.text());
  }
  CHECK(grown == std::vector<std::string>{"", "律", "律", "律平", "律平", "律平等"});
  GrowingText broken(bytes, {});
  for (const std::int32_t id : {0, 6, 1}) broken.add(id);
  broken.finish();
  CHECK(broken.text() == bytes.decode(std::vector<std::int32_t>{0, 6, 1}));
}

TEST_CASE("1,000 prompts have the same continuations in any batch, on any threads, with any code path") {
  const LoadedLanguageModel files = random_model(true);
  const std::vector<std::string> lines = prompts();
  TextGeneratorSettings settings{.generation = {.search = {.max_new_tokens = 30}}};
  for (int kind = 0; kind < 4; ++kind) {
    if (kind == 1) settings.generation.sampling = {.temperature = 0.9, .top_p = 0.95, .seed = 3};
    if (kind == 2) settings.repetition_penalty = 1.2;
    if (kind == 3) settings.generation.sampling.reset();
    const std::vector<std::string> expected = continued(files, lines, settings, 16);
    CHECK(expected.size() == 1000);
    CHECK(continued(files, lines, settings, 1) == expected);
    for (const int threads : {1, 2}) {
      ThreadPool(threads).run([&] { CHECK(continued(files, lines, settings, 100) == expected); });
    }
    const kernels::Isa widest = kernels::active_isa();
    for (const char* name : {"avx2", "portable"}) {
      if (!kernels::isa_available(kernels::isa_of_name(name))) continue;
      kernels::set_isa(kernels::isa_of_name(name));
      CHECK(continued(files, lines, settings, 16) == expected);
    }
    kernels::set_isa(widest);
  }
}

TEST_CASE("samples of a line do not depend on how many there are, nor on the lines' grouping into calls") {
  const LoadedLanguageModel files = random_model(true);
  const std::vector<std::string> lines{"the", "fox", "", "the"};
  TextGeneratorSettings settings{.generation = {.search = {.max_new_tokens = 12, .min_new_tokens = 12},
                                                .sampling = SamplingSettings{.temperature = 5}},
                                 .samples = 5};
  const std::vector<std::string> five = continued(files, lines, settings, 3);
  REQUIRE(five.size() == 20);
  settings.samples = 2;
  TextGenerator generator(files, settings);
  Silent silent;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    generator.continue_lines({lines[i]}, 16, silent,
                             [&](const Continuation& c) { CHECK(c.text == five[5 * i + c.sample]); });
  }
  std::vector<std::string> sorted = five;
  std::sort(sorted.begin(), sorted.end());
  CHECK(std::unique(sorted.begin(), sorted.end()) == sorted.end());
}

TEST_CASE("a stop text cuts the continuation and its tokens; the rest of it is as without") {
  const LoadedLanguageModel files = random_model(true);
  TextGeneratorSettings settings{
      .generation = {.search = {.max_new_tokens = 60, .min_new_tokens = 60}, .wants_scores = true}};
  const std::string whole = continued(files, {"the"}, settings, 1).front();
  REQUIRE(whole.size() == 60);
  for (const std::size_t at : {std::size_t{0}, std::size_t{7}, std::size_t{31}}) {
    const std::string stop = whole.substr(at, 5);
    settings.stop = {stop, "no such text"};
    for (const std::int64_t beams : {1, 2}) {
      settings.generation.search.num_beams = beams;
      TextGenerator generator(files, settings);
      Silent silent;
      generator.continue_lines({"the"}, 1, silent, [&](const Continuation& c) {
        CHECK(c.text.find(stop) == std::string::npos);
        CHECK(c.hypothesis.ids.size() == c.text.size());  // a character a token
        CHECK(c.hypothesis.token_log_probabilities.size() == c.text.size());
        if (beams == 1) {
          CHECK(c.end == TextEnd::stop);
          CHECK(c.text == whole.substr(0, whole.find(stop)));
        }
      });
    }
  }
}

TEST_CASE("[UNK] is not generated unless it is allowed, however likely it is") {
  const LoadedLanguageModel files = random_model(true);
  const std::int32_t unknown = files.tokenizer.unknown_id();
  REQUIRE(unknown >= 0);
  files.model->parameters().find("head.bias")->value.data[unknown] = 1000;
  TextGeneratorSettings settings{.generation = {.search = {.max_new_tokens = 20, .min_new_tokens = 20}}};
  for (const std::string search : {"greedy", "beams", "sampling", "repetition penalty"}) {
    INFO(search);
    settings.generation.search.num_beams = search == "beams" ? 3 : 1;
    settings.generation.sampling.reset();
    if (search == "sampling") settings.generation.sampling = SamplingSettings{};
    settings.repetition_penalty = search == "repetition penalty" ? 1.2 : 1;
    for (const bool is_allowed : {true, false}) {
      settings.generation.allows_unknown = is_allowed;
      TextGenerator generator(files, settings);
      Silent silent;
      generator.continue_lines({"the", "fox"}, 2, silent, [&](const Continuation& c) {
        const std::vector<std::int32_t>& ids = c.hypothesis.ids;
        REQUIRE(ids.size() == 20);
        CHECK(std::count(ids.begin(), ids.end(), unknown) == (is_allowed ? 20 : 0));
      });
    }
  }
}

TEST_CASE("an empty line begins with a line end where that is a token and there is no start token") {
  const char* const bytes =
      R"({"added_tokens":[],"normalizer":null,"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false,"trim_offsets":false,"use_regex":false},"post_processor":null,"decoder":{"type":"ByteLevel"},"model":{"type":"BPE","unk_token":null,"vocab":{"a":0,"b":1,"\u010a":2,"\u0120":3},"merges":[]}})";
  LoadedLanguageModel files = random_model(false);
  files.tokenizer = Tokenizer::parse(bytes, "bytes");
  REQUIRE(files.tokenizer.encode("\n") == std::vector<std::int32_t>{2});
  CHECK(continued(files, {""}, {}, 1).front().size() == 64);
}

TEST_CASE("an empty line begins a text, or is an error after the lines before it") {
  CHECK(continued(random_model(true), {""}, {}, 1).size() == 1);
  const LoadedLanguageModel files = random_model(false);
  TextGenerator generator(files, {});
  Silent silent;
  std::vector<std::size_t> done;
  try {
    generator.continue_lines({"a", "the", "", "x"}, 16, silent,
                             [&](const Continuation& c) { done.push_back(c.line); });
    FAIL("no error");
  } catch (const LineError& error) {
    CHECK(error.line == 2);
  }
  CHECK(done == std::vector<std::size_t>{0, 1});
}
