// Integer mode of the framework's text layer: vocabularies and ids of
// reference/keras/text-vectorization.json.
#include <doctest/doctest.h>

#include <cstdlib>

#include "support/files.hpp"
#include "support/json.hpp"
#include "text/ngrams.hpp"
#include "text/tokenizer_learner.hpp"

using namespace headwater;

namespace {

fs::path reference_folder() {
  const char* other = std::getenv("HEADWATER_REFERENCE");
  return other != nullptr && *other != '\0' ? fs::path(other)
                                            : fs::path(HEADWATER_SOURCE_DIR) / "tests/golden/reference";
}

struct Case {
  StandardizeSettings standardize;
  SplitKind split = SplitKind::word;
  std::size_t ngrams = 1;
  std::size_t length = 0;  // 0: the longest of the texts
  std::vector<std::string> vocabulary;
  std::vector<std::vector<std::int32_t>> outputs;
};

Case read_case(const Json& json) {
  Case c;
  const Json& standardize = json.at("standardize");
  c.standardize.standardize =
      standardize.is_null() ? Standardization::none : parse_standardization(standardize.as_string());
  c.split = json.at("split").as_string() == "character" ? SplitKind::character : SplitKind::word;
  if (!json.at("ngrams").is_null()) c.ngrams = json.at("ngrams").as_unsigned();
  if (!json.at("output_sequence_length").is_null())
    c.length = json.at("output_sequence_length").as_unsigned();
  for (const Json& term : json.at("vocabulary").as_array()) c.vocabulary.push_back(term.as_string());
  for (const Json& row : json.at("outputs").as_array()) {
    auto& ids = c.outputs.emplace_back();
    for (const Json& id : row.as_array()) ids.push_back(static_cast<std::int32_t>(id.as_integer()));
  }
  return c;
}

std::vector<std::string> terms_of(const std::string& text, const Case& c) {
  const ByteMap map =
      byte_map(c.standardize, c.split == SplitKind::word ? WhiteSpace::separates : WhiteSpace::kept);
  std::vector<std::string> tokens;
  std::string scratch;
  const auto keep = [&](std::string_view token) { tokens.emplace_back(token); };
  if (c.split == SplitKind::word) {
    for_each_word(text, map, scratch, keep);
  } else {
    for_each_character(text, map, keep);
  }
  return ngrams(tokens, c.ngrams);
}

}  // namespace

TEST_CASE("text vectorization, integer mode: the framework's vocabularies and ids") {
  const fs::path path = reference_folder() / "keras/text-vectorization.json";
  const Json file = Json::parse(read_file(path), path.string());
  std::vector<std::string> texts;
  for (const Json& text : file.at("texts").as_array()) texts.push_back(text.as_string());
  int cases = 0;
  for (const Json& json : file.at("cases").as_array()) {
    if (json.at("output_mode").as_string() != "int") continue;
    const Case c = read_case(json);
    INFO("standardize ", std::string(name_of(c.standardize.standardize)), ", ngrams ", c.ngrams, ", length ",
         c.length);
    ++cases;

    WordTable counts;
    std::vector<std::vector<std::string>> terms;
    for (const std::string& text : texts) {
      terms.push_back(terms_of(text, c));
      for (const std::string& term : terms.back()) ++counts.value(term);
    }
    std::vector<std::string> vocabulary = {"", "[UNK]"};
    WordTable ids;
    for (const WordTable::Entry& entry : most_frequent(counts, c.vocabulary.size() - 2)) {
      ids.value(entry.word()) = vocabulary.size();
      vocabulary.emplace_back(entry.word());
    }
    CHECK(vocabulary == c.vocabulary);

    std::size_t length = c.length;
    if (length == 0) {
      for (const auto& row : terms) length = std::max(length, row.size());
    }
    std::vector<std::vector<std::int32_t>> outputs;
    for (const auto& row : terms) {
      auto& output = outputs.emplace_back();
      for (const std::string& term : row) {
        const WordTable::Entry* entry = ids.find(term);
        output.push_back(entry == nullptr ? 1 : static_cast<std::int32_t>(entry->value));
      }
      output.resize(length, 0);
    }
    CHECK(outputs == c.outputs);

    // The tokenizer that users learn gives the same, its [PAD] standing for the empty term.
    if (c.ngrams == 1) {
      TokenizerLearner learner({.split = c.split,
                                .size = static_cast<std::int64_t>(c.vocabulary.size()),
                                .standardize = c.standardize});
      for (const std::string& text : texts) learner.add(text);
      const Tokenizer tokenizer = learner.finish();
      REQUIRE(tokenizer.vocabulary_size() == static_cast<std::int32_t>(c.vocabulary.size()));
      for (std::int32_t id = 2; id < tokenizer.vocabulary_size(); ++id) {
        CHECK(tokenizer.surface(id) == c.vocabulary[static_cast<std::size_t>(id)]);
      }
      for (std::size_t i = 0; i < texts.size(); ++i) {
        std::vector<std::int32_t> encoded = tokenizer.encode(texts[i]);
        encoded.resize(length, 0);
        CHECK(encoded == c.outputs[i]);
      }
    }
  }
  CHECK(cases > 0);
}
