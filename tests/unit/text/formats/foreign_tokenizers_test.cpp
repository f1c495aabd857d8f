#include "text/formats/foreign_tokenizers.hpp"  // IWYU pragma: keep

#include <doctest/doctest.h>

#include "scratch_directory.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "text/tokenizer/tokenizer.hpp"

using namespace headwater;

namespace {

using Surfaces = std::vector<std::string>;
using TokenIds = std::vector<std::int32_t>;

constexpr const char* kVocabTxt = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nhello\nwor\n##ld\n,\nH\u00E9\n";
constexpr const char* kVocabJson =
    R"({"a":0,"b":1,"\u0120":2,"ab":3,"\u0120ab":4,"\u00C3":5,"\u00A9":6,"<|endoftext|>":7})";
constexpr const char* kMerges = "#version: 0.2\na b\n\u0120 ab\n";

std::string message_of_load(const fs::path& path) {
  try {
    Tokenizer::load(path);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

void write_all(const fs::path& folder, std::initializer_list<std::pair<const char*, const char*>> files) {
  for (const auto& [name, text] : files) write_file(folder / name, text);
}

}  // namespace

TEST_CASE("vocab.txt is read as BERT reads it, as a file or in its directory") {
  const ScratchDirectory scratch;
  write_all(scratch.path(), {{"vocab.txt", kVocabTxt}});
  for (const fs::path& path : {scratch.path(), scratch.path() / "vocab.txt"}) {
    const Tokenizer tokenizer = Tokenizer::load(path);
    CHECK(tokenizer.tokens("H\u00E9llo, World!") == Surfaces{"hello", ",", "wor", "##ld", "!"});
    CHECK(tokenizer.encode("Hello, World!") == TokenIds{4, 7, 5, 6, 1});
    CHECK(tokenizer.with_special_tokens(TokenIds{4}) == TokenIds{2, 4, 3});
    CHECK(tokenizer.decode(TokenIds{2, 4, 7, 5, 6, 3}) == "hello, world");
    CHECK(tokenizer.pad_id() == 0);
    CHECK(tokenizer.unknown_id() == 1);
    CHECK(tokenizer.start_id() == 2);
    CHECK(tokenizer.end_id() == 3);
    // What it became is a tokenizer.json.
    CHECK(Tokenizer::parse(tokenizer.to_json(), "again").encode("Hello, World!") == TokenIds{4, 7, 5, 6, 1});
  }
}

TEST_CASE("tokenizer_config.json says whether vocab.txt is of cased text, and which tokens have a role") {
  const ScratchDirectory scratch;
  write_all(scratch.path(),
            {{"vocab.txt", kVocabTxt},
             {"tokenizer_config.json", R"({"do_lower_case":false,"pad_token":{"content":"[SEP]"}})"},
             {"special_tokens_map.json", R"({"cls_token":"[PAD]"})"}});
  const Tokenizer tokenizer = Tokenizer::load(scratch.path());
  CHECK(tokenizer.encode("H\u00E9 hello Hello") == TokenIds{8, 4, 1});
  CHECK(tokenizer.pad_id() == 3);
  CHECK(tokenizer.start_id() == 0);
}

TEST_CASE("vocab.json and merges.txt are byte-level BPE") {
  const ScratchDirectory scratch;
  write_all(scratch.path(), {{"vocab.json", kVocabJson}, {"merges.txt", kMerges}});
  for (const fs::path& path :
       {scratch.path(), scratch.path() / "vocab.json", scratch.path() / "merges.txt"}) {
    const Tokenizer tokenizer = Tokenizer::load(path);
    CHECK(tokenizer.encode("ab ab \u00E9") == TokenIds{3, 4, 2, 5, 6});
    CHECK(tokenizer.tokens("ab ab") == Surfaces{"ab", "\u0120ab"});
    CHECK(tokenizer.decode(TokenIds{3, 4, 2, 5, 6, 7}) == "ab ab \u00E9");
    CHECK(tokenizer.encode("<|endoftext|>") == TokenIds{});  // never from text; these bytes are in no token
    CHECK(tokenizer.start_id() == 7);
    CHECK(tokenizer.end_id() == 7);
    CHECK(tokenizer.unknown_id() == -1);
    CHECK_THROWS_AS(tokenizer.id_of_token("zz"), Error);
  }
}

TEST_CASE("foreign files with faults: one line that names the place") {
  const ScratchDirectory scratch;
  const fs::path folder = scratch.path();
  CHECK(message_of_load(folder).ends_with(
      "not a regular file (it is a directory)"));  // none of the files is in it
  const auto vocab_txt = [&](const char* text) {
    write_file(folder / "vocab.txt", text);
    return message_of_load(folder / "vocab.txt");
  };
  CHECK(vocab_txt("").ends_with("vocab.txt: no line \"[UNK]\", which every vocab.txt of BERT has"));
  CHECK(vocab_txt("[UNK]\n\na\n").ends_with("vocab.txt:2: an empty line, where a token is expected"));
  CHECK(vocab_txt("[UNK]\na\r\na\n").ends_with("vocab.txt:3: the token \"a\" stands twice"));
  CHECK(vocab_txt("[UNK]\n\xFF\n").ends_with("vocab.txt:2: invalid UTF-8"));
  const auto merges = [&](const char* vocab, const char* text) {
    write_all(folder, {{"vocab.json", vocab}, {"merges.txt", text}});
    return message_of_load(folder / "merges.txt");
  };
  CHECK(merges("[]", "").ends_with("vocab.json: expected an object of tokens and ids"));
  CHECK(
      merges(kVocabJson, "ab\n").ends_with("merges.txt:1: expected two tokens with one space between them"));
  CHECK(merges(kVocabJson, "a b\na  b\n")
            .ends_with("merges.txt:2: expected two tokens with one space between them"));
  CHECK(merges(kVocabJson, "a x\n").find("merges.txt:1: \"x\" is not in ") != std::string::npos);
  CHECK(merges(R"({"\u4E2D":0,"a":1})", "a \u4E2D\n").find("is no byte-level text") != std::string::npos);
  CHECK(merges(R"({"a":0,"b":2})", "").find("the id of \"b\" is not in 0 .. 1") != std::string::npos);
  CHECK(merges(kVocabJson, "b a\n")
            .find("merges[0]: the token \"ba\" that it makes is not in the vocabulary") != std::string::npos);
}

TEST_CASE("one loop gives the ids of the parts: BERT and byte-level files") {
  const ScratchDirectory scratch;
  std::string vocab_txt = kVocabTxt;
  for (char c = 'a'; c <= 'z'; ++c) {
    vocab_txt += c;
    vocab_txt += "\n##";
    vocab_txt += c;
    vocab_txt += '\n';
  }
  for (const char* more :
       {"\u4E2D", "!", "'", ";", "\u03C3", "##\u03C3", "\u302E", "##\u302E", "=", "\u1100", "##\u1161"}) {
    vocab_txt += more;
    vocab_txt += '\n';
  }
  const std::string_view alphabet[] = {"a",          "B",      "hello",  " ",          "\t",     "!",
                                       "'",          "\u00C9", "\u0301", "\u0323",     "\u302E", "\u302F",
                                       "\u4E2D",     "\u3000", "\u200B", "\u0001",     "\u037E", "\u2260",
                                       "\u03A3",     "\u0130", "\uAC00", "\U0001F600", "\u00A0", "\u201C",
                                       "\U0001D165", "\u1E9E", "\uFFFD", "\u0E33",     "Z"};
  for (const char* config :
       {"{}", R"({"do_lower_case":false})", R"({"do_lower_case":false,"strip_accents":true})",
        R"({"tokenize_chinese_chars":false})"}) {
    CAPTURE(config);
    write_file(scratch / "vocab.txt", vocab_txt);
    write_file(scratch / "tokenizer_config.json", config);
    const Tokenizer native = Tokenizer::load(scratch.path());
    Json file = Json::parse(native.to_json(), "native");
    Json::Array inner = {file.at("normalizer")};
    file.set("normalizer", Json::Object{{"type", "Sequence"}, {"normalizers", std::move(inner)}});
    const Tokenizer general = Tokenizer::parse(file.dump(), "general");
    std::uint32_t state = 7;
    std::size_t differing = 0;
    for (int i = 0; i < 4000; ++i) {
      std::string text;
      for (int k = 0; k < i % 23; ++k) {
        state = state * 1664525u + 1013904223u;
        text += alphabet[(state >> 16) % std::size(alphabet)];
      }
      differing +=
          native.encode(text) == general.encode(text) && native.tokens(text) == general.tokens(text) ? 0 : 1;
    }
    CHECK(differing == 0);
  }
}
