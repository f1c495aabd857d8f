#include "reports/heat_map.hpp"

#include <doctest/doctest.h>

#include "reports/svg.hpp"
#include "support/error.hpp"
#include "support/utf8.hpp"
#include "svg_page.hpp"

using namespace headwater;

namespace {

AttentionRecord record_of(std::vector<std::string> queries, std::vector<std::string> keys,
                          std::int64_t layer = 0, std::int64_t head = 0) {
  AttentionRecord record{.kind = AttentionKind::cross, .layer = layer, .head = head};
  record.predicts = queries;
  record.weights.assign(queries.size() * keys.size(), 1.0F / static_cast<float>(keys.size()));
  record.query_tokens = std::move(queries);
  record.key_tokens = std::move(keys);
  return record;
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size()))
    ++found;
  return found;
}

// What makes XML well-formed, as far as our pictures use it: tags that nest, quoted attributes, known
// entities, legal characters.
std::string fault_of_xml(std::string_view text) {
  if (find_invalid_utf8(text) != std::string_view::npos) return "invalid UTF-8";
  std::vector<std::string> open;
  int roots = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n') return "control character";
    if (c == '&') {
      const std::string_view entity = text.substr(at, text.find(';', at) - at + 1);
      if (entity != "&amp;" && entity != "&lt;" && entity != "&gt;" && entity != "&quot;")
        return "unknown entity";
      at += entity.size();
    } else if (c != '<') {
      if (open.empty() && c != '\n') return "text outside the root";
      ++at;
    } else {
      const std::size_t end = text.find('>', at);
      if (end == std::string_view::npos) return "open tag";
      const std::string_view tag = text.substr(at + 1, end - at - 1);
      at = end + 1;
      if (tag.find('<') != std::string_view::npos) return "tag in a tag";
      if (count(tag, "\"") % 2 != 0) return "open attribute";
      if (tag.starts_with('?')) continue;
      if (tag.starts_with('/')) {
        if (open.empty() || open.back() != tag.substr(1)) return "closes another tag: " + std::string(tag);
        open.pop_back();
      } else {
        if (open.empty() && ++roots > 1) return "two roots";
        if (!tag.ends_with('/')) open.emplace_back(tag.substr(0, tag.find(' ')));
      }
    }
  }
  return open.empty() ? "" : "never closed: " + open.back();
}

}  // namespace

TEST_CASE("the checker of XML finds faults") {
  CHECK(fault_of_xml("<a><b/></a>").empty());
  CHECK(!fault_of_xml("<a><b></a>").empty());
  CHECK(!fault_of_xml("<a>x & y</a>").empty());
  CHECK(!fault_of_xml("<a/><b/>").empty());
}

TEST_CASE("pictures are well-formed whatever the tokens hold") {
  const std::vector<std::string> hostile = {"<script>",
                                            "&amp;",
                                            "\"'",
                                            "\n\t",
                                            std::string(1, '\0'),
                                            "\x1b[31m",
                                            "\x80\xFF",
                                            "\uFFFF",
                                            "日本語の長い長い長いトークン",
                                            "مرحبا",
                                            "e\u0301",
                                            "",
                                            "]]>",
                                            "--",
                                            "👩‍🚀",
                                            std::string(5000, 'x')};
  std::vector<AttentionRecord> records;
  for (std::int64_t head = 0; head < 3; ++head) records.push_back(record_of(hostile, hostile, 0, head));
  records.push_back(record_of({"a"}, {"b"}, 1, 0));
  const std::string svg = heat_map_svg(records, {.title = "<&\">\x01"});
  CHECK(fault_of_xml(svg) == "");
  CHECK(fault_of_xml(heat_map_svg({records.data(), 1})) == "");
  CHECK(svg.find("<script>") == std::string::npos);
  const std::string lines = attention_lines_svg(records, {.title = "<&\">\x01"});
  CHECK(fault_of_xml(lines) == "");
  CHECK(lines.find("<script>") == std::string::npos);
}

TEST_CASE("spaces can be seen, and labels do not lie over each other") {
  const std::string svg =
      heat_map_svg(std::vector{record_of({" ", "\u00A0"}, {"\u2581", "\u2581the", "a\u202F", "\u3000"})});
  for (const char* label : {">\u2423</text>", ">\u237D</text>"}) CHECK(count(svg, label) >= 1);
  for (const char* label :
       {">\u2423<title>\u2581</title>", ">\u2423the<", ">a\u237D<", ">\u2423<title>\u3000</title>"})
    CHECK(count(svg, label) == 1);
  CHECK(count(svg, "<title>\u2423 → \u2423 | \u2423the: 0.2500</title>") == 1);
  for (const auto& [tokens, labels] : {std::pair(30, 30), std::pair(64, 64), std::pair(90, 45)}) {
    const std::vector<std::string> many(tokens, "ab");
    const std::string picture = heat_map_svg(std::vector{record_of(many, many)});
    CHECK(count(picture, "rotate(-50)") == static_cast<std::size_t>(labels));
  }
}

TEST_CASE("one panel a head, or one a layer") {
  std::vector<AttentionRecord> records;
  for (std::int64_t layer = 0; layer < 2; ++layer) {
    for (std::int64_t head = 0; head < 4; ++head)
      records.push_back(record_of({"a", "b"}, {"c", "d", "e"}, layer, head));
  }
  const std::string all = heat_map_svg(records);
  CHECK(count(all, "<g ") == 8);
  CHECK(count(all, ">layer 1, head 3<") == 1);
  CHECK(count(all, "attention</text>") == 1);  // one section
  const std::string means = heat_map_svg(records, {.is_mean_over_heads = true});
  CHECK(count(means, "<g ") == 2);
  CHECK(count(means, ">layer 1, mean of heads<") == 1);
}

TEST_CASE("lines between words: as strong as their weights, a colour a head, a panel a layer") {
  std::vector<AttentionRecord> records;
  for (std::int64_t layer = 0; layer < 5; ++layer) {
    for (std::int64_t head = 0; head < 14; ++head) {
      records.push_back(record_of({"a", "wider than a"}, {"c", "d", "e"}, layer, head));
      records.back().weights = {0.9F, 0.06F, 0.04F, 0, 0.5F, 0.5F};
    }
  }
  const std::string svg = attention_lines_svg(records, {.max_width = 900});
  CHECK(count(svg, "<g stroke=") == 5 * 14);
  CHECK(count(svg, "<line ") == 5 * 14 * 3);
  CHECK(count(svg, "stroke-opacity=\"0.90\"") == 5 * 14);
  CHECK(count(svg, ">layer 4</text>") == 1);
  CHECK(count(svg, ">wider\u2423than\u2423a → wider\u2423than\u2423a</text>") == 5);
  CHECK(count(svg, ">head 13</text>") == 1);
  CHECK(text_beyond_page(svg) == "");
  CHECK(std::stod(attribute_of(svg.substr(svg.find("<svg")), "width")) <= 900);
  CHECK(count(attention_lines_svg(records, {.min_weight = 0}), "<line ") == 5 * 14 * 6);
  const std::string means = attention_lines_svg(records, {.is_mean_over_heads = true});
  CHECK(count(means, "<g stroke=") == 5);
  CHECK(count(means, ">layer 1, mean of heads</text>") == 1);
  CHECK(count(means, ">head ") == 0);
  const std::string one = attention_lines_svg(std::span(records).subspan(3, 1));
  CHECK(count(one, ">layer 0, head 3</text>") == 1);
}

TEST_CASE("nothing to draw is an error") {
  const std::vector<AttentionRecord> empty(1);
  CHECK_THROWS_AS(heat_map_svg({}), Error);
  CHECK_THROWS_AS(heat_map_svg(empty), Error);
  CHECK_THROWS_AS(attention_lines_svg({}), Error);
  CHECK_THROWS_AS(attention_lines_svg(empty), Error);
}

TEST_CASE("the colour scale goes from light to dark") {
  const auto brightness = [](Color c) { return 0.2126 * c.red + 0.7152 * c.green + 0.0722 * c.blue; };
  for (int i = 0; i < 100; ++i)
    CHECK(brightness(sequential_color(i / 100.0)) >= brightness(sequential_color((i + 1) / 100.0)));
  for (int i = 0; i < 100; ++i)
    CHECK(brightness(heat_color(i / 100.0)) <= brightness(heat_color((i + 1) / 100.0)));
  CHECK(sequential_color(-1) == sequential_color(0));
  CHECK(sequential_color(2) == sequential_color(1));
  CHECK(hex({31, 95, 151}) == "#1f5f97");
}

TEST_CASE("labels are cut by columns, numbers kept short") {
  CHECK(shortened("short", 5) == "short");
  CHECK(shortened("longer", 5) == "long…");
  CHECK(shortened("日本語", 5) == "日本…");
  CHECK(svg_number(3.0) == "3");
  CHECK(svg_number(-0.01) == "0");
  CHECK(svg_number(2.25) == "2.2");
  CHECK(xml_text("a<\n\x80") == "a&lt;\u240A\uFFFD");
}

TEST_CASE("the heads of a layer become their mean, layer by layer") {
  const auto record = [](std::int64_t layer, std::int64_t head, std::vector<float> weights) {
    AttentionRecord made = record_of({"[START]", "casa"}, {"red", "house", "."}, layer, head);
    made.weights = std::move(weights);
    return made;
  };
  std::vector<AttentionRecord> records = {record(0, 0, {0.25F, 0.75F, 0.0F, 0.125F, 0.25F, 0.625F}),
                                          record(0, 1, {0.75F, 0.0F, 0.25F, 0.5F, 0.375F, 0.125F}),
                                          record(1, 0, {1.0F, 0.0F, 0.0F, 0.0F, 0.0F, 1.0F})};
  const std::vector<AttentionRecord> means = means_over_heads(records);
  REQUIRE(means.size() == 2);
  CHECK(means[0].weights == std::vector{0.5F, 0.375F, 0.125F, 0.3125F, 0.3125F, 0.375F});
  CHECK(means[0].head == -1);
  CHECK(means[1].layer == 1);
  CHECK(means[1].weights == records[2].weights);
  // Another example has another mean; within one example two sizes do not fit together.
  records[1] = record_of({"casa"}, {"house"}, 0, 1);
  records[1].example = 1;
  CHECK(means_over_heads(records).size() == 3);
  records[1].example = 0;
  CHECK_THROWS_WITH_AS(means_over_heads(records), doctest::Contains("different sizes"), Error);
}
