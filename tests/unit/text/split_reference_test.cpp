// Splits at expressions as Hugging Face's tokenizers 0.23.3 makes them, which runs them in Oniguruma.
#include <doctest/doctest.h>

#include "support/json.hpp"
#include "text/decoder.hpp"
#include "text/normalizer.hpp"
#include "text/pre_tokenizer.hpp"

using namespace headwater;

namespace {

// The pieces of the text, with / between them.
std::string split_by(const std::string& expression, const std::string& behavior, bool inverts,
                     std::string_view text) {
  const std::string part = R"({"type":"Split","pattern":{"Regex":)" + Json(expression).dump() +
                           R"(},"behavior":")" + behavior + R"(","invert":)" + (inverts ? "true}" : "false}");
  const TextPieces pieces = PreTokenizer(Json::parse(part, "part"), "p").split(text);
  std::string out;
  for (std::size_t i = 0; i < pieces.spans.size(); ++i) {
    if (i > 0) out += '/';
    out += pieces.piece(i);
  }
  return out;
}

}  // namespace

TEST_CASE("splits at matches of no width") {
  const struct {
    const char *expression, *behavior;
    bool inverts;
    const char *text, *pieces;
  } kCases[] = {
      {R"re((?<=[a-z])(?=[A-Z]))re", "Removed", true, "aXb  cYxéy", ""},
      {R"re((?=[A-Z]))re", "Contiguous", true, "abXxxBc", "ab/Xxx/Bc"},
      {R"re(x*)re", "Contiguous", true, "ababbaab", "a/b/a/b/b/a/a/b"},
      {R"re()re", "Contiguous", false, "é éxéé漢xy", "é/ /é/x/é/é/漢/x/y"},
      {R"re((?<=\d)(?=\D)|-)re", "Contiguous", true, "ab12-3 4B", "ab12/-3/ 4/B"},
      {R"re(b|(?=b))re", "Contiguous", true, "xaxxbyY", "xaxx/b/yY"},
      {R"re((?=b)|b)re", "MergedWithPrevious", false, "abXxxBc", "a/bXxxBc"},
      {R"re(a|)re", "Contiguous", false, "camelCaseXY", "c/a/m/e/l/C/a/s/e/X/Y"},
      {R"re((?:ab)*)re", "MergedWithPrevious", true, "ababbaab", "ababb/a/ab"},
      {R"re(\s*)re", "MergedWithNext", true, "aXb  cYxéy", "a/X/b  /c/Y/x/é/y"},
      {R"re(x?(?=y))re", "Contiguous", true, "xxyxAbcDé", "x/x/yxAbcDé"},
      {R"re($|^)re", "Removed", true, "ab12-3 4B", ""},
      {R"re((?!x))re", "Isolated", false, "é éxéé漢xy", "é/ /éx/é/é/漢x/y"},
      {R"re([A-Z]?(?![a-z]))re", "MergedWithPrevious", true, "é éxéé漢xy", "é/ /éx/é/é/漢xy"},
      {R"re(é*)re", "Contiguous", false, "é éxéé漢xy", "é/ /é/x/éé/漢/x/y"},
      {R"re((?<=é)|é(?=x))re", "MergedWithNext", false, "aXb  cYxéy", "aXb  cYxé/y"},
      {R"re((?<=[a-z])(?=[A-Z]))re", "Contiguous", false, "abXxxBc", "ab/Xxx/Bc"},
      {R"re((?=[A-Z]))re", "Contiguous", true, "xxyxAbcDé", "xxyx/Abc/Dé"},
      {R"re(x*)re", "MergedWithNext", false, "aXb  cYxéy", "a/X/b/ / /c/Y/xé/y"},
      {R"re()re", "MergedWithNext", true, "é éxéé漢xy", "é/ /é/x/é/é/漢/x/y"},
      {R"re((?<=\d)(?=\D)|-)re", "Removed", true, "camelCaseXY", ""},
      {R"re(b|(?=b))re", "Contiguous", true, "xxyxAbcDé", "xxyxA/b/cDé"},
      {R"re((?=b)|b)re", "Contiguous", true, "ab12-3 4B", "a/b12-3 4B"},
      {R"re(a|)re", "MergedWithNext", true, "xaxxbyY", "xa/x/x/b/y/Y"},
      {R"re((?:ab)*)re", "MergedWithNext", true, "xxyxAbcDé", "x/x/y/x/A/b/c/D/é"},
      {R"re(\s*)re", "Contiguous", false, "camelCaseXY", "c/a/m/e/l/C/a/s/e/X/Y"},
      {R"re(x?(?=y))re", "Removed", true, "ab12-3 4B", ""},
      {R"re($|^)re", "Removed", true, "aXb  cYxéy", ""},
      {R"re((?!x))re", "Contiguous", true, "ababbaab", "a/b/a/b/b/a/a/b"},
      {R"re([A-Z]?(?![a-z]))re", "Contiguous", false, "xaxxbyY", "xaxxby/Y"},
      {R"re(é*)re", "Contiguous", false, "camelCaseXY", "c/a/m/e/l/C/a/s/e/X/Y"},
      {R"re((?<=é)|é(?=x))re", "Isolated", true, "aXb  cYxéy", "aXb  cYxé/y"},
      {R"re((?<=[a-z])(?=[A-Z]))re", "Contiguous", false, "camelCaseXY", "camel/Case/XY"},
      {R"re((?=[A-Z]))re", "MergedWithNext", false, "camelCaseXY", "camel/Case/X/Y"},
      {R"re(x*)re", "Isolated", false, "abXxxBc", "a/b/X/xx/B/c"},
      {R"re()re", "Contiguous", false, "aXb  cYxéy", "a/X/b/ / /c/Y/x/é/y"},
      {R"re((?<=\d)(?=\D)|-)re", "Contiguous", false, "ab12-3 4B", "ab12/-3/ 4/B"},
      {R"re(b|(?=b))re", "MergedWithPrevious", true, "xxyxAbcDé", "xxyxA/bcDé"},
      {R"re((?=b)|b)re", "Contiguous", false, "abXxxBc", "a/bXxxBc"},
      {R"re(a|)re", "Removed", false, "abXxxBc", "b/X/x/x/B/c"},
      {R"re((?:ab)*)re", "MergedWithNext", false, "ababbaab", "ababb/a/ab"},
      {R"re(\s*)re", "Contiguous", true, "camelCaseXY", "c/a/m/e/l/C/a/s/e/X/Y"},
      {R"re(x?(?=y))re", "Isolated", true, "xxyxAbcDé", "x/x/yxAbcDé"},
      {R"re($|^)re", "Removed", true, "ababbaab", ""},
      {R"re((?!x))re", "Contiguous", true, "ab12-3 4B", "a/b/1/2/-/3/ /4/B"},
      {R"re([A-Z]?(?![a-z]))re", "MergedWithPrevious", true, "xxyxAbcDé", "xxyx/Abc/Dé"},
      {R"re(é*)re", "Isolated", false, "aXb  cYxéy", "a/X/b/ / /c/Y/x/é/y"},
      {R"re((?<=é)|é(?=x))re", "Contiguous", false, "aXb  cYxéy", "aXb  cYxé/y"},
  };
  for (const auto& [expression, behavior, inverts, text, pieces] : kCases) {
    INFO(expression, " ", behavior, " ", inverts);
    CHECK(split_by(expression, behavior, inverts, text) == pieces);
  }
}

TEST_CASE("replacements of matches of no width") {
  const auto replace = [](const char* expression) {
    return Json::parse(R"({"type":"Replace","content":"-","pattern":{"Regex":)" +
                           Json(std::string(expression)).dump() + "}}",
                       "part");
  };
  const auto replaced = [&](const char* expression, const std::string& text) {
    const std::string decoded = Decoder(replace(expression), "d").apply({text});
    CHECK(decoded == Normalizer(replace(expression), "n").apply(text));
    return decoded;
  };
  CHECK(replaced("x*", "xab") == "-a-b-");
  CHECK(replaced("x*", "abxxc") == "-a-b-c-");
  CHECK(replaced("", "ab") == "-a-b-");
  CHECK(replaced("$", "ab") == "ab-");
  CHECK(replaced("^", "") == "");
  CHECK(replaced("(?=a)", "aab") == "-a-ab");
}
