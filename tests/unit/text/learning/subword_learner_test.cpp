#include "text/learning/subword_learner.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "ids_of_tokens.hpp"
#include "support/error.hpp"
#include "support/parallel.hpp"
#include "support/random.hpp"

using namespace headwater;

namespace {

// Words whose frequencies fall like natural ones, with many ties and letters of several bytes.
std::vector<std::string> lines_of_words(std::size_t count) {
  const RandomStream stream{.seed = 7, .purpose = Purpose::sample};
  const std::vector<std::string> syllables = {"ta", "no", "ri",     "\u00E9s", "lo",
                                              "ma", "k",  "\u00FC", "sh",      "en"};
  std::uint64_t element = 0;
  std::vector<std::string> lines(count);
  for (std::string& line : lines) {
    const std::uint64_t words = random_below(stream, element++, 8);
    for (std::uint64_t i = 0; i < words; ++i) {
      const std::uint64_t range = std::uint64_t{1} << random_below(stream, element++, 11);
      std::uint64_t word = random_below(stream, element++, range);
      ++word;
      if (i > 0) line += i % 5 == 0 ? ", " : " ";
      for (; word > 0; word /= syllables.size()) line += syllables[word % syllables.size()];
    }
  }
  return lines;
}

std::string joined_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) (text += line) += '\n';
  return text;
}

std::vector<SubwordTokenizerSettings> all_settings() {
  std::vector<SubwordTokenizerSettings> all;
  for (const SubwordKind& kind : subword_kinds()) all.push_back({.kind = kind.name});
  all.push_back({.kind = "bpe", .end_of_word_suffix = "</w>"});
  all.push_back({.kind = "byte_bpe",
                 .standardize = {.standardize = Standardization::lower, .lower = Lowering::unicode}});
  all.push_back({.kind = "unigram", .character_coverage = 1});
  for (SubwordTokenizerSettings& settings : all) {
    settings.size = 500;
    settings.has_start_end = true;
  }
  return all;
}

}  // namespace

TEST_CASE("subwords are the same from lines in any order, split and on any number of threads") {
  std::vector<std::string> lines = lines_of_words(4000);
  const std::string text = joined_lines(lines);
  std::reverse(lines.begin(), lines.end());
  const std::string backwards = joined_lines(lines);
  for (const SubwordTokenizerSettings& settings : all_settings()) {
    TokenizerLearner at_once = subword_learner(settings);
    at_once.add(text);
    const std::string expected = at_once.finish().to_json();
    for (const int threads : {1, 2, 3, 8}) {
      ThreadPool(threads).run([&] {
        TokenizerLearner learner = subword_learner(settings);
        const std::size_t cut = backwards.find('\n', backwards.size() / 3) + 1;
        learner.add(std::string_view(backwards).substr(cut));
        learner.add(std::string_view(backwards).substr(0, cut));
        CHECK(learner.finish().to_json() == expected);
      });
    }
  }
}

TEST_CASE("what was learned gives the text back") {
  const std::vector<std::string> lines = lines_of_words(300);
  for (const SubwordTokenizerSettings& settings : all_settings()) {
    TokenizerLearner learner = subword_learner(settings);
    learner.add(joined_lines(lines));
    const Tokenizer tokenizer = learner.finish();
    CHECK(tokenizer.start_id() >= 0);
    CHECK(tokenizer.end_id() == tokenizer.start_id() + 1);
    for (const std::string& line : lines) {
      CHECK(tokenizer.decode(tokenizer.encode(line)) == line);
      CHECK(ids_of_tokens(tokenizer, tokenizer.tokens(line)) == tokenizer.encode(line));
    }
  }
}

TEST_CASE("a size without room is wrong use") {
  SubwordTokenizerSettings settings;
  settings.size = 1;
  CHECK_THROWS_AS((void)subword_learner(settings), UsageError);
}

TEST_CASE("user-defined symbols are one token each, no other token has a part of them, and they come back") {
  const std::vector<std::string> symbols = {"<br>", "ta", "\u2192", "<br><br>", "x"};
  std::vector<std::string> lines = lines_of_words(400);
  for (std::size_t i = 0; i < lines.size(); ++i)
    lines[i].insert(lines[i].find(' ') == std::string::npos ? 0 : lines[i].find(' ') + i % 2,
                    symbols[i % symbols.size()]);
  for (SubwordTokenizerSettings settings : all_settings()) {
    settings.user_defined_symbols = symbols;
    if (settings.kind == "subword_text_encoder" || !settings.end_of_word_suffix.empty()) {
      CHECK_THROWS_AS(subword_learner(settings), UsageError);
      continue;
    }
    INFO(settings.kind);
    TokenizerLearner learner = subword_learner(settings);
    learner.add(joined_lines(lines));
    const Tokenizer tokenizer = learner.finish();
    const std::int32_t first = tokenizer.encode("<br>").at(0);
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      CHECK(tokenizer.encode(symbols[i]) == std::vector<std::int32_t>{first + static_cast<std::int32_t>(i)});
      CHECK(!tokenizer.is_special(first + static_cast<std::int32_t>(i)));
    }
    CHECK(tokenizer.encode("ma<br><br><br>x").size() == tokenizer.encode("ma").size() + 3);
    for (std::int32_t id = first + static_cast<std::int32_t>(symbols.size());
         id < tokenizer.vocabulary_size(); ++id) {
      CHECK(tokenizer.surface(id).find("ta") == std::string::npos);
      CHECK(tokenizer.surface(id).find("br") == std::string::npos);
    }
    for (const std::string& line : lines) {
      if (settings.kind == "wordpiece" || line.starts_with(' ')) continue;
      CHECK(tokenizer.decode(tokenizer.encode(line)) == tokenizer.normalize(line));
    }
  }
}

TEST_CASE("user-defined symbols that cannot be") {
  const auto learn = [](std::string_view kind, const std::vector<std::string>& symbols) {
    TokenizerLearner learner = subword_learner({.kind = kind, .size = 300, .user_defined_symbols = symbols});
    learner.add("the cat\n");
    learner.finish();
  };
  CHECK_NOTHROW(learn("byte_bpe", {"\u2192", "<\u2581>", " a b"}));
  CHECK_THROWS_AS(learn("byte_bpe", {"\u00E9"}), UsageError);  // spells a byte
  CHECK_THROWS_AS(learn("unigram", {"a\u2581"}), UsageError);  // spells a space
  CHECK_THROWS_AS(learn("wordpiece", {"##x"}), UsageError);
  for (const std::vector<std::string>& symbols :
       std::vector<std::vector<std::string>>{{""}, {"a", "a"}, {"[PAD]"}, {"a\nb"}, {std::string(257, 'a')}})
    CHECK_THROWS_AS(learn("bpe", symbols), UsageError);
}
