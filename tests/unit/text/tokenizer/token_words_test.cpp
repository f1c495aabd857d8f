// The word of each token, whatever a tokenizer makes of words.
#include "text/tokenizer/token_text.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "text/tokenizer/tokenizer.hpp"

using namespace headwater;

namespace {

Tokenizer with(const std::string& normalizer, const std::string& pre_tokenizer, const std::string& model) {
  return Tokenizer::parse(R"({"version":"1.0","added_tokens":[],"normalizer":)" + normalizer +
                              R"(,"pre_tokenizer":)" + pre_tokenizer +
                              R"(,"post_processor":null,"decoder":null,"model":)" + model + "}",
                          "t.json");
}

std::string words(const Tokenizer& tokenizer, std::string_view text, std::size_t most = 100) {
  const std::vector<std::int32_t> found = words_of_tokens(tokenizer, text, most);
  CHECK(found.size() == std::min(most, tokenizer.encode(text).size()));
  std::string result;
  for (const std::int32_t word : found) result += (result.empty() ? "" : " ") + std::to_string(word);
  return result;
}

}  // namespace

TEST_CASE("punctuation is of the word that it stands at, unknown words are words") {
  const Tokenizer tokenizer =
      with("null", R"({"type":"Whitespace"})",
           R"({"type":"WordLevel","unk_token":"u","vocab":{"u":0,"the":1,"house":2,".":3,"-":4}})");
  CHECK(words(tokenizer, "the red house.") == "0 1 2 2");
  CHECK(words(tokenizer, "  the\t - house - . ") == "0 1 2 3 4");
  CHECK(words(tokenizer, "") == "");
  CHECK(words(tokenizer, " \t ") == "");
  CHECK(words(tokenizer, "the red house.", 3) == "0 1 2");
  CHECK(words(tokenizer, "the red house.", 0) == "");
}

TEST_CASE("pieces of words, words that a normalizer takes away, and spaces that are tokens") {
  const Tokenizer pieces = with(
      R"({"type":"Replace","pattern":{"String":"-"},"content":""})", R"({"type":"WhitespaceSplit"})",
      R"({"type":"WordPiece","unk_token":"u","continuing_subword_prefix":"##","max_input_chars_per_word":100,)"
      R"("vocab":{"u":0,"a":1,"##b":2,"##c":3}})");
  CHECK(words(pieces, "abc - ab a") == "0 0 0 2 2 3");
  // A space belongs to the word after it, at the end of the text to the last.
  const Tokenizer characters =
      with("null", R"({"type":"Split","pattern":{"Regex":""},"behavior":"Isolated","invert":false})",
           R"({"type":"WordLevel","unk_token":"u","vocab":{"u":0}})");
  CHECK(words(characters, "ab c ") == "0 0 1 1 1");
}
