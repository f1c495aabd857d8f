// Tokenizer::normalize(): what joining a text's tokens gives where nothing is lost.

#include <doctest/doctest.h>

#include "text/tokenizer/tokenizer.hpp"

namespace headwater {
namespace {

constexpr const char* kReplaceSpace = R"({"type":"Replace","pattern":{"String":" "},"content":"▁"})";
constexpr const char* kReplaceMark = R"({"type":"Replace","pattern":{"String":"▁"},"content":" "})";

std::string sequence(const char* members, std::initializer_list<std::string> parts) {
  std::string list;
  for (const std::string& part : parts) list += (list.empty() ? "" : ",") + part;
  return R"({"type":"Sequence",")" + std::string(members) + R"(":[)" + list + "]}";
}

struct File {
  std::string normalizer, decoder, pre_tokenizer = "null", added = "";
};

// A file whose model has the letters a, b and x; every other character is shown as it is.
Tokenizer read(const File& file) {
  return Tokenizer::parse(
      R"({"version":"1.0","added_tokens":[)" + file.added + R"(],"normalizer":)" + file.normalizer +
          R"(,"pre_tokenizer":)" + file.pre_tokenizer + R"(,"post_processor":null,"decoder":)" +
          file.decoder +
          R"(,"model":{"type":"BPE","unk_token":"?","fuse_unk":false,"vocab":{"?":0,"a":1,"b":2,"▁":3,"x":4,"<0x0A>":5},"merges":[]}})",
      "t.json");
}

std::string without_spaces_at_ends(std::string text) {
  text.erase(0, text.find_first_not_of(' '));
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

}  // namespace

TEST_CASE("what a normalizer writes for the decoder to undo is not lost") {
  const std::string fuse = R"({"type":"Fuse"})",
                    strip = R"({"type":"Strip","content":" ","start":1,"stop":0})";
  const std::string prepend = R"({"type":"Prepend","prepend":"▁"})";
  const std::string metaspace = R"({"type":"Metaspace","replacement":"▁","prepend_scheme":"always"})";
  const File files[] = {
      {kReplaceSpace, kReplaceMark},
      {sequence("normalizers", {prepend, kReplaceSpace}),
       sequence("decoders", {kReplaceMark, R"({"type":"ByteFallback"})", fuse, strip})},
      {sequence("normalizers", {kReplaceSpace, R"({"type":"Lowercase"})"}),
       sequence("decoders", {kReplaceMark, fuse})},
      {sequence("normalizers", {sequence("normalizers", {kReplaceSpace})}), metaspace},
      {R"({"type":"Replace","pattern":{"Regex":"\\s"},"content":"▁"})",
       R"({"type":"Replace","pattern":{"Regex":"▁"},"content":" "})"},
      {R"({"type":"ByteLevel"})", R"({"type":"ByteLevel"})"},
  };
  for (const File& file : files) {
    INFO(file.normalizer, " ", file.decoder);
    const Tokenizer tokenizer = read(file);
    for (const std::string text : {"a b", "a", "ab x é a", "", "中 文"}) {
      CHECK(tokenizer.normalize(text) == text);
      CHECK(without_spaces_at_ends(tokenizer.join(tokenizer.tokens(text))) == text);
    }
  }
  // A mark that the line has comes back as a space, which is a loss.
  for (const File& file : {files[0], files[1], files[3]}) {
    const Tokenizer tokenizer = read(file);
    CHECK(tokenizer.normalize("a▁b") == "a▁b");
    CHECK(without_spaces_at_ends(tokenizer.join(tokenizer.tokens("a▁b"))) == "a b");
  }
}

TEST_CASE("what no decoder undoes stays in the standardised text") {
  CHECK(read({kReplaceSpace, "null"}).normalize("a b") == "a▁b");
  CHECK(read({kReplaceSpace, R"({"type":"Fuse"})"}).normalize("a b") == "a▁b");
  CHECK(read({R"({"type":"Prepend","prepend":"x"})", kReplaceMark}).normalize("a") == "xa");
  CHECK(read({R"({"type":"Lowercase"})", R"({"type":"ByteLevel"})"}).normalize("É") == "é");
  CHECK(
      read({"null", R"({"type":"Metaspace","replacement":"▁"})", R"({"type":"Metaspace","replacement":"▁"})"})
          .normalize("a▁b") == "a▁b");
  // An added token stays as it is, and no prefix goes after it.
  const std::string token =
      R"({"id":6,"content":"<X>","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":false})";
  const std::string both = sequence(
      "normalizers", {R"({"type":"Prepend","prepend":"▁"})", kReplaceSpace, R"({"type":"Lowercase"})"});
  CHECK(read({both, kReplaceMark, "null", token}).normalize("A <X>B") == "a <X>b");
}

}  // namespace headwater
