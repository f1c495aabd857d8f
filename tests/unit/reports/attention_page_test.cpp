// The page of attention: its numbers, and that what it shows cannot become markup.
#include "reports/attention_page.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "error_text.hpp"
#include "support/bytes.hpp"
#include "support/json.hpp"

using namespace headwater;

namespace {

double from_half(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31, fraction = bits & 1023;
  return exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
}

PageExample example_of(const std::vector<std::string>& words, std::int64_t layers, std::int64_t heads) {
  PageExample example{.number = 3, .name = words.front(), .records = {}};
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    for (std::int64_t head = 0; head < heads; ++head) {
      AttentionRecord record{
          .example = 3, .layer = layer, .head = head, .query_tokens = words, .key_tokens = words};
      for (std::size_t i = 0; i < words.size() * words.size(); ++i)
        record.weights.push_back(1.0F /
                                 static_cast<float>(i + 1 + static_cast<std::size_t>(layer * heads + head)));
      example.records.push_back(std::move(record));
    }
  }
  return example;
}

std::string between(const std::string& text, std::string_view begin, std::string_view end) {
  const std::size_t from = text.find(begin) + begin.size();
  return text.substr(from, text.find(end, from) - from);
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != text.npos; at += part.size()) ++found;
  return found;
}

}  // namespace

TEST_CASE("weights in half precision: every number comes back, others are the nearest") {
  for (int bits = 0; bits <= 0x3C00; ++bits) {
    const double value = from_half(static_cast<std::uint16_t>(bits));
    REQUIRE(half_of_weight(static_cast<float>(value)) == bits);
    if (bits == 0x3C00) break;
    const double next = from_half(static_cast<std::uint16_t>(bits + 1)), middle = (value + next) / 2;
    REQUIRE(half_of_weight(static_cast<float>(middle)) == bits + bits % 2);
    REQUIRE(half_of_weight(std::nextafter(static_cast<float>(middle), 0.0F)) == bits);
    REQUIRE(half_of_weight(std::nextafter(static_cast<float>(middle), 1.0F)) == bits + 1);
  }
  CHECK(half_of_weight(1.5F) == 0x3C00);
}

TEST_CASE("a page holds all weights of all layers and heads, and their tokens") {
  const std::vector<PageExample> examples = {example_of({"a", "b c"}, 2, 3)};
  const std::string page = attention_page(examples, "a <b> & c");
  CHECK(page.find("<title>a &lt;b&gt; &amp; c</title>") != std::string::npos);
  CHECK(page.find("default-src 'none'") != std::string::npos);
  CHECK(count(page, "http:") + count(page, "https:") ==
        2);  // the name of SVG's elements, twice; nothing is fetched
  CHECK(count(page, "http://www.w3.org/2000/svg") == 2);
  const Json data = Json::parse(between(page, "id=\"data\">", "</script>"), "data");
  const Json& kind = data.at("examples").as_array()[0].at("kinds").as_array()[0];
  CHECK(kind.at("keys").as_array()[1].as_string() == "b\u2423c");
  const std::string bytes = from_base64(kind.at("weights").as_string());
  REQUIRE(bytes.size() == 2 * 2 * 3 * 4);
  const auto at = [&](std::size_t i) {
    return from_half(static_cast<std::uint16_t>(static_cast<unsigned char>(bytes[2 * i]) |
                                                static_cast<unsigned char>(bytes[2 * i + 1]) << 8));
  };
  for (std::size_t head = 0; head < 6; ++head) {
    for (std::size_t i = 0; i < 4; ++i)
      CHECK(at(head * 4 + i) == doctest::Approx(1.0 / static_cast<double>(i + 1 + head)).epsilon(0.0005));
  }
}

TEST_CASE("hostile texts stay text") {
  const std::vector<std::string> hostile = {"</script><script>alert(1)</script>",
                                            "<!--",
                                            "\u202Eevil",
                                            std::string(1, '\0'),
                                            "\x80\xFF",
                                            "👩‍🚀",
                                            std::string(5000, 'x')};
  const std::string page = attention_page(std::vector{example_of(hostile, 1, 1)}, hostile[0]);
  CHECK(count(page, "<script") == 2);
  CHECK(count(page, "</script>") == 2);
  CHECK(count(page, "<!--") == 0);
  CHECK(page.find("\u202E") == std::string::npos);
  CHECK(page.find('\0') == std::string::npos);
  CHECK(page.size() < 30000);
  Json::parse(between(page, "id=\"data\">", "</script>"), "data");
}

TEST_CASE("an image goes with its examples") {
  PageExample example = example_of({"[CLS]", "0,0", "0,1"}, 1, 1);
  example.image = {
      .picture = {.height = 1, .width = 2, .pixels = {1, 2, 3, 4, 5, 6}}, .rows = 1, .columns = 2};
  const std::string page = attention_page(std::vector{example}, "image");
  CHECK(count(page, "data:image/png;base64,") == 1);
}

TEST_CASE("what does not fit together is refused") {
  CHECK(error_text([] { attention_page({}, ""); }) == "attention: nothing to show");
  CHECK(error_text([] { attention_page(std::vector{PageExample{}}, ""); }) ==
        "attention: the model has no layers to look into");
  PageExample example = example_of({"a"}, 2, 2);
  example.records.pop_back();
  CHECK(error_text([&] { attention_page(std::vector{example}, ""); }) ==
        "attention: a page has each head of each layer of a text once");
}
