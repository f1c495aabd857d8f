// What the files beside a tokenizer change. The tokens are those of transformers 5.24 (AutoTokenizer).
#include "text/formats/tokenizer_folder.hpp"

#include <doctest/doctest.h>

#include "scratch_directory.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "text/tokenizer/tokenizer.hpp"

using namespace headwater;

namespace {

using Surfaces = std::vector<std::string>;

constexpr const char* kVocabTxt =
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\ncat\n##s\nThe\n\u4E2D\nz\n##ork\n";

std::string bert_json(const std::string& normalizer, const std::string& post_processor = "null") {
  return R"({"version":"1.0","truncation":null,"padding":null,"added_tokens":[)"
         R"({"id":1,"content":"[UNK]","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true}],)"
         R"("normalizer":)" +
         normalizer + R"(,"pre_tokenizer":{"type":"BertPreTokenizer"},"post_processor":)" + post_processor +
         R"(,"decoder":{"type":"WordPiece","prefix":"##","cleanup":true},"model":{"type":"WordPiece",)"
         R"("unk_token":"[UNK]","continuing_subword_prefix":"##","max_input_chars_per_word":100,"vocab":)"
         R"({"[PAD]":0,"[UNK]":1,"[CLS]":2,"[SEP]":3,"[MASK]":4,"the":5,"cat":6,"##s":7,"The":8,"\u4E2D":9,"z":10,"##ork":11}}})";
}
constexpr const char* kLowers =
    R"({"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,"strip_accents":null,"lowercase":true})";

// The tokens of a text, with the special ones around it.
Surfaces surfaces(const Tokenizer& tokenizer, std::string_view text) {
  Surfaces all;
  for (const std::int32_t id : tokenizer.with_special_tokens(tokenizer.encode(text)))
    all.push_back(tokenizer.surface(id));
  return all;
}

class Folder {
 public:
  Folder& has(const char* name, const std::string& text) {
    write_file(scratch_ / name, text);
    return *this;
  }
  Surfaces reads(std::string_view text) const { return surfaces(Tokenizer::load(scratch_.path()), text); }
  std::string fault() const {
    try {
      Tokenizer::load(scratch_.path());
    } catch (const Error& error) {
      return std::string(error.what()).substr(scratch_.path().string().size() + 1);
    }
    return "none";
  }
  const fs::path& path() const { return scratch_.path(); }

 private:
  ScratchDirectory scratch_;
};

}  // namespace

TEST_CASE("BertTokenizer takes the vocabulary of tokenizer.json, and tokenizer_config.json says the rest") {
  Folder folder;
  folder.has("tokenizer.json", bert_json(kLowers));
  CHECK(folder.reads("The cats") == Surfaces{"the", "cat", "##s"});  // no class: the file as it is
  folder.has("tokenizer_config.json", R"({"tokenizer_class":"BertTokenizer","do_lower_case":false})");
  CHECK(folder.reads("The cats THE") == Surfaces{"[CLS]", "The", "cat", "##s", "[UNK]", "[SEP]"});
  folder.has("tokenizer_config.json", R"({"tokenizer_class":"BertTokenizerFast"})");
  CHECK(folder.reads("The c\u00E1t") == Surfaces{"[CLS]", "the", "cat", "[SEP]"});
  folder.has("tokenizer_config.json", R"({"tokenizer_class":"DistilBertTokenizer","strip_accents":false})");
  CHECK(folder.reads("The c\u00E1t") == Surfaces{"[CLS]", "the", "[UNK]", "[SEP]"});
  folder.has("tokenizer_config.json",
             R"({"tokenizer_class":"BertTokenizer","tokenize_chinese_chars":false})");
  CHECK(folder.reads("the\u4E2D") == Surfaces{"[CLS]", "[UNK]", "[SEP]"});
  folder.has("tokenizer_config.json", R"({"tokenizer_class":"BertTokenizer","cls_token":"[MASK]"})");
  CHECK(folder.reads("the") == Surfaces{"[MASK]", "the", "[SEP]"});
  folder.has("tokenizer_config.json", R"({"tokenizer_class":"BertTokenizer","cls_token":"[X]"})");
  CHECK(folder.fault() == R"(tokenizer_config.json: "cls_token" is "[X]", which is not in the vocabulary)");
}

TEST_CASE("a tokenizer.json of the model alone becomes BERT's") {
  Folder folder;
  folder.has("tokenizer_config.json", R"({"tokenizer_class":"BertTokenizer"})");
  folder.has(
      "tokenizer.json",
      R"({"model":{"type":"WordPiece","vocab":{"[UNK]":0,"[CLS]":1,"[SEP]":2,"the":3},"unk_token":"the"}})");
  CHECK(folder.reads("The dog") == Surfaces{"[CLS]", "the", "[UNK]", "[SEP]"});
}

TEST_CASE("another class reads tokenizer.json as it is") {
  Folder folder;
  folder.has("tokenizer.json", bert_json(kLowers)).has("config.json", R"({"model_type":"bert"})");
  for (const char* name : {"PreTrainedTokenizerFast", "TokenizersBackend", "XLMRobertaTokenizer"}) {
    folder.has("tokenizer_config.json",
               R"({"do_lower_case":false,"tokenizer_class":")" + std::string(name) + "\"}");
    CHECK(folder.reads("The") == Surfaces{"the"});
  }
}

TEST_CASE("without a class the kind of model names one") {
  Folder folder;
  folder.has("config.json", R"({"model_type":"distilbert"})");
  folder.has("tokenizer.json", bert_json(R"({"type":"BertNormalizer","lowercase":false})"));
  CHECK(folder.reads("The") == Surfaces{"[CLS]", "the", "[SEP]"});
  folder.has("tokenizer_config.json", R"({"do_lower_case":false})");
  CHECK(folder.reads("The") == Surfaces{"[CLS]", "The", "[SEP]"});
  folder.has("config.json", R"({"model_type":"gpt2"})");
  CHECK(folder.fault() ==
        R"(tokenizer.json: model.type is "WordPiece", and the tokenizer's class makes a BPE (write )"
        R"("tokenizer_class": "PreTrainedTokenizerFast" into tokenizer_config.json))");
}

TEST_CASE("tokens that were added beside vocab.txt") {
  Folder plain;
  plain.has("vocab.txt", kVocabTxt);
  CHECK(plain.reads("the zork") == Surfaces{"[CLS]", "the", "z", "##ork", "[SEP]"});
  plain.has("added_tokens.json", R"({"zork":12})");
  CHECK(plain.reads("the Zorks") == Surfaces{"[CLS]", "the", "zork", "[UNK]", "[SEP]"});
  plain.has("added_tokens.json", R"({"zork":13})");
  CHECK(plain.fault() ==
        "added_tokens.json: the id 13 of \"zork\" does not continue the vocabulary of 12 tokens");
  plain.has("added_tokens.json", R"({"cat":5})");
  CHECK(plain.fault() == "added_tokens.json: the id 5 of \"cat\" is 6 in the vocabulary");
  // added_tokens_decoder replaces the file; what is not normalized is found as it stands.
  plain.has("tokenizer_config.json",
            R"({"added_tokens_decoder":{"12":{"content":"Zork","normalized":false,"rstrip":true}}})");
  CHECK(plain.reads("zork Zork the") == Surfaces{"[CLS]", "z", "##ork", "Zork", "the", "[SEP]"});
  plain.has("tokenizer_config.json", R"({"added_tokens_decoder":{"x":{"content":"Zork"}}})");
  CHECK(plain.fault() == R"(tokenizer_config.json: "added_tokens_decoder": "x" is no id)");
  plain.has("tokenizer_config.json", R"({"added_tokens_decoder":[]})");
  CHECK(plain.fault().find("expected an object of ids and tokens") != std::string::npos);
}

TEST_CASE("roles beside vocab.txt: special_tokens_map.json goes before tokenizer_config.json") {
  Folder folder;
  folder.has("vocab.txt", kVocabTxt)
      .has("tokenizer_config.json", R"({"cls_token":"[MASK]","unk_token":"the","pad_token":"cat"})");
  // The padding's token is found in text as well; what follows it is a word of its own.
  CHECK(folder.reads("dog cats") == Surfaces{"[MASK]", "the", "cat", "the", "[SEP]"});
  CHECK(Tokenizer::load(folder.path()).pad_id() == 6);
  folder.has("special_tokens_map.json", R"({"cls_token":{"content":"[CLS]"},"unk_token":"[UNK]"})");
  CHECK(folder.reads("dog") == Surfaces{"[CLS]", "[UNK]", "[SEP]"});
  folder.has("tokenizer_config.json", R"({"sep_token":7})");
  CHECK(folder.fault().starts_with(R"(tokenizer_config.json: "sep_token": expected a token)"));
  folder.has("tokenizer_config.json", R"({"unk_token":"dog"})").has("special_tokens_map.json", "{}");
  CHECK(folder.fault() == R"(vocab.txt: no line "dog", which every vocab.txt of BERT has)");
}

TEST_CASE("merges.txt: the class says what stands around a text, and the prefix goes before tokenizer.json") {
  Folder folder;
  folder.has("vocab.json", R"({"a":0,"b":1,"\u0120":2,"<s>":3,"</s>":4,"!":5})")
      .has("merges.txt", "#version: 0.2\n");
  CHECK(folder.reads("ab") == Surfaces{"<s>", "a", "b", "</s>"});
  folder.has("config.json", R"({"model_type":"gpt2"})");
  CHECK(folder.reads("ab") == Surfaces{"a", "b"});
  folder.has("tokenizer_config.json", R"({"add_prefix_space":true,"pad_token":"!"})");
  CHECK(folder.reads("a!") == Surfaces{"\u0120", "a", "!"});  // the padding's token is text, too
  CHECK(Tokenizer::load(folder.path()).pad_id() == 5);
  folder.has("tokenizer_config.json", R"({"add_bos_token":true})");
  CHECK(folder.fault().starts_with(R"(tokenizer_config.json: "add_bos_token" or "add_eos_token" is true)"));
  folder.has("tokenizer_config.json", R"({"tokenizer_class":"RobertaTokenizer","sep_token":"<s>"})");
  CHECK(folder.reads("a") == Surfaces{"<s>", "a", "<s>"});
  folder.has("added_tokens.json", R"({"zork":6})");
  CHECK(folder.reads("azork") == Surfaces{"<s>", "a", "zork", "<s>"});
  folder.has("tokenizer_config.json", R"({"tokenizer_class":"GPT2Tokenizer","add_prefix_space":false})");
  folder.has(
      "tokenizer.json",
      R"({"added_tokens":[],"normalizer":{"type":"Lowercase"},"pre_tokenizer":{"type":"ByteLevel",)"
      R"("add_prefix_space":true,"trim_offsets":true,"use_regex":true},"post_processor":null,)"
      R"("decoder":{"type":"ByteLevel"},"model":{"type":"BPE","vocab":{"a":0,"b":1,"\u0120":2},"merges":[]}})");
  folder.has("added_tokens.json", "{}");
  CHECK(folder.reads("ba") == Surfaces{"b", "a"});
}

TEST_CASE("vocab.txt and merges.txt are refused beside a class that reads them in another way") {
  Folder words;
  words.has("vocab.txt", kVocabTxt);
  for (const char* name : {"RobertaTokenizer", "GPT2TokenizerFast", "MPNetTokenizer", "BertJapaneseTokenizer",
                           "PreTrainedTokenizerFast"}) {
    CAPTURE(name);
    words.has("tokenizer_config.json", std::string(R"({"tokenizer_class":")") + name + "\"}");
    CHECK(words.fault().starts_with("vocab.txt: the tokenizer's class is \""));
    CHECK(words.fault().find("expected BertTokenizer (write it as \"tokenizer_class\" into ") !=
          std::string::npos);
  }
  for (const char* name : {"BertTokenizerFast", "ConvBertTokenizer", "DPRReaderTokenizer"}) {
    words.has("tokenizer_config.json", std::string(R"({"tokenizer_class":")") + name + "\"}");
    CHECK(words.reads("The cats") == Surfaces{"[CLS]", "the", "cat", "##s", "[SEP]"});
  }
  words.has("tokenizer_config.json", R"({"tokenizer_class":"DPRReaderTokenizer","do_lower_case":false})");
  CHECK(words.reads("The") == Surfaces{"[CLS]", "the", "[SEP]"});
  fs::remove(words.path() / "tokenizer_config.json");
  words.has("config.json", R"({"model_type":"roberta"})");
  CHECK(words.fault().starts_with("vocab.txt: the tokenizer's class is \"RobertaTokenizer\", expected"));
  Folder bytes;
  bytes.has("vocab.json", R"({"a":0,"b":1,"\u0120":2,"<|endoftext|>":3})").has("merges.txt", "");
  CHECK(bytes.reads("ba") == Surfaces{"b", "a"});
  for (const char* name : {"BertTokenizer", "CLIPTokenizer"}) {
    bytes.has("tokenizer_config.json", std::string(R"({"tokenizer_class":")") + name + "\"}");
    CHECK(bytes.fault().starts_with("merges.txt: the tokenizer's class is " + quote(name) +
                                    ", expected GPT2Tokenizer or RobertaTokenizer ("));
  }
}

TEST_CASE("the kind of model says whether vocab.txt and merges.txt are read where no class is named") {
  Folder words;
  words.has("vocab.txt", kVocabTxt);
  for (const char* type : {"electra", "convbert", "mobilebert", "nomic_bert", "dpr"}) {
    words.has("config.json", R"({"model_type":")" + std::string(type) + "\"}");
    CHECK(words.reads("The cats") == Surfaces{"[CLS]", "the", "cat", "##s", "[SEP]"});
  }
  Folder bytes;
  bytes.has("vocab.json", R"({"a":0,"b":1,"\u0120":2,"<s>":3,"</s>":4})").has("merges.txt", "");
  for (const char* type : {"mpnet", "esm", "my-own"}) {
    CAPTURE(type);
    words.has("config.json", R"({"model_type":")" + std::string(type) + "\"}");
    CHECK(words.fault().starts_with("vocab.txt: config.json's \"model_type\" is " + quote(type) +
                                    ", which names no tokenizer that is known, expected BertTokenizer ("));
    bytes.has("config.json", R"({"model_type":")" + std::string(type) + "\"}");
    CHECK(bytes.fault().starts_with("merges.txt: config.json's \"model_type\" is "));
  }
  words.has("config.json", R"({"model_type":"xlm-roberta"})");
  CHECK(words.fault().starts_with(
      "vocab.txt: the tokenizer's class is \"XLMRobertaTokenizer\", expected Bert"));
  words.has("tokenizer_config.json", R"({"tokenizer_class":"BertTokenizer"})");
  CHECK(words.reads("The cats") == Surfaces{"[CLS]", "the", "cat", "##s", "[SEP]"});
  bytes.has("config.json", R"({"model_type":"bart"})");
  CHECK(bytes.reads("ab") == Surfaces{"<s>", "a", "b", "</s>"});
  bytes.has("config.json", R"({"model_type":"opt"})");
  CHECK(bytes.reads("ab") == Surfaces{"a", "b"});
}

TEST_CASE("what a class takes is refused where tokenizer.json is read as it is and has something else") {
  Folder folder;
  folder.has("tokenizer.json", bert_json(kLowers));
  const auto fault = [&](const std::string& name, const std::string& members) {
    folder.has("tokenizer_config.json", R"({"tokenizer_class":")" + name + "\"," + members + "}");
    return folder.fault();
  };
  for (const auto& [name, members, said] :
       {std::tuple{"AlbertTokenizer", R"("keep_accents":true)", R"("keep_accents" is true, expected false)"},
        {"XLNetTokenizerFast", R"("do_lower_case":true)", R"("do_lower_case" is true, expected false)"},
        {"XLMRobertaTokenizer", R"("add_prefix_space":false)",
         R"("add_prefix_space" is false, expected true)"},
        {"Qwen2Tokenizer", R"("add_prefix_space":true)", R"("add_prefix_space" is true, expected false)"},
        {"T5Tokenizer", R"("extra_ids":100)", R"("extra_ids" is 100, expected 0)"},
        {"MPNetTokenizer", R"("do_lower_case":false)", R"("do_lower_case" is false, expected true)"},
        {"MPNetTokenizer", R"("strip_accents":true)", R"("strip_accents" is true, expected null)"},
        {"MBartTokenizer", R"("src_lang":"fr_XX")",
         R"("src_lang" is "fr_XX", expected the language of the post_processor of tokenizer.json)"}}) {
    CHECK(fault(name, members) ==
          "tokenizer_config.json: " + std::string(said) +
              R"( (write "tokenizer_class": "PreTrainedTokenizerFast" into tokenizer_config.json, and )"
              "tokenizer.json is read as it is)");
  }
  for (const auto& [name, members] : {std::pair{"AlbertTokenizer", R"("keep_accents":false)"},
                                      {"XLMRobertaTokenizer", R"("do_lower_case":true)"},
                                      {"PreTrainedTokenizerFast", R"("add_prefix_space":true)"},
                                      {"MPNetTokenizer", R"("do_lower_case":true,"strip_accents":null)"},
                                      {"T5Tokenizer", R"("extra_ids":0)"},
                                      // These take a tokenizer.json as it is.
                                      {"ConvBertTokenizer", R"("do_lower_case":false)"},
                                      {"DPRReaderTokenizer", R"("do_lower_case":false)"}}) {
    CAPTURE(name);
    CHECK(fault(name, members) == "none");
    CHECK(folder.reads("The") == Surfaces{"the"});
  }
}

TEST_CASE("a file beside a tokenizer that cannot be read is refused, not taken as missing") {
  for (const char* name : {"tokenizer_config.json", "special_tokens_map.json", "added_tokens.json",
                           "config.json", "recipe.yaml"}) {
    Folder folder;
    folder.has("vocab.txt", kVocabTxt);
    CAPTURE(name);
    CHECK(folder.fault() == "none");
    fs::create_symlink("../../blobs/abc", folder.path() / name);
    CHECK(folder.fault() == std::string(name) + ": a link that leads nowhere: no such file or directory");
    fs::remove(folder.path() / name);
    fs::create_symlink(name, folder.path() / name);
    CHECK(folder.fault() ==
          std::string(name) + ": a link that leads nowhere: too many levels of symbolic links");
  }
}

TEST_CASE("members that change a result are refused by name, and others pass") {
  Folder folder;
  folder.has("vocab.txt", kVocabTxt);
  for (
      const auto& [text, fault] : {
          std::pair{
              R"({"sp_model_kwargs":{"enable_sampling":true}})",
              R"("sp_model_kwargs" is {"enable_sampling":true}, expected {} (pieces are not drawn at random))"},
          {R"({"fast_tokenizer_files":["tokenizer.4.json"]})",
           R"("fast_tokenizer_files" is ["tokenizer.4.json"], expected [] or ["tokenizer.json"] (tokenizer.json is read))"},
          {R"({"vocab":{"a":0}})",
           R"("vocab" is {"a":0}, expected null (the files beside it say the vocabulary))"},
          {R"({"model_max_length":-3})", R"("model_max_length" is -3, expected a whole number from 1)"},
          {R"({"max_len":1.5})", R"("model_max_length" is 1.5, expected a whole number from 1)"},
      }) {
    folder.has("tokenizer_config.json", text);
    CHECK(folder.fault() == "tokenizer_config.json: " + std::string(fault));
  }
  folder.has(
      "tokenizer_config.json",
      R"({"padding_side":"left","chat_template":"x","never_split":["the"],"my_own":{"a":1},"errors":"strict",)"
      R"("model_max_length":1000000000000000019884624838656,"sp_model_kwargs":{},"max_length":3})");
  CHECK(folder.reads("the cat the cat") == Surfaces{"[CLS]", "the", "cat", "the", "cat", "[SEP]"});
  CHECK(read_tokenizer_folder(FolderFiles(folder.path())).max_length == 0);
  folder.has("tokenizer_config.json", R"({"max_len":7})");
  CHECK(read_tokenizer_folder(FolderFiles(folder.path())).max_length == 7);
  folder.has("tokenizer_config.json", R"({"max_len":7,"model_max_length":null})");
  CHECK(read_tokenizer_folder(FolderFiles(folder.path())).max_length == 0);
}

TEST_CASE("each row of the table is its file's alone, and a value has a row that asks for it") {
  const auto rows = tokenizer_member_rows();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CAPTURE(rows[i].member);
    CHECK((rows[i].use == MemberRow::Use::only) == !rows[i].values.empty());
    for (std::size_t j = 0; j < i; ++j)
      CHECK((rows[j].file != rows[i].file || rows[j].member != rows[i].member));
  }
}
