#include "text/tokenizer/unknown_pieces.hpp"

#include <doctest/doctest.h>

#include "ids_of_tokens.hpp"
#include "text/tokenizer/tokenizer.hpp"

namespace headwater {
namespace {

using Surfaces = std::vector<std::string>;

// <unk> 0, then these.
Surfaces shown(const Surfaces& tokens, std::string_view piece, std::string_view word_end,
               const std::vector<std::int32_t>& ids) {
  Surfaces surfaces{"<unk>"};
  surfaces.insert(surfaces.end(), tokens.begin(), tokens.end());
  return surfaces_with_unknown_text(piece, word_end, ids, Vocabulary(surfaces, {0}, 0));
}

TEST_CASE("an unknown token is shown as the text between its neighbours") {
  const Surfaces tokens{"a", "ab", "\u2581", "b</w>"};
  CHECK(shown(tokens, "aéa", "", {1, 0, 1}) == Surfaces{"a", "é", "a"});
  CHECK(shown(tokens, "\u2581日本ab", "", {3, 0, 2}) == Surfaces{"\u2581", "日本", "ab"});
  CHECK(shown(tokens, "日本a", "", {0, 0, 1}) == Surfaces{"日", "本", "a"});
  CHECK(shown(tokens, "a日本", "", {1, 0}) == Surfaces{"a", "日本"});
  CHECK(shown(tokens, "éb", "</w>", {0, 4}) == Surfaces{"é", "b</w>"});
  CHECK(shown(tokens, "a日本", "</w>", {1, 0, 0}) == Surfaces{"a", "日", "本</w>"});
}

TEST_CASE("what would be another token, or cannot be said, stays the unknown token") {
  CHECK(shown({"a", "b"}, "ab", "", {1, 0}) == Surfaces{"a", "<unk>"});  // "b" is a token
  CHECK(shown({"a", "b"}, "éa", "", {0, 2}) == Surfaces{"<unk>", "b"});  // b stands nowhere
  CHECK(shown({"a"}, "aéa", "", {1, 0, 0, 0}) == Surfaces{"a", "<unk>", "<unk>", "<unk>"});
  CHECK(shown({"a"}, "aé", "", {1, 1, 0}) == Surfaces{"a", "a", "<unk>"});
  CHECK(shown({"a"}, "aéa", "", {1}) == Surfaces{"a"});
}

TEST_CASE("tokens have the ids of their text, whatever is unknown in it") {
  for (const char* const settings :
       {R"("fuse_unk":true,"end_of_word_suffix":null)", R"("fuse_unk":false,"end_of_word_suffix":null)",
        R"("fuse_unk":true,"end_of_word_suffix":"b")", R"("fuse_unk":false,"end_of_word_suffix":"x")"}) {
    std::string file =
        R"({"version":"1.0","truncation":null,"padding":null,"added_tokens":[{"id":0,"content":"<unk>",)"
        R"("single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true}],"normalizer":null,)"
        R"("pre_tokenizer":{"type":"WhitespaceSplit"},"post_processor":null,"decoder":null,"model":{"type":"BPE",)"
        R"("dropout":null,"unk_token":"<unk>","continuing_subword_prefix":null,"byte_fallback":false,)";
    file += settings;
    file += R"(,"vocab":{"<unk>":0,"a":1,"b":2,"ab":3,"ax":4,"bb":5},"merges":[["a","b"]]}})";
    const Tokenizer tokenizer = Tokenizer::parse(file, "t.json");
    const std::vector<std::string> characters{"a", "b", "x", "é", " "};
    for (int number = 0; number < 15625; ++number) {  // all texts of six characters
      std::string text;
      for (int rest = number, i = 0; i < 6; ++i, rest /= 5) text += characters[rest % 5];
      const std::vector<std::int32_t> ids = ids_of_tokens(tokenizer, tokenizer.tokens(text));
      if (ids != tokenizer.encode(text)) FAIL(settings << ": " << text);
    }
  }
}

}  // namespace
}  // namespace headwater
