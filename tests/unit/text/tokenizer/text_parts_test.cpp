// The parts of tokenizer.json one by one. Expected results are those of Hugging Face's tokenizers 0.22.
#include <doctest/doctest.h>

#include "support/error.hpp"
#include "support/json.hpp"
#include "text/tokenizer/added_tokens.hpp"
#include "text/tokenizer/decoder.hpp"
#include "text/tokenizer/normalizer.hpp"
#include "text/tokenizer/post_processor.hpp"
#include "text/tokenizer/pre_tokenizer.hpp"
#include "text/unicode/byte_level.hpp"

using namespace headwater;

namespace {

using Words = std::vector<std::string>;

std::string normalized(const char* part, std::string_view text) {
  return Normalizer(Json::parse(part, "part"), "n").apply(text);
}

Words pieces_of(const PreTokenizer& pre_tokenizer, std::string_view text, bool begins_text = true) {
  const TextPieces pieces = pre_tokenizer.split(text, begins_text);
  Words words;
  for (std::size_t i = 0; i < pieces.spans.size(); ++i) words.emplace_back(pieces.piece(i));
  return words;
}

Words pieces_of(const std::string& part, std::string_view text, bool begins_text = true) {
  return pieces_of(PreTokenizer(Json::parse(part, "part"), "p"), text, begins_text);
}

std::string decoded(const char* part, Words tokens) {
  return TokenDecoder(Json::parse(part, "part"), "d").apply(std::move(tokens));
}

template <class Work>
std::string message_from(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

using Ids = std::vector<std::int32_t>;

}  // namespace

TEST_CASE("pieces one by one are those of split(), and what their use throws is passed on as it is") {
  const PreTokenizer two(
      Json::parse(
          R"({"type":"Sequence","pretokenizers":[{"type":"Digits"},{"type":"Metaspace","replacement":"_"}]})",
          "part"),
      "p");
  const std::string text = "a1 b__c 23 ";
  const TextPieces wanted = two.split(text);
  Words words;
  two.for_each_piece(text, true, [&](std::string_view piece) { words.emplace_back(piece); });
  REQUIRE(words.size() == wanted.spans.size());
  for (std::size_t i = 0; i < words.size(); ++i) CHECK(words[i] == wanted.piece(i));
  CHECK(message_from([&] {
          two.for_each_piece(text, true, [](std::string_view) { throw Error("of the model"); });
        }) == "of the model");
}

TEST_CASE("normalizers of subword files") {
  const char* bert =
      R"({"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,"strip_accents":null,"lowercase":true})";
  CHECK(normalized(bert, "H\u00E9llo\tW\u00D6RLD\u200B\u4E2D\u0001x\u00A0") == "hello world \u4E2D x ");
  CHECK(normalized(R"({"type":"BertNormalizer","lowercase":false})", "H\u00E9") == "H\u00E9");
  CHECK(normalized(R"({"type":"BertNormalizer","lowercase":false,"strip_accents":true})", "H\u00E9") == "He");
  CHECK(normalized(R"({"type":"StripAccents"})", "e\u0301\u0903x") == "ex");
  CHECK(normalized(R"({"type":"Nmt"})", "a\u0001b\u200Bc\td\u2581e") == "ab c d e");
  CHECK(normalized(R"({"type":"ByteLevel"})", " \u00E9\n") == "\u0120\u00C3\u00A9\u010A");
}

TEST_CASE("pre-tokenizers of subword files") {
  CHECK(pieces_of(R"({"type":"BertPreTokenizer"})", "a-b  \u201Cc\u201D $1") ==
        Words{"a", "-", "b", "\u201C", "c", "\u201D", "$", "1"});
  const std::string level = R"({"type":"ByteLevel","trim_offsets":true,"add_prefix_space":)";
  CHECK(pieces_of(level + "false}", "Hi  you'll \u00E9 12") ==
        Words{"Hi", "\u0120", "\u0120you", "'ll", "\u0120\u00C3\u00A9", "\u012012"});
  CHECK(pieces_of(level + "true}", "Hi") == Words{"\u0120Hi"});
  CHECK(pieces_of(level + "true,\"use_regex\":false}", "a b") == Words{"\u0120a\u0120b"});
  CHECK(pieces_of(R"({"type":"CharDelimiterSplit","delimiter":"-"})", "a--b-") == Words{"a", "b"});
  CHECK(pieces_of(R"({"type":"Digits","individual_digits":true})", "a12b") == Words{"a", "1", "2", "b"});
  CHECK(pieces_of(R"({"type":"Digits","individual_digits":false})", "a12b") == Words{"a", "12", "b"});
  CHECK(pieces_of(R"({"type":"Punctuation","behavior":"Contiguous"})", "a?!b") == Words{"a", "?!", "b"});
  CHECK(pieces_of(R"({"type":"FixedLength","length":2})", "a\u00E9b") == Words{"a\u00E9", "b"});
}

TEST_CASE("Metaspace: where the mark is put, and the old name of that member") {
  const auto metaspace = [](const std::string& more, std::string_view text, bool begins = true) {
    return pieces_of(R"({"type":"Metaspace","replacement":"\u2581")" + more + "}", text, begins);
  };
  CHECK(metaspace("", "a  b") == Words{"\u2581a", "\u2581", "\u2581b"});
  CHECK(metaspace(R"(,"prepend_scheme":"never")", "a b") == Words{"a", "\u2581b"});
  CHECK(metaspace(R"(,"add_prefix_space":false)", "a b") == Words{"a", "\u2581b"});
  CHECK(metaspace(R"(,"prepend_scheme":"first")", "a b") == Words{"\u2581a", "\u2581b"});
  CHECK(metaspace(R"(,"prepend_scheme":"first")", "a b", false) == Words{"a", "\u2581b"});
  CHECK(metaspace(R"(,"split":false)", "a b") == Words{"\u2581a\u2581b"});
  CHECK(metaspace("", " a") == Words{"\u2581a"});
  const std::string sequence =
      R"({"type":"Sequence","pretokenizers":[{"type":"WhitespaceSplit"},{"type":"Metaspace","replacement":"_","prepend_scheme":"first"}]})";
  CHECK(pieces_of(sequence, "a b") == Words{"_a", "b"});
  CHECK(pieces_of(sequence, " a b") == Words{"a", "b"});
  CHECK(message_from([&] { metaspace(R"(,"prepend_scheme":"often")", "a"); }) ==
        "p.prepend_scheme: unknown value \"often\" (always, never, first)");
  CHECK(message_from([&] { metaspace(R"(,"prepend_scheme":"first","add_prefix_space":false)", "a"); }) ==
        "p: add_prefix_space is false and prepend_scheme is not \"never\"");
}

TEST_CASE("the pieces of GPT-2's expression are those of the expression") {
  const PreTokenizer by_expression(
      Json::parse(
          R"j({"type":"Split","behavior":"Isolated","invert":false,"pattern":{"Regex":"'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"}})j",
          "part"),
      "p");
  std::uint32_t state = 1;
  const std::string_view alphabet[] = {" ",  "a",      "'",      "s",      "ll",     "1",          ".",
                                       "\n", "\u00A0", "\u00E9", "\u4E2D", "\u3000", "\U0001F600", "\u0301"};
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    for (int k = 0; k < i % 17; ++k) {
      state = state * 1664525u + 1013904223u;
      text += alphabet[(state >> 16) % std::size(alphabet)];
    }
    Words by_hand;
    for_each_byte_level_piece(text, [&](std::string_view piece) { by_hand.emplace_back(piece); });
    CHECK(by_hand == pieces_of(by_expression, text));
  }
}

TEST_CASE("decoders of subword files") {
  CHECK(decoded(R"({"type":"BPEDecoder","suffix":"</w>"})", {"a", "b</w>", "c</w>"}) == "ab c");
  CHECK(decoded(R"({"type":"WordPiece","prefix":"##","cleanup":true})",
                {"do", "##n", "'", "t", ".", "##x"}) == "don ' t.x");
  CHECK(decoded(R"({"type":"WordPiece","prefix":"##","cleanup":false})", {"a", "."}) == "a .");
  CHECK(decoded(R"({"type":"Metaspace","replacement":"\u2581"})", {"\u2581a", "\u2581b", "c"}) == "a bc");
  CHECK(decoded(R"({"type":"Metaspace","replacement":"\u2581","prepend_scheme":"never"})", {"\u2581a"}) ==
        " a");
  CHECK(decoded(R"({"type":"ByteLevel"})", {"\u0120a", "\u00C3", "\u00A9", "\u00C3"}) == " a\u00E9\uFFFD");
  CHECK(decoded(R"({"type":"ByteLevel"})", {"\u00F0\u0141\u013A"}) == "\uFFFD");
  CHECK(decoded(R"({"type":"ByteFallback"})", {"<0xC3>", "<0xA9>", "x", "<0xff>"}) == "\u00E9x\uFFFD");
  CHECK(decoded(R"({"type":"CTC","pad_token":"<pad>","word_delimiter_token":"|","cleanup":true})",
                {"a", "a", "<pad>", "a", "|", "b"}) == "aa b");
  CHECK(decoded(R"({"type":"Strip","content":"_","start":1,"stop":2})", {"__a___", "_"}) == "_a_");
  CHECK(
      decoded(
          R"({"type":"Sequence","decoders":[{"type":"Replace","pattern":{"String":"_"},"content":" "},{"type":"Fuse"},{"type":"Strip","content":" ","start":1,"stop":0}]})",
          {"_a", "_b"}) == "a b");
  const std::string grown = message_from([] {
    decoded(
        R"({"type":"Replace","pattern":{"String":"a"},"content":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"})",
        Words(1000, "aa"));
  });
  CHECK(grown.starts_with("d: the line grows beyond"));
}

TEST_CASE("special tokens around a text and around a pair of texts") {
  const Words surfaces = {"[PAD]", "[CLS]", "[SEP]", "a"};
  const auto processor = [&](const char* part) {
    return PostProcessor(Json::parse(part, "part"), surfaces, "post");
  };
  const Ids first = {3, 3}, second = {3};
  const PostProcessor bert = processor(R"({"type":"BertProcessing","sep":["[SEP]",2],"cls":["[CLS]",1]})");
  CHECK(bert.apply(first) == Ids{1, 3, 3, 2});
  CHECK(bert.apply(first, second) == Ids{1, 3, 3, 2, 3, 2});
  const PostProcessor roberta = processor(
      R"({"type":"RobertaProcessing","sep":["[SEP]",2],"cls":["[CLS]",1],"trim_offsets":true,"add_prefix_space":false})");
  CHECK(roberta.apply(first, second) == Ids{1, 3, 3, 2, 2, 3, 2});
  const PostProcessor both = processor(
      R"({"type":"Sequence","processors":[{"type":"ByteLevel"},{"type":"TemplateProcessing",
          "single":[{"Sequence":{"id":"A","type_id":0}},{"SpecialToken":{"id":"end","type_id":0}}],
          "pair":[{"Sequence":{"id":"B","type_id":0}},{"Sequence":{"id":"A","type_id":0}}],
          "special_tokens":{"end":{"id":"end","ids":[2,0],"tokens":["[SEP]","[PAD]"]}}}]})");
  CHECK(both.apply(first) == Ids{3, 3, 2, 0});
  CHECK(both.apply(second, first) == Ids{3, 3, 3});
  CHECK(PostProcessor().apply(first, second) == Ids{3, 3, 3});
  CHECK(message_from([&] {
          processor(R"({"type":"BertProcessing","sep":["[SEP]",1],"cls":["[CLS]",1]})");
        }) == "post.sep: the id of \"[SEP]\" does not agree with the vocabulary");
  CHECK(
      message_from([&] {
        processor(
            R"({"type":"Sequence","processors":[{"type":"BertProcessing","sep":["[SEP]",2],"cls":["[CLS]",1]},{"type":"BertProcessing"}]})");
      }).starts_with("post.processors[1]: a second part"));
}

TEST_CASE("added tokens in a text: the longest first, whole words, and white space beside them") {
  const AddedTokens tokens({{"ab", 1, false, false, false},
                            {"abc", 2, false, false, false},
                            {"<x>", 3, false, true, true},
                            {"dog", 4, true, false, false}});
  const auto split = [&](std::string_view text) {
    std::string shown;
    for (const AddedPart& part : tokens.split(text))
      shown += "(" + std::string(part.text) + (part.id < 0 ? "" : "=" + std::to_string(part.id)) + ")";
    return shown;
  };
  CHECK(split("zabcab") == "(z)(abc=2)(ab=1)");
  CHECK(split("a  <x> \u00A0b") == "(a)(  <x> \u00A0=3)(b)");
  CHECK(split("<x> <x>") == "(<x> =3)(<x>=3)");
  CHECK(split("hotdog dog dogs dog") == "(hotdog )(dog=4)( dogs )(dog=4)");
  CHECK(split("").empty());
  CHECK(AddedTokens().split("a").size() == 1);
}
