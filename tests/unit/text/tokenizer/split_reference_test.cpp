// Splits at expressions as Hugging Face's tokenizers 0.23.3 makes them, which runs them in Oniguruma.
#include <doctest/doctest.h>

#include <cstdio>
#include <span>

#include "support/error.hpp"
#include "support/json.hpp"
#include "text/tokenizer/decoder.hpp"
#include "text/tokenizer/normalizer.hpp"
#include "text/tokenizer/pre_tokenizer.hpp"
#include "text/unicode/character_classes.hpp"

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

struct SplitCase {
  const char *expression, *behavior;
  bool inverts;
  const char *text, *pieces;
};

void check_splits(std::span<const SplitCase> cases) {
  for (const auto& [expression, behavior, inverts, text, pieces] : cases) {
    INFO(expression, " ", behavior, " ", inverts, " ", text);
    CHECK(split_by(expression, behavior, inverts, text) == pieces);
  }
}

std::string refusal(const std::string& expression) {
  try {
    (void)split_by(expression, "Isolated", false, "a");
  } catch (const Error& error) {
    return error.what();
  }
  return "taken";
}

// FNV-1a over the ranges of a set.
std::uint64_t digest(const CodePointSet& set) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const auto& [first, last] : set.ranges()) {
    char text[32];
    const int length =
        std::snprintf(text, sizeof text, "%X-%X,", static_cast<unsigned>(first), static_cast<unsigned>(last));
    for (int i = 0; i < length; ++i) hash = (hash ^ static_cast<unsigned char>(text[i])) * 0x100000001B3;
  }
  return hash;
}

std::size_t size_of(const CodePointSet& set) {
  std::size_t size = 0;
  for (const auto& [first, last] : set.ranges()) size += last - first + 1;
  return size;
}

}  // namespace

TEST_CASE("splits at matches of no width") {
  const SplitCase kCases[] = {
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
  check_splits(kCases);
}

TEST_CASE("replacements of matches of no width") {
  const auto replace = [](const char* expression) {
    return Json::parse(R"({"type":"Replace","content":"-","pattern":{"Regex":)" +
                           Json(std::string(expression)).dump() + "}}",
                       "part");
  };
  const auto replaced = [&](const char* expression, const std::string& text) {
    const std::string decoded = TokenDecoder(replace(expression), "d").apply({text});
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

TEST_CASE("splits at expressions of Oniguruma's syntax") {
  const SplitCase kCases[] = {
      {"\\w+|[^\\w\\s]+", "Isolated", false,
       "25m\u00B2 1\u00BD \u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645 a$b<c soft\u00ADhyphen 7f",
       "25m\u00B2/ /1\u00BD/ /\u0645\u06CC/\u200C/\u062E\u0648\u0627\u0647\u0645/ /a/$/b/</c/ "
       "/soft/\u00AD/hyphen/ /7f"},
      {"[[:punct:]]+", "Isolated", false,
       "a$b<c 25m\u00B2 \u00ABx\u00BB^`~|+=", "a/$/b/</c 25m\u00B2 /\u00AB/x/\u00BB^`~|+="},
      {"\\b", "Isolated", false,
       "25m\u00B2 \u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645 soft\u00ADhyphen",
       "25m\u00B2/ /\u0645\u06CC/\u200C/\u062E\u0648\u0627\u0647\u0645/ /soft/\u00AD/hyphen"},
      {"\\B", "Isolated", false, "25m\u00B2 a$b", "2/5/m/\u00B2 a$b"},
      {"\\h+", "Isolated", false, "7f x\tg", "7f/ x\tg"},
      {"[[:xdigit:]]+", "Isolated", false, "7f x \u0663G", "7f/ x \u0663G"},
      {"[[:alpha:]]+", "Isolated", false, "a\u0363b1 \u24B6\u00B2", "a\u0363b/1 /\u24B6/\u00B2"},
      {"^\\w|\\w$", "Isolated", false, "ab\ncd\r\n", "a/b/\n/c/d\r\n"},
      {"^|x", "Isolated", false, "a\nb\n", "a\n/b\n"},
      {".+", "Isolated", false, "a\rb c\n d", "a\rb c/\n/ d"},
      {"(?m).+", "Isolated", false, "a\nb", "a\nb"},
      {"a(?i)b|c", "Isolated", false, "aB C c aC", "aB/ C c /aC"},
      {"(?i)ss|[\u00DF]x", "Isolated", false, "a\u00DF SSx \u017Fs sSX", "a/\u00DF/ /SS/x /\u017Fs/ /sS/X"},
      {"(?i)'s|'ll", "Isolated", false, "'S '\u017F 'LL 'st", "'S/ /'\u017F/ /'LL/ /'s/t"},
      {"(?i)[\\p{Lu}]+|\\p{Lu}+", "Isolated", false, "abAB1", "abAB/1"},
      {"(?i)\\p{Lu}+", "Isolated", false, "abAB1", "ab/AB/1"},
      {"[^(\\s|[.,!?\u2026\u3002\uFF0C\u3001\u0964\u06D4\u060C])]+", "Isolated", false, "a(b|c. d\u2026e",
       "a/(/b/|/c/. /d/\u2026/e"},
      {"(?x) \\d {3} # three\n", "Isolated", false, "1234567", "123/456/7"},
      {"a{2}+", "Isolated", false, "aaaaab", "aaaa/ab"},
      {"xa{2}?", "Isolated", false, "xbxaa", "x/b/xaa"},
      {"(?<n>a)(b)?\\k<n>", "Isolated", false, "aababa", "aa/b/aba"},
      {"(?:y?+|b)*+", "Isolated", false, "aybb", "a/y/b/b"},
      {"\\xC3\\xA9|\\x{df}|\\u0041|\\101", "Isolated", false, "\u00E9\u00DFA", "\u00E9/\u00DF/A"},
      {"[a-z&&[^aeiou]]+", "Isolated", false, "strings", "str/i/ngs"},
      {"\\R", "Isolated", false, "a\r\n\nb\vc", "a/\r\n/\n/b/\v/c"},
      {"[\\n\\r]|\\N", "Isolated", false, "a\r\n", "a/\r/\n"},
      {"(?<=\u00E9)b|(?<=\u6F22\u5B57)x", "Isolated", false, "\u00E9b\u6F22\u5B57x",
       "\u00E9/b/\u6F22\u5B57/x"},
      {"[]a]+|[^]]", "Isolated", false, "]a]b", "]a]/b"},
      {"[a-c-e]+", "Isolated", false, "ab-dce", "ab-/d/ce"},
      {"'(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}+|\\p{N}{1,3}| "
       "?[^\\s\\p{L}\\p{N}]++[\\r\\n]*|\\s*[\\r\\n]|\\s+(?!\\S)|\\s+",
       "Isolated", false, "I'LL go  there: 12345!!\n\n x", "I/'LL/ go/ / there/:/ /123/45/!!\n\n/ x"},
      {"[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+(?i:'s|'t|'"
       "re|'ve|'m|'ll|'d)?|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s+",
       "Isolated", false, "HTTPServer's  na\u00EFve/12345//", "HTTPServer's/  /na\u00EFve///123/45///"},
      {"[a-c\\x{e9}[\u00B2 &&]]++", "MergedWithPrevious", false, "\u017F\u00E9s\uFB01\u00DFB",
       "\u017F\u00E9/s\uFB01\u00DFB"},
      {"\u00B2*", "Isolated", true, "\u00DF1\u00B2\u00E9\u6F22cK1'\u00B2x\n\u00E9",
       "\u00DF/1/\u00B2/\u00E9/\u6F22/c/K/1/'/\u00B2/x/\n/\u00E9"},
      {"\\w(?:2\u00B2)|\\b|y", "Isolated", true, "zy_x\u017Fy\u6F22as-A\u017FfB",
       "z/y/_x\u017F/y/\u6F22as/-/A\u017FfB"},
      {"\\D|[x\\p{L}]|x[[^a&&]\u00E9[^\\P{L}[y\\h][^\u00E0-\u00FF]\\u00df]s]", "MergedWithNext", false,
       "2c-2\uFB01bb\nfabz\u00B2", "2/c/-2/\uFB01/b/b/\n/f/a/b/z/\u00B2"},
      {"\\p{Han}++|(?i:[^[:word:][\\x{e9}\u00E0-\u00FF\\s]]S(?x: \\u00dfa )?\?)", "Contiguous", false,
       "_2zi\u6F22S\u00B2b", "_2zi/\u6F22/S\u00B2b"},
      {"[A&&]{2}?|\n*?(\\p{Lu}++cs)", "MergedWithNext", false, "Bb-x\uFB011xa2bx\u00B2\u6F22\u00DF",
       "B/b/-/x/\uFB01/1/x/a/2/b/x/\u00B2/\u6F22/\u00DF"},
      {"([^\\t[:xdigit:]]*)|\\D|\\p{punct}{1,2}?_{1,2}", "MergedWithNext", true, "\u00B2A-1x\u00DF\ny2\u00B2",
       "\u00B2/A-/1x\u00DF\ny/2\u00B2"},
      {"A{,2}\u200C\\B|\\p{^N}A|(?m:S{2}+B*+\\P{L}++)", "MergedWithNext", true,
       "s_\u00E9xa\nzyAb\u00DF\u00B2K\u6F22", "s_\u00E9xa\nzyA/b\u00DF\u00B2K\u6F22"},
      {"(?:\\H)|\u00DF|\\W*+\\u00dfi", "MergedWithNext", true, "yf_\u200Ciia\nb\u017Fs\u00DF",
       "y/f_/\u200C/i/i/a\n/b\u017F/s/\u00DF"},
      {"[^A-Z\u00E9[\\u00dfK]][[:word:]\u6F22\\W]\\O", "MergedWithNext", false,
       "\u6F22 \u00DFz\u200CSA\u6F22\u00B2BB", "\u6F22 \u00DF/z\u200CSA/\u6F22\u00B2BB"},
      {"a", "MergedWithPrevious", false, "A'acKs21\u200CB", "A'a/cKs21\u200CB"},
      {"\\d", "MergedWithNext", false, "zc\u017FA'Bxy2xaK z", "zc\u017FA'Bxy/2xaK z"},
      {"\\b", "MergedWithPrevious", false, "B_\uFB01aA\uFB01y'\u017F\n\uFB01_s",
       "B_\uFB01aA\uFB01y/'/\u017F/\n/\uFB01_s"},
      {"\\t|(?<!\n[\\x{e9}a-c[^a-c\u017F]\n]\\n)\u200C|\u6F22(?<=y{2}\u00B2)y", "MergedWithNext", false,
       "\nib_ \u6F22\u200C-\u6F22S\u017F'\uFB01z", "\nib_ \u6F22/\u200C-\u6F22S\u017F'\uFB01z"},
      {".\\u00df?+[\\D\\w\\d]", "Contiguous", false, "\u200C-c_\u00DFysSi\uFB01z\u200C\u00B2-",
       "\u200C-c_\u00DFysSi\uFB01z\u200C\u00B2-"},
      {"(?x: f{1,2}x\\H|\u200C )2|-\\P{L}++|\\Z", "Contiguous", false, "zszzx'b-\u200Cz12\u200C",
       "zszzx'b/-\u200C/z12\u200C"},
      {"\\p{L}|(y\\s(?![\\Wy]|\\W|B*?x))[^zA-Z]s", "MergedWithNext", false,
       "-csa\u00E9\u200C\u00E9f-\u00B2cSa ", "-/c/s/a/\u00E9\u200C/\u00E9/f-\u00B2/c/S/a "},
      {"\\D", "Contiguous", true, "aK\u017Fz2\u00B2szB\u017F", "aK\u017Fz/2/\u00B2szB\u017F"},
      {"_|\\p{^N}^c|\\p{word}\\u00df{2}+\\h", "MergedWithNext", false, "fBi_ca", "fBi/_ca"},
      {"\n", "Contiguous", false, "y\n\u00E9\u00E9\u200CyAA", "y/\n/\u00E9\u00E9\u200CyAA"},
      {"A{,2}|\\t \n?", "Isolated", true, "f\u200Cxs\uFB01zbbs\u200C'Af",
       "f/\u200C/x/s/\uFB01/z/b/b/s/\u200C/'/A/f"},
      {"\\S[A-Z0-9\\x{e9}]", "Isolated", true, "c'SA\u00B2\u00B22f\u6F22\u200CA2",
       "c/'S/A\u00B2/\u00B22/f\u6F22/\u200CA/2"},
      {"(s2){2}?\u00DF ??", "Isolated", false, "'-\u00DFK\u00DFici'\u200Cs-",
       "'-/\u00DF/K/\u00DF/ici'\u200Cs-"},
      {"\u00E9*(?<!xc)\\S", "Isolated", false, "x-y\u00B2_\u017F\nzKK\u017F-1c",
       "x/-/y/\u00B2/_/\u017F/\n/z/K/K/\u017F/-/1/c"},
      {"(?m:\\s?\?)*+", "Contiguous", false, "\uFB01zc\u00E91fBBfib_-",
       "\uFB01/z/c/\u00E9/1/f/B/B/f/i/b/_/-"},
      {"\u00DF{,2}[^i\uFB012]", "Contiguous", false, "Afc\u017FAx\u00DF1\uFB01-'\u6F22-",
       "Afc\u017FAx\u00DF1/\uFB01/-'\u6F22-"},
      {"[^\\h[:^upper:]bf]+?|1|-{,2}[^\\p{Han}]f", "MergedWithPrevious", true, "iaaxb\nSfsi\u00DF-",
       "iaaxb\n/Sfsi\u00DF-"},
      {"[s-u]{2}+[[\u00E0-\u00FF\u200C][\\W\\w]]|-?+\u6F22{2}?|\\R{,2}", "Isolated", true,
       "\u6F22\u200CK-\u00DF \u00E9yS Ax_x", "\u6F22/\u200C/K/-/\u00DF/ /\u00E9/y/S/ /A/x/_/x"},
      {"\\N", "MergedWithPrevious", false, "i\u200Cfz1y-\u00E92B\n1yx",
       "i/\u200C/f/z/1/y/-/\u00E9/2/B/\n1/y/x"},
      {"[A-Z]{2}+", "Isolated", false, "\u200CBA\uFB01-\u00DF", "\u200C/BA/\uFB01-\u00DF"},
      {"'[[b-z\u00E9][\\p{Lu}K\u00DF]y\\D]|\\NB[\\u00df2\\p{Lu}\\n]++", "Contiguous", false,
       "\u6F22\uFB01 \u00B2Sx\u00B2'\u6F22\n'i", "\u6F22\uFB01 \u00B2Sx\u00B2/'\u6F22/\n/'i"},
      {"y(?>iB*\\Z)+?|[sa-c\u200C]|(?=aA|\\p{word}\\h(?:Sz[^\u00E9a-c_A-Z]*+)|^)", "Isolated", false,
       "az'2\u00B2bi__cz_ \u200C", "a/z'2\u00B2/b/i__/c/z_ /\u200C"},
      {"2", "MergedWithPrevious", false, "y2\u6F22 c\n_", "y2/\u6F22 c\n_"},
      {"f?\\p{word}", "Isolated", false, "a\uFB01bbySB2SAf'", "a/\uFB01/b/b/y/S/B/2/S/A/f/'"},
      {"([^0-9\u6F22bb-z])x(c*|\\n\\p{Han}{,2}[^\u017F])|[^Sa[[:lower:]&&\\D\n\u00DF]\u200C]",
       "MergedWithPrevious", false, "\u200C xB\u00B2i \u6F22\u6F22c\u200CcS ",
       "\u200C x/B/\u00B2/i /\u6F22/\u6F22/c\u200CcS "},
      {"(\u200C|\u017F\u00B2S|[[:^blank:]b-zs-u[:alnum:]]\u017F)", "MergedWithPrevious", false,
       "z\u00DFSS\u200C\u6F22\u00B2ifB\u00E9a\u6F22_", "z\u00DFSS\u200C/\u6F22\u00B2ifB\u00E9a\u6F22_"},
      {"s", "Isolated", false, "i2\u00E9\n\u00DFKs2yi\u00B2z A", "i2\u00E9\n\u00DFK/s/2yi\u00B2z A"},
      {"(?>y[BB])?+", "MergedWithPrevious", false, "zx2K\n22s\n\u00B2'\u017FBc",
       "z/x/2/K/\n/2/2/s/\n/\u00B2/'/\u017F/B/c"},
      {"x++z*+", "Isolated", false, "iA_asc\u200C\u200Cxxsc\n", "iA_asc\u200C\u200C/xx/sc\n"},
      {"\\p{Han}{2}?\\d", "Isolated", false, "a-zb\u00B212ax\n1x", "a-zb\u00B2/1/2/ax\n/1/x"},
  };
  check_splits(kCases);
}

TEST_CASE("classes of characters over all code points") {
  const struct {
    std::optional<CodePointSet> (*find)(std::string_view);
    const char* name;
    std::size_t size;
    std::uint64_t digest;
  } kClasses[] = {
      {posix_class, "alnum", 143519, 0x36A59C3A965E0975},
      {posix_class, "alpha", 142759, 0x713365EC81EFB99B},
      {posix_class, "ascii", 128, 0x45B728B9C279EC29},
      {posix_class, "blank", 18, 0xB946E2A2051D962E},
      {posix_class, "cntrl", 65, 0xFA16C2273BF68A9E},
      {posix_class, "digit", 760, 0x0914B12D7E66967B},
      {posix_class, "graph", 292447, 0x512472391EF758EF},
      {posix_class, "lower", 2569, 0x48D8F6E62DE125F3},
      {posix_class, "print", 292464, 0xE8048A4D6AFE9C17},
      {posix_class, "punct", 9369, 0x99455C05B8B69CB0},
      {posix_class, "space", 25, 0xA5C33C3230F2F860},
      {posix_class, "upper", 1978, 0x9D9ED90D02C535FE},
      {posix_class, "xdigit", 22, 0x3B5241BAA5CCA0E7},
      {posix_class, "word", 144665, 0x2A7DBE84E1AAA128},
      {property_class, "L", 141028, 0x2D4B36B81B17716C},
      {property_class, "Lu", 1858, 0xC329E4D54EAC11AE},
      {property_class, "Ll", 2258, 0x32561F5A2875ECB6},
      {property_class, "Lt", 31, 0x7A6983EAACBC7DF7},
      {property_class, "Lm", 404, 0x3F6F3FBBDA119FE4},
      {property_class, "Lo", 136477, 0xC226929290848C12},
      {property_class, "M", 2501, 0x91C16BC87E4DA4F3},
      {property_class, "Mn", 2020, 0x171119CDB11FB7B3},
      {property_class, "Mc", 468, 0x782AD1698CE03404},
      {property_class, "Me", 13, 0x78DFED39121123EC},
      {property_class, "N", 1911, 0x44B933F04DACA42A},
      {property_class, "Nd", 760, 0x0914B12D7E66967B},
      {property_class, "Nl", 236, 0x8A3669ECDB3ACC31},
      {property_class, "No", 915, 0x92828B79052AE6AF},
      {property_class, "P", 855, 0xF13682FEE3924168},
      {property_class, "Pc", 10, 0x00B616DE1766E247},
      {property_class, "Pd", 27, 0xFD1767EE2EFD3472},
      {property_class, "Ps", 79, 0x3869658A4D2F4BAE},
      {property_class, "Pe", 77, 0x65A929F501B23698},
      {property_class, "Pi", 12, 0x82496C98E680BB71},
      {property_class, "Pf", 10, 0x76CB088B63EA4609},
      {property_class, "Po", 640, 0xB7296EEDC0E9BE85},
      {property_class, "S", 8514, 0xE32C58E2BC22CBA6},
      {property_class, "Sm", 950, 0xB2426D642BDCBD7F},
      {property_class, "Sc", 63, 0xDC03C2543D044FB4},
      {property_class, "Sk", 125, 0xCD97BA3C65CD645A},
      {property_class, "So", 7376, 0xDD85F7C8D37055BF},
      {property_class, "Z", 19, 0x05FA8A0E30D161C1},
      {property_class, "Zs", 17, 0xC04B77D382A1B5E9},
      {property_class, "Zl", 1, 0x7A4A7B39F85D969C},
      {property_class, "Zp", 1, 0x26571F4C09330832},
      {property_class, "C", 957236, 0x8825409707E56008},
      {property_class, "Cc", 65, 0xFA16C2273BF68A9E},
      {property_class, "Cf", 170, 0xC8646ADD12759383},
      {property_class, "Co", 137468, 0x540D096A0248B397},
      {property_class, "Cn", 819533, 0x27F478C2F849F34F},
      {property_class, "LC", 4147, 0x65569C5B0FF414D3},
      {property_class, "Letter", 141028, 0x2D4B36B81B17716C},
      {property_class, "Uppercase_Letter", 1858, 0xC329E4D54EAC11AE},
      {property_class, "any", 1112064, 0x76FC60C405C55E86},
      {property_class, "assigned", 292531, 0xE58AF2442E01C036},
      {property_class, "alphabetic", 142759, 0x713365EC81EFB99B},
      {property_class, "Uppercase", 1978, 0x9D9ED90D02C535FE},
      {property_class, "lowercase", 2569, 0x48D8F6E62DE125F3},
      {property_class, "punct", 855, 0xF13682FEE3924168},
      {property_class, "punctuation", 855, 0xF13682FEE3924168},
      {property_class, "word", 144671, 0x5EAF5E70A4DE8C8F},
      {property_class, "alnum", 143519, 0x36A59C3A965E0975},
      {property_class, "x_digit", 22, 0x3B5241BAA5CCA0E7},
      {property_class, "ASCII", 128, 0x45B728B9C279EC29},
      {property_class, "Greek", 518, 0x1526C204C63F89B2},
      {property_class, "Latin", 1487, 0xACF759EA907EDC7A},
      {property_class, "Emoji", 1431, 0x0B83CFD7D2F2993D},
      {property_class, "Extended_Pictographic", 3537, 0x981A4F38D74A209E},
      {property_class, "Ideographic", 106477, 0x121815F2C2AE6251},
      {property_class, "Unified_Ideograph", 97680, 0xA391E53DC66BFB20},
      {property_class, "White_Space", 25, 0xA5C33C3230F2F860},
      {property_class, "In_Basic_Latin", 128, 0x45B728B9C279EC29},
      {property_class, "Hex_Digit", 44, 0x2964EA39C15E00F1},
  };
  for (const auto& [find, name, size, expected] : kClasses) {
    CAPTURE(name);
    const auto set = find(name);
    REQUIRE(set.has_value());
    CHECK(size_of(*set) == size);
    CHECK(digest(*set) == expected);
  }
}

TEST_CASE("sets of characters without regard to case") {
  const struct {
    CodePointSet set;
    std::size_t size;
    std::uint64_t digest;
  } kSets[] = {
      {*posix_class("upper"), 3428, 0x59DB10BDD6ABA4EC},
      {*posix_class("lower"), 4028, 0xB3BA5A1E6D7A8ABA},
      {posix_class("upper")->complement(), 1111514, 0x994B39B802EF741E},
      {*property_class("Lu"), 3266, 0x166067A2C4E72D72},
      {*property_class("L"), 141029, 0x10946DEE3F92783F},
      {CodePointSet({{U'a', U'z'}}), 54, 0x52ECD67FBFEB370B},
      {CodePointSet({{0, 0x24F}}), 623, 0xCA52BADFC47FDD28},
      {CodePointSet({{0x345, 0x3FF}}), 192, 0x04CC43741E506E20},
      {CodePointSet({{0x1E00, 0x1FFF}}), 518, 0x459B7D170FFE2965},
      {CodePointSet({{0x10000, 0x10FFFF}}), 1048576, 0x30E3BADDC077FCE2},
  };
  for (const auto& [set, size, expected] : kSets) {
    CAPTURE(size);
    CHECK(size_of(with_other_case(set)) == size);
    CHECK(digest(with_other_case(set)) == expected);
  }
}

TEST_CASE("what ICU cannot run as Oniguruma does is refused by name") {
  const std::pair<const char*, const char*> kRefused[] = {
      {"a\\Kb", "\\K is not supported"},
      {"\\X", "\\X is not supported"},
      {"(?~ab)", "(?~ is not supported"},
      {"(?s:.)", "(?s is not supported"},
      {"(?P<n>a)", "(?P is not supported"},
      {"(a)?(?(1)b|c)", "(?( is not supported"},
      {"[\\p{Lu}x\\p{Sentence_Terminal}]", "unsupported class of characters \"Sentence_Terminal\""},
      {"[[:foo:]]", "unsupported class of characters \"foo\""},
      {"[\\p{L}-[\\p{Lu}]]", "a range that begins with a class of characters"},
      {"(?<=a+)b", "what is looked for behind has no longest length"},
      {"a{100001}", "more than 100000 repetitions"},
      {"(?<n>a)(?<n>b)\\k<n>", "a name that several groups have"},
      {"(a)\\2", "a group that is not there"},
      {"^*", "a place of no width cannot be repeated"},
      {"a)", "a ) without ("},
      {"(a", "a ( without )"},
      {"[a", "the end inside ["},
      {"*a", "nothing to repeat"},
  };
  for (const auto& [expression, reason] : kRefused) {
    CAPTURE(expression);
    CHECK(refusal(expression).find(reason) != std::string::npos);
  }
}

TEST_CASE("what an expression's sets take is bounded") {
  std::string hostile = "(?i)";
  for (int i = 0; i < 3000; ++i) hostile += "[\\p{L}&&[^\\p{Lu}]]";
  CHECK(refusal(hostile).find("its sets of characters are too large together") != std::string::npos);
  CHECK(refusal(std::string(100000, '(')).find("nested too deep") != std::string::npos);
  CHECK(refusal(std::string(100000, '[')).find("nested too deep") != std::string::npos);
  CHECK(refusal("a" + std::string(100000, '*')).find("too many quantifiers") != std::string::npos);
}
