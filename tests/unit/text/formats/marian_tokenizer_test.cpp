#include "text/formats/marian_tokenizer.hpp"

#include <doctest/doctest.h>

#include "error_text.hpp"
#include "scratch_directory.hpp"
#include "support/files.hpp"

using namespace headwater;

namespace {

// A field of Protocol Buffers that holds bytes.
std::string field(int number, const std::string& bytes) {
  std::string out;
  out += static_cast<char>(number << 3 | 2);
  out += static_cast<char>(bytes.size());
  return out.append(bytes);
}

// A piece with its score in [-8, 0], a quarter each, and its type.
std::string piece(const std::string& surface, int type = 1, int quarters = 4) {
  static const char* const kScores[] = {"\x00\x00\x00\x00", "\x00\x00\x80\xBE", "\x00\x00\x00\xBF",
                                        "\x00\x00\x40\xBF", "\x00\x00\x80\xBF"};
  std::string message = field(1, surface);
  message += '\x15';
  message += std::string(kScores[quarters], 4);
  message += '\x18';
  message += static_cast<char>(type);
  return field(1, message);
}

struct Files {
  ScratchDirectory scratch;
  fs::path spm = scratch.path() / "source.spm", vocab = scratch.path() / "vocab.json";

  Files() {
    std::string model = piece("<unk>", 2);
    for (const char* surface : {"<s>", "</s>"}) model += piece(surface, 3);
    for (const char* surface : {"\xE2\x96\x81", "a", "b", "c",
                                "\xE2\x96\x81"
                                "a",
                                "bb"})
      model += piece(surface, 1, 2);
    write_file(spm, model);
    write_file(
        vocab,
        R"({"</s>": 0, "<unk>": 1, "bb": 2, "▁a": 3, "b": 4, "▁": 5, ">>es<<": 6, "z": 7, "a": 8, "<pad>": 9})");
  }
  Tokenizer load() const { return load_marian_tokenizer(spm, read_marian_vocabulary(vocab)); }
  std::string said(const std::string& json) const {
    write_file(vocab, json);
    return error_text([&] { (void)load(); });
  }
};

using Ids = std::vector<std::int32_t>;

}  // namespace

TEST_CASE_FIXTURE(Files, "Marian's tokenizers: pieces by SentencePiece, ids by vocab.json") {
  const Tokenizer tokenizer = load();
  CHECK(tokenizer.encode("abb") == Ids{3, 2});
  CHECK(tokenizer.encode("abb a") == Ids{3, 2, 3});
  CHECK(tokenizer.encode("ac") == Ids{3, 1});  // a piece that has no id
  CHECK(tokenizer.encode("aq") == Ids{3, 1});  // no piece
  CHECK(tokenizer.encode(">>es<<abb") == Ids{6, 3, 2});
  CHECK(tokenizer.encode(">>fr<<abb") == Ids{1, 3, 2});
  CHECK(tokenizer.encode("").empty());
  CHECK(tokenizer.decode(Ids{3, 2, 3, 0}) == "abb a");
  CHECK(tokenizer.tokens("abb") == std::vector<std::string>{"\xE2\x96\x81"
                                                            "a",
                                                            "bb"});
  CHECK(tokenizer.vocabulary_size() == 10);
  CHECK(tokenizer.pad_id() == 9);
  CHECK(tokenizer.end_id() == 0);
  CHECK(tokenizer.unknown_id() == 1);
  CHECK(tokenizer.start_id() == -1);
}

TEST_CASE_FIXTURE(Files, "Marian's tokenizers: a vocabulary that does not hold together is one line") {
  CHECK(said("[]") == vocab.string() + ": expected an object of tokens with their ids");
  CHECK(said(R"({"</s>": 0, "a": 1})") == vocab.string() + ": has no <unk> and </s>");
  CHECK(said(R"({"</s>": 0, "<unk>": 2})") ==
        vocab.string() + ": the token \"<unk>\" has an id that is not in 0 to 1");
  CHECK(said(R"({"</s>": 0, "<unk>": 0})") ==
        vocab.string() + ": the token \"<unk>\" has the id of \"</s>\"");
  CHECK(said(R"({"</s>": 0, "<unk>": -1})").find("not in 0 to 1") != std::string::npos);
  CHECK(said(R"({"</s>": 0, "<unk>": 1, "": 2})") == vocab.string() + ": an empty token");
  CHECK(said(R"({"</s>": 0, "<unk>": 1, "a\n": 2})").find("line end") != std::string::npos);
  CHECK(said("{").starts_with(vocab.string()));
  write_file(spm, "nothing");
  CHECK(said(R"({"</s>": 0, "<unk>": 1})").starts_with(spm.string()));
}
