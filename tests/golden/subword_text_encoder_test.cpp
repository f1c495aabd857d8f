// The encoder of tensorflow-datasets: reference/tokenizers/subword-text-encoder.*.
#include "text/models/subword_text_encoder.hpp"

#include <doctest/doctest.h>

#include "ids_of_tokens.hpp"
#include "reference_folder.hpp"
#include "text/learning/subword_text_encoder_learner.hpp"
#include "text/tokenizer/tokenizer.hpp"

using namespace headwater;

namespace {

Json expected_encodings() {
  const fs::path path = reference_path("tokenizers/subword-text-encoder.expected.json");
  return Json::parse(read_file(path), path.string());
}

}  // namespace

TEST_CASE("SubwordTextEncoder: the reference's ids and texts, none lost") {
  const Tokenizer tokenizer = Tokenizer::load(reference_path("tokenizers/subword-text-encoder.subwords"));
  const Json expected = expected_encodings();
  const std::int64_t size = expected.at("vocab_size").as_integer();
  CHECK(tokenizer.vocabulary_size() == size + 2);
  CHECK(tokenizer.pad_id() == 0);
  CHECK(tokenizer.start_id() == size);
  CHECK(tokenizer.end_id() == size + 1);
  REQUIRE(!expected.at("cases").as_array().empty());
  for (const Json& line : expected.at("cases").as_array()) {
    const std::string& text = line.at("text").as_string();
    INFO(text);
    std::vector<std::int32_t> ids;
    for (const Json& id : line.at("ids").as_array())
      ids.push_back(static_cast<std::int32_t>(id.as_integer()));
    CHECK(tokenizer.encode(text) == ids);
    CHECK(ids_of_tokens(tokenizer, tokenizer.tokens(text)) == ids);
    CHECK(tokenizer.decode(ids) == line.at("decoded").as_string());
    CHECK(tokenizer.decode(ids) == text);
  }
}

TEST_CASE("SubwordTextEncoder: the reference's file from its corpus") {
  const Json expected = expected_encodings();
  WordTable counts;
  for (const Json& line : expected.at("corpus_lines").as_array())
    count_subword_words(line.as_string(), counts);
  const std::vector<std::string> subwords =
      learn_subword_text_encoder(counts, expected.at("target_vocab_size").as_integer());
  CHECK(subwords_file(subwords) == read_file(reference_path("tokenizers/subword-text-encoder.subwords")));
}
