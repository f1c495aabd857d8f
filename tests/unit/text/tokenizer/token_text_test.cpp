// Tokens for readers: Tokenizer::token_text() and token_label().
#include "text/tokenizer/token_text.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "text/learning/tokenizer_learner.hpp"
#include "text/tokenizer/tokenizer.hpp"
#include "unit/text/formats/model_file.hpp"

using namespace headwater;

namespace headwater {
namespace {

Tokenizer with_decoder(const std::string& decoder) {
  return Tokenizer::parse(
      R"({"version":"1.0","added_tokens":[],"normalizer":null,"pre_tokenizer":null,"post_processor":null,"decoder":)" +
          decoder + R"(,"model":{"type":"BPE","unk_token":null,"vocab":{"a":0},"merges":[]}})",
      "t.json");
}

}  // namespace

TEST_CASE("byte-level tokens are their characters; bytes are shown of parts of one alone") {
  const Tokenizer tokenizer = with_decoder(R"({"type":"ByteLevel"})");
  CHECK(tokenizer.token_text("ĠgeÃ¶ffnet") == " geöffnet");
  CHECK(tokenizer.token_label("ĠgeÃ¶ffnet") == "▁geöffnet");
  CHECK(tokenizer.token_text("Ã") == "<0xC3>");
  CHECK(tokenizer.token_label("Ġä¸") == "▁<0xE4><0xB8>");
  CHECK(tokenizer.token_text("aÃ") == "a<0xC3>");
  CHECK(tokenizer.token_text("Ċ") == "\n");
  CHECK(tokenizer.token_label("ĉĊ") == R"(\t\n)");
  CHECK(tokenizer.token_label("Ġ") == "▁");
  CHECK(tokenizer.token_text("<|endoftext|>") == "<|endoftext|>");
  CHECK(tokenizer.token_text("中 文") == "中 文");  // an added token
}

TEST_CASE("marks of other layouts are undone in text, and stay in labels") {
  const Tokenizer metaspace =
      with_decoder(R"({"type":"Metaspace","replacement":"▁","prepend_scheme":"always"})");
  CHECK(metaspace.token_text("▁geöffnet") == " geöffnet");
  CHECK(metaspace.token_label("▁geöffnet") == "▁geöffnet");
  const Tokenizer llama = with_decoder(
      R"({"type":"Sequence","decoders":[{"type":"Replace","pattern":{"String":"▁"},"content":" "},{"type":"ByteFallback"},{"type":"Fuse"},{"type":"Strip","content":" ","start":1,"stop":0}]})");
  CHECK(llama.token_text("▁a") == " a");
  CHECK(llama.token_text("<0x0A>") == "\n");
  CHECK(llama.token_text("<0xC3>") == "<0xC3>");
  CHECK(llama.token_label("<0x0A>") == R"(\n)");
  CHECK(llama.token_label("<0x41>") == "A");
  CHECK(llama.token_label("<0xC3>") == "<0xC3>");
  CHECK(llama.token_label("▁a") == "▁a");
  const Tokenizer bert = with_decoder(R"({"type":"WordPiece","prefix":"##","cleanup":true})");
  CHECK(bert.token_text("##se") == "se");
  CHECK(bert.token_label("##se") == "##se");
  CHECK(bert.token_text("hou") == "hou");
  const Tokenizer suffix = with_decoder(R"({"type":"BPEDecoder","suffix":"</w>"})");
  CHECK(suffix.token_text("house</w>") == "house ");
  CHECK(suffix.token_label("house</w>") == "house</w>");
}

TEST_CASE("pieces of a .model, and words of our own") {
  std::string bytes = piece_field("<unk>", 0, PieceType::unknown) + piece_field("▁a", -1);
  const Tokenizer plain = Tokenizer::parse(bytes + block_field(2, number_field(3, 1)), "m.model");
  CHECK(plain.token_text("▁a▁b") == " a b");
  CHECK(plain.token_text("<0x41>") == "<0x41>");
  CHECK(plain.token_label("▁a") == "▁a");
  TokenizerLearner learner(
      {.split = SplitKind::word_and_punctuation, .standardize = {.standardize = Standardization::none}});
  learner.add("Two red houses");
  const Tokenizer words = learner.finish();
  CHECK(words.token_text(" Two") == " Two");
  CHECK(words.token_label(" Two") == "▁Two");
  CHECK(words.token_label(R"(a\b▁)") == R"(a\b▁)");
  CHECK(words.token_text("[START]") == "[START]");
}

TEST_CASE("a label holds no control character") {
  CHECK(one_line("a b\t\n\v\f\r\x1B\x7F") == R"(a▁b\t\n\v\f\r<0x1B><0x7F>)");
  CHECK(text_of_byte_piece("<0x41>") == "A");
  CHECK(text_of_byte_piece("<0x80>") == "<0x80>");
  CHECK(text_of_byte_piece("<0x4g>") == "<0x4g>");
}

}  // namespace headwater

// The word of each token, whatever a tokenizer makes of words.
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
