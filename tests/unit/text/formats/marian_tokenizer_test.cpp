#include "text/formats/marian_tokenizer.hpp"

#include <doctest/doctest.h>

#include "error_text.hpp"
#include "scratch_directory.hpp"
#include "support/files.hpp"

using namespace headwater;

namespace {

constexpr const char* kNone = "(no error)";  // of error_text

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

TEST_CASE_FIXTURE(Files, "Marian's tokenizer_config.json: cleaned spaces, roles and added tokens") {
  write_file(vocab, R"({"</s>": 0, "<unk>": 1, "▁a": 2, "▁.": 3, "▁'": 4, "▁b": 5, "▁n't": 6, "<pad>": 7})");
  const MarianVocabulary vocabulary = read_marian_vocabulary(vocab);
  const Ids ids{2, 6, 4, 5, 3};
  CHECK(load_marian_tokenizer(spm, vocabulary).decode(ids) == "a n't ' b .");
  CHECK(load_marian_tokenizer(spm, vocabulary, true).decode(ids) == "an't'b.");  // as transformers 5.24
  const auto fault = [&](const std::string& text) {
    write_file(scratch / "tokenizer_config.json", text);
    return error_text(
        [&] { check_marian_roles(read_tokenizer_folder(FolderFiles(scratch.path())), vocabulary); });
  };
  CHECK(fault(R"({"tokenizer_class": "T5Tokenizer"})")
            .find(R"(is "T5Tokenizer", expected "MarianTokenizer")") != std::string::npos);
  // Other members change nothing here, as in transformers 5.24.
  CHECK(fault(R"({"tokenizer_class": "MarianTokenizerFast", "add_bos_token": true, "extra_ids": 3})") ==
        kNone);
  CHECK(fault(R"({"unk_token": "<pad>"})").ends_with(R"("unk_token" is "<pad>", expected "<unk>")"));
  CHECK(fault(R"({"added_tokens_decoder": {"2": {"content": "<unk>", "special": true}}})")
            .find(R"(the id 2 of "<unk>" is not that of )") != std::string::npos);
  CHECK(fault(R"({"added_tokens_decoder": {"8": {"content": "zork"}}})").find(R"("zork" is not special)") !=
        std::string::npos);
  write_file(scratch / "tokenizer_config.json",
             R"({"eos_token": {"content": "</s>"}, "separate_vocabs": true, "added_tokens_decoder":
               {"1": {"content": "<unk>", "special": true}, "9": {"content": "</s>", "special": true}}})");
  const TokenizerFolder beside = read_tokenizer_folder(FolderFiles(scratch.path()));
  check_marian_roles(beside, vocabulary);
  CHECK(beside.has_two_vocabularies == true);
  CHECK(fault(R"({"additional_special_tokens": ["<new>"]})").find(R"(special token "<new>" can stand)") !=
        std::string::npos);
  write_file(scratch / "tokenizer_config.json",
             R"({"additional_special_tokens": ["<new>"], "split_special_tokens": true})");
  check_marian_roles(read_tokenizer_folder(FolderFiles(scratch.path())), vocabulary);
}

TEST_CASE_FIXTURE(Files, "beside a .model a member that would make other ids is refused") {
  fs::rename(spm, scratch / "spiece.model");
  const auto fault = [&](const std::string& name, const std::string& text) {
    write_file(scratch / name, text);
    return error_text([&] { (void)Tokenizer::load(scratch.path()); });
  };
  const auto of_config = [&](const std::string& text) { return fault("tokenizer_config.json", text); };
  for (const auto& [member, other, fine] : {std::tuple{"extra_ids", "3", "0"},
                                            {"keep_accents", "false", "true"},
                                            {"remove_space", "true", "null"},
                                            {"add_prefix_space", "false", "true"},
                                            {"split_by_punct", "true", "false"},
                                            {"do_lower_case", "true", "false"}}) {
    CAPTURE(member);
    const std::string begin = R"({")" + std::string(member) + R"(": )";
    CHECK(of_config(begin + other + "}")
              .ends_with(": " + quote(member) + " is " + other + ", expected " + fine +
                         " (save the tokenizer as tokenizer.json)"));
    CHECK(of_config(begin + fine + "}") == kNone);
  }
  for (const char* member : {"add_bos_token", "add_eos_token"}) {
    CHECK(of_config(R"({")" + std::string(member) + R"(": true})").find("is true, expected false") !=
          std::string::npos);
    CHECK(of_config(R"({")" + std::string(member) + R"(": false})") == kNone);
  }
  CHECK(
      of_config(R"({"tokenizer_class": "T5Tokenizer"})").find(R"("extra_ids" is missing, which means 100)") !=
      std::string::npos);
  CHECK(of_config(R"({"tokenizer_class": "BertTokenizer"})").find(R"(is "BertTokenizer", which reads)") !=
        std::string::npos);
  fs::remove(scratch / "tokenizer_config.json");
  for (const char* type : {"albert", "xlm-roberta", "bert"}) {
    CHECK(fault("config.json", R"({"model_type": ")" + std::string(type) + R"("})")
              .ends_with(
                  "config.json: \"model_type\" is " + quote(type) +
                  ", which reads the model's file in another way (save the tokenizer as tokenizer.json)"));
  }
  CHECK(fault("config.json", R"({"model_type": "t5"})").find("\"extra_ids\" is missing") !=
        std::string::npos);
  CHECK(fault("config.json", R"({"model_type": "llama"})") == kNone);
}

TEST_CASE_FIXTURE(Files, "beside a .model the files may change nothing but roles") {
  fs::rename(spm, scratch / "spiece.model");
  const auto fault = [&](const std::string& text) {
    write_file(scratch / "tokenizer_config.json", text);
    return error_text([&] { (void)Tokenizer::load(scratch.path()); });
  };
  CHECK(fault(R"({"tokenizer_class": "XLMRobertaTokenizerFast"})")
            .find(R"("tokenizer_class" is "XLMRobertaTokenizer", which reads)") != std::string::npos);
  CHECK(fault(R"({"added_tokens_decoder": {"1": {"content": "<pad>", "special": true}}})")
            .find(R"(the id 1 of "<pad>" is not that of the model)") != std::string::npos);
  CHECK(fault(R"({"added_tokens_decoder": {"9": {"content": "zork"}}})").find(R"("zork" is not special)") !=
        std::string::npos);
  CHECK(fault(R"({"added_tokens_decoder": {"9": {"content": "<extra_id_0>", "special": true}}})")
            .find(R"(special token "<extra_id_0>" can stand in a text)") != std::string::npos);
  write_file(
      scratch / "tokenizer_config.json",
      R"({"tokenizer_class": "T5Tokenizer", "extra_ids": 0, "sp_model_kwargs": {}, "added_tokens_decoder":
               {"2": {"content": "</s>", "special": true}, "9": {"content": "<mask>", "special": true}}})");
  CHECK(Tokenizer::load(scratch.path()).tokens("a") == std::vector<std::string>{"▁a"});
}
