#include "support/json.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "error_text.hpp"
#include "support/random.hpp"

using namespace headwater;

namespace {

std::string parse_error(std::string_view text) {
  return error_text([&] { Json::parse(text, "f"); });
}

std::string nested(int depth) { return std::string(depth, '[') + std::string(depth, ']'); }

}  // namespace

TEST_CASE("json: what RFC 8259 forbids is refused with its place") {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", "f:1:1: "},          {" ", "f:1:2: "},
      {"{", "f:1:2: "},         {"[1,2", "f:1:5: "},
      {"[1,]", "f:1:4: "},      {"{\"a\":1,}", "f:1:8: "},
      {"{a:1}", "f:1:2: "},     {"{'a':1}", "f:1:2: "},
      {"{\"a\" 1}", "f:1:6: "}, {"[\"a\" \"b\"]", "f:1:6: "},
      {"[1] x", "f:1:5: "},     {"{} {}", "f:1:4: "},
      {"1 2", "f:1:3: "},       {"nul", "f:1:"},
      {"True", "f:1:1: "},      {"NaN", "f:1:1: "},
      {"Infinity", "f:1:1: "},  {"-Infinity", "f:1:2: "},
      {"[01]", "f:1:3: "},      {"[1.]", "f:1:4: "},
      {"[.5]", "f:1:2: "},      {"[+1]", "f:1:2: "},
      {"[1e]", "f:1:4: "},      {"[0x10]", "f:1:3: "},
      {"[1_000]", "f:1:3: "},   {"// c\n1", "f:1:"},
      {"/* c */ 1", "f:1:"},    {"\"a", "f:1:3: "},
      {"\"\\x\"", "f:1:3: "},   {"\"\\u12\"", "f:1:6: "},
      {"\"\t\"", "f:1:2: "},    {"[\"a\nb\"]", "f:1:4: "},
  };
  for (const auto& [text, place] : cases) {
    CAPTURE(text);
    CHECK(parse_error(text).starts_with(place));
  }
}

TEST_CASE("json: a name that occurs twice is refused where it occurs again") {
  CHECK(parse_error("{\"a\":1,\n \"b\":2, \"a\":3}") == "f:2:9: member \"a\" occurs twice");
  CHECK(parse_error("{\"o\":{\"é\":1,\"\\u00e9\":2}}") == "f:1:13: member \"é\" occurs twice");
  CHECK(parse_error("[{\"\":1,\"\":2}]") == "f:1:8: member \"\" occurs twice");
  CHECK(parse_error("{\"b\":0,\"a\\\"\":1,\"a\\\"\":2,\"b\":3}") == "f:1:16: member \"a\\\"\" occurs twice");
  CHECK_NOTHROW(Json::parse("[{\"a\":1},{\"a\":2}]", "f"));
  CHECK_NOTHROW(Json::parse("{\"a\":{\"a\":2}}", "f"));
}

TEST_CASE("json: text outside Unicode is refused") {
  for (const std::string_view bad : {"\"\xFF\"", "\"\xC0\x80\"", "\"\xE0\x80\x80\"", "\"\xED\xA0\x80\"",
                                     "\"\xF4\x90\x80\x80\"", "\"\xC3\"", "\"\x80\"", "\"\xE2\x82\""}) {
    CAPTURE(bad);
    CHECK(parse_error(bad) == "f:1:2: invalid UTF-8");
  }
  CHECK(parse_error("\"\\ud800\"").find("surrogate") != std::string::npos);
  CHECK(parse_error("\"\\ud800\\u0041\"").find("surrogate") != std::string::npos);
  CHECK(parse_error("\"\\ud800x\"").find("surrogate") != std::string::npos);
  CHECK(parse_error("\"\\udc00\"").find("surrogate") != std::string::npos);
  CHECK(parse_error("\"\\udc00\\ud800\"").find("surrogate") != std::string::npos);
  CHECK(parse_error("\xEF\xBB\xBF{}") == "f:1:1: begins with a byte order mark (remove it)");
  // The parser below would take a NUL for the end.
  CHECK(parse_error(std::string_view("{}\0", 3)) == "f:1:3: a NUL byte");
  CHECK(parse_error(std::string_view("{}\0garbage", 10)) == "f:1:3: a NUL byte");
  CHECK(Json::parse("\"\\u0000\"", "f").as_string() == std::string(1, '\0'));
  CHECK(Json::parse("\"\\ud83d\\ude00\"", "f").as_string() == "\xF0\x9F\x98\x80");
}

TEST_CASE("json: at most 64 levels") {
  CHECK_NOTHROW(Json::parse(nested(64), "f"));
  CHECK(parse_error(nested(65)) == "f:1:65: nested deeper than 64 levels");
  CHECK(parse_error(nested(200000)) == "f:1:65: nested deeper than 64 levels");
  std::string objects;
  for (int i = 0; i < 65; ++i) objects += "{\"a\":";
  CHECK(parse_error(objects).ends_with("nested deeper than 64 levels"));
}

TEST_CASE("json: integers keep sign and 64 bits, everything else is a double") {
  const Json numbers = Json::parse(
      "[0, -0, 18446744073709551615, 18446744073709551616, 9223372036854775807, 9223372036854775808,"
      " -9223372036854775808, -9223372036854775809, 1.0, 1e2, -1]",
      "f");
  const auto& n = numbers.as_array();
  CHECK(n[0].is_unsigned());
  CHECK(n[0].as_unsigned() == 0);
  CHECK_FALSE(n[1].is_integer());
  CHECK_FALSE(n[1].is_unsigned());
  CHECK(std::signbit(n[1].as_number()));
  CHECK(n[2].as_unsigned() == std::numeric_limits<std::uint64_t>::max());
  CHECK_FALSE(n[2].is_integer());
  CHECK_FALSE(n[3].is_unsigned());
  CHECK_FALSE(n[3].is_integer());
  CHECK(n[3].as_number() == 0x1p64);
  CHECK(n[4].as_integer() == std::numeric_limits<std::int64_t>::max());
  CHECK_FALSE(n[5].is_integer());
  CHECK(n[5].as_unsigned() == std::uint64_t{1} << 63);
  CHECK(n[6].as_integer() == std::numeric_limits<std::int64_t>::min());
  CHECK_FALSE(n[6].is_unsigned());
  CHECK_FALSE(n[7].is_integer());
  CHECK_FALSE(n[8].is_integer());
  CHECK_FALSE(n[9].is_unsigned());
  CHECK_FALSE(n[10].is_unsigned());
  CHECK(n[10].as_integer() == -1);
  CHECK(parse_error("[1e400]") == "f:1:2: a number beyond the range of a double");
  CHECK(parse_error("[1, -1e999 ]") == "f:1:5: a number beyond the range of a double");
  CHECK(Json::parse("1e-400", "f").as_number() == 0.0);
}

TEST_CASE("json: a wrong kind says what was expected and what was found") {
  const Json value = Json::parse("{\"a\":[1,\"x\",null,true,-1]}", "f");
  const auto& a = value.at("a").as_array();
  CHECK(error_text([&] { a[0].as_string(); }) == "expected a string, found a number");
  CHECK(error_text([&] { a[1].as_number(); }) == "expected a number, found a string");
  CHECK(error_text([&] { a[2].as_bool(); }) == "expected true or false, found null");
  CHECK(error_text([&] { a[3].as_integer(); }) == "expected an integer, found true or false");
  CHECK(error_text([&] { a[4].as_unsigned(); }) == "expected a non-negative integer, found a number");
  CHECK(error_text([&] { a[0].as_array(); }) == "expected an array, found a number");
  CHECK(error_text([&] { value.at("a").as_object(); }) == "expected an object, found an array");
  CHECK(error_text([&] { value.at("b"); }) == "member \"b\" is missing");
  CHECK(value.find("b") == nullptr);
}

TEST_CASE("json: dump has stable bytes") {
  Json value;
  value.set("z", 1)
      .set("a", Json::Array{true, nullptr, -2, 0.1, "q\"\\\n\x01\x7F/é"})
      .set("o", Json::Object{})
      .set("l", Json::Array{});
  value.set("z", 1.0);
  CHECK(value.dump() ==
        "{\"z\":1.0,\"a\":[true,null,-2,0.1,\"q\\\"\\\\\\n\\u0001\x7F/é\"],\"o\":{},\"l\":[]}");
  CHECK(Json::parse("{\"a\":[1,{\"b\":[]}]}", "f").dump(2) ==
        "{\n  \"a\": [\n    1,\n    {\n      \"b\": []\n    }\n  ]\n}");
  CHECK(Json(1e22).dump() == "1e+22");
  CHECK(Json(-0.0).dump() == "-0.0");
  CHECK(Json(5e-324).dump() == "5e-324");
  CHECK(Json(std::uint64_t{18446744073709551615u}).dump() == "18446744073709551615");
  CHECK(error_text([] { Json(std::nan("")).dump(); }) == "JSON has no NaN");
  CHECK(error_text([] { Json(-INFINITY).dump(); }) == "JSON has no infinity");
  CHECK(error_text([] { Json("a\xFF").dump(); }) == "string \"a\\xff\" is not UTF-8 at byte 1");
  CHECK(error_text([] { Json(1).set("a", 2); }) == "expected an object, found a number");
}

TEST_CASE("json: every double and every escape reads back equal") {
  const RandomStream stream{.seed = 11};
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const std::uint64_t bits =
        std::uint64_t{random_word(stream, 2 * i)} << 32 | random_word(stream, 2 * i + 1);
    double value;
    static_assert(sizeof value == sizeof bits);
    __builtin_memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) continue;
    const std::string text = Json(value).dump();
    const Json back = Json::parse(text, "f");
    CAPTURE(text);
    REQUIRE(back.as_number() == value);
    REQUIRE(back.dump() == text);
  }
  for (char32_t c = 0; c < 0x300; ++c) {
    std::string text;
    if (c < 0x80) {
      text += static_cast<char>(c);
    } else {
      text += static_cast<char>(0xC0 | c >> 6);
      text += static_cast<char>(0x80 | (c & 63));
    }
    REQUIRE(Json::parse(Json(text).dump(), "f").as_string() == text);
  }
}

TEST_CASE("json: events carry the byte where their token begins") {
  struct Recorder : JsonEvents {
    std::string out;
    void note(const char* what, std::size_t at) { out += std::string(what) + std::to_string(at) + " "; }
    void null(std::size_t at) override { note("n", at); }
    void boolean(std::size_t at, bool) override { note("b", at); }
    void integer(std::size_t at, std::int64_t) override { note("i", at); }
    void unsigned_integer(std::size_t at, std::uint64_t) override { note("u", at); }
    void number(std::size_t at, double) override { note("d", at); }
    void string(std::size_t at, std::string) override { note("s", at); }
    void begin_object(std::size_t at) override { note("{", at); }
    void key(std::size_t at, std::string) override { note("k", at); }
    void end_object(std::size_t at) override { note("}", at); }
    void begin_array(std::size_t at) override { note("[", at); }
    void end_array(std::size_t at) override { note("]", at); }
  };
  const auto events = [](std::string_view text) {
    Recorder recorder;
    read_json(text, "f", recorder);
    return recorder.out;
  };
  CHECK(events("[1, -2,3.5 ,null,true, false,\"a\\\"b\\\\\",{\"k\\\\\" : 1}]") ==
        "[0 u1 i4 d7 n12 b17 b23 s29 {38 k39 u47 }48 ]49 ");
  CHECK(events("12") == "u0 ");
  CHECK(events(" 12 ") == "u1 ");
  CHECK(events("\"\\\\\\\"\"") == "s0 ");
}

TEST_CASE("json: positions count lines and code points from 1") {
  CHECK(text_position("aé\nb€c", "f", 8) == "f:2:3");
  CHECK(text_position("", "f", 0) == "f:1:1");
  CHECK(text_position("ab", "f", 99) == "f:1:3");
}
