// All modes of the framework's text layer: vocabularies and outputs of
// reference/keras/text-vectorization.json.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "data/ngram_vocabulary_learner.hpp"
#include "support/files.hpp"
#include "support/json.hpp"
#include "text/learning/tokenizer_learner.hpp"

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
  std::string mode;
  std::int64_t ngrams = 1;
  std::size_t length = 0;  // of integer mode; 0: the longest of the texts
  std::vector<std::string> vocabulary;
  std::vector<std::vector<double>> outputs;
};

Case read_case(const Json& json) {
  Case c;
  const Json& standardize = json.at("standardize");
  c.standardize.standardize =
      standardize.is_null() ? Standardization::none : parse_standardization(standardize.as_string());
  c.split = json.at("split").as_string() == "character" ? SplitKind::character : SplitKind::word;
  c.mode = json.at("output_mode").as_string();
  if (!json.at("ngrams").is_null()) c.ngrams = json.at("ngrams").as_integer();
  if (!json.at("output_sequence_length").is_null())
    c.length = json.at("output_sequence_length").as_unsigned();
  for (const Json& term : json.at("vocabulary").as_array()) c.vocabulary.push_back(term.as_string());
  for (const Json& row : json.at("outputs").as_array()) {
    auto& numbers = c.outputs.emplace_back();
    for (const Json& number : row.as_array()) numbers.push_back(number.as_number());
  }
  return c;
}

TokenRow row_of(const std::string& text, const Case& c) {
  const ByteMap map =
      byte_map(c.standardize, c.split == SplitKind::word ? WhiteSpace::separates : WhiteSpace::kept);
  TokenRow row;
  std::string scratch;
  const auto keep = [&](std::string_view token) { row.add(token); };
  if (c.split == SplitKind::word) {
    for_each_word(text, map, scratch, keep);
  } else {
    for_each_character(text, map, keep);
  }
  return row;
}

std::string line_of(const TokenRow& row) {
  return row.size() == 0 ? "" : std::string(row.ngram(0, row.size()));
}

// The tokenizer that users learn has the framework's vocabulary, its [PAD] standing for the empty term, and
// gives its ids.
void check_tokenizer(const Case& c, const std::vector<std::string>& texts) {
  TokenizerLearner learner({.split = c.split,
                            .size = static_cast<std::int64_t>(c.vocabulary.size()),
                            .standardize = c.standardize});
  for (const std::string& text : texts) learner.add(text);
  const Tokenizer tokenizer = learner.finish();
  REQUIRE(tokenizer.vocabulary_size() == static_cast<std::int32_t>(c.vocabulary.size()));
  for (std::int32_t id = 2; id < tokenizer.vocabulary_size(); ++id) {
    CHECK(tokenizer.surface(id) == c.vocabulary[id]);
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::vector<std::int32_t> encoded = tokenizer.encode(texts[i]);
    std::vector<double> row(encoded.begin(), encoded.end());
    row.resize(c.outputs[i].size(), 0);
    CHECK(row == c.outputs[i]);
  }
}

}  // namespace

TEST_CASE("text vectorization: the framework's vocabularies and outputs in all modes") {
  const fs::path path = reference_folder() / "keras/text-vectorization.json";
  const Json file = Json::parse(read_file(path), path.string());
  std::vector<std::string> texts;
  for (const Json& text : file.at("texts").as_array()) texts.push_back(text.as_string());
  int cases = 0;
  for (const Json& json : file.at("cases").as_array()) {
    const Case c = read_case(json);
    INFO("standardize ", std::string(name_of(c.standardize.standardize)), ", mode ", c.mode, ", ngrams ",
         c.ngrams, ", length ", c.length);
    ++cases;
    const bool is_integer = c.mode == "int";
    const std::size_t special = is_integer ? 2 : 1;  // integer mode has '' before [UNK]

    NgramVocabularyLearner learner({.ngrams = c.ngrams},
                                   static_cast<std::int64_t>(c.vocabulary.size() - special) + 1);
    for (const std::string& text : texts) learner.add(line_of(row_of(text, c)));
    const NgramVocabulary table = learner.finish();
    std::vector<std::string> vocabulary;
    if (is_integer) vocabulary.emplace_back();
    vocabulary.emplace_back("[UNK]");
    for (std::int32_t id = 1; id < table.size(); ++id)
      vocabulary.push_back(plain_ngram(table.term(id).ngram));
    CHECK(vocabulary == c.vocabulary);

    REQUIRE(c.outputs.size() == texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
      INFO("text ", i);
      const TokenRow row = row_of(texts[i], c);
      std::vector<double> output(is_integer ? 0 : c.vocabulary.size(), 0);
      if (is_integer) {
        for_each_ngram(row, c.ngrams,
                       [&](std::string_view ngram) { output.push_back(table.find(ngram) + 1); });
        output.resize(c.outputs[i].size(), 0);
      } else {
        const TermOutput mode = c.mode == "multi_hot" ? TermOutput::multi_hot
                                : c.mode == "count"   ? TermOutput::count
                                                      : TermOutput::tf_idf;
        std::vector<TermValue> values;
        table.values(row, mode, values);
        for (const TermValue& v : values) output.at(v.term) = static_cast<double>(v.value);
      }
      if (c.mode != "tf_idf") {
        CHECK(output == c.outputs[i]);
        continue;
      }
      REQUIRE(output.size() == c.outputs[i].size());
      for (std::size_t id = 0; id < output.size(); ++id) {  // the reference's numbers have six decimals
        CHECK(std::abs(output[id] - c.outputs[i][id]) <= 1e-6 * std::max(1.0, c.outputs[i][id]));
      }
    }
    if (is_integer && c.ngrams == 1) check_tokenizer(c, texts);
  }
  CHECK(cases > 0);
}
