// Tokenizers against Hugging Face's library (reference/tokenizers; another folder of the same layout through
// HEADWATER_REFERENCE).
#include <doctest/doctest.h>

#include <string>

#include "ids_of_tokens.hpp"
#include "reference_folder.hpp"
#include "text/tokenizer/tokenizer.hpp"

using namespace headwater;

namespace {

std::vector<std::int32_t> ids_of(const Json& list) {
  std::vector<std::int32_t> ids;
  for (const Json& id : list.as_array()) ids.push_back(static_cast<std::int32_t>(id.as_integer()));
  return ids;
}

// Ids with the special tokens around them, tokens and decoded text of every line.
void check_agreement(const std::string& name) {
  CAPTURE(name);
  const fs::path folder = reference_path("tokenizers");
  const Tokenizer tokenizer = Tokenizer::load(folder / (name + ".tokenizer.json"));
  CHECK(tokenizer.warnings().empty());
  const fs::path path = folder / (name + ".expected.json");
  const Json expected = Json::parse(read_file(path), path.string());
  REQUIRE(expected.as_array().size() > 0);
  for (const Json& line : expected.as_array()) {
    const std::string& text = line.at("text").as_string();
    CAPTURE(text);
    const std::vector<std::int32_t> ids = tokenizer.encode(text);
    CHECK(tokenizer.with_special_tokens(ids) == ids_of(line.at("ids")));
    CHECK(tokenizer.decode(tokenizer.with_special_tokens(ids), UnknownTokens::skipped) ==
          line.at("decoded").as_string());
    if (tokenizer.unknown_id() >= 0) CHECK(ids_of_tokens(tokenizer, tokenizer.tokens(text)) == ids);
  }
}

}  // namespace

TEST_CASE("WordLevel: ids and text of a foreign file") { check_agreement("wordlevel"); }
TEST_CASE("byte-level BPE: ids and text of a foreign file") { check_agreement("bpe-bytelevel"); }
TEST_CASE("BPE with U+2581 for spaces: ids and text of a foreign file") { check_agreement("bpe-metaspace"); }
TEST_CASE("BPE with </w>: ids and text of a foreign file") { check_agreement("bpe-suffix"); }
TEST_CASE("WordPiece: ids and text of a foreign file") { check_agreement("wordpiece"); }
TEST_CASE("Unigram: ids and text of a foreign file") { check_agreement("unigram"); }
