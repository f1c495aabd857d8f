#include "reports/attention_page.hpp"

#include <algorithm>
#include <cmath>

#include "reports/page_parts.hpp"
#include "reports/svg.hpp"
#include "support/bytes.hpp"
#include "support/error.hpp"
#include "support/json.hpp"

namespace headwater {
namespace {

constexpr std::size_t kPageNameColumns = 70;

Json::Array numbers_in(std::span<const AttentionRecord> records, std::int64_t AttentionRecord::*member) {
  Json::Array numbers;
  for (const AttentionRecord& record : records) {
    const Json number(record.*member);
    const auto is_it = [&](const Json& other) { return other.as_integer() == number.as_integer(); };
    if (std::ranges::none_of(numbers, is_it)) numbers.push_back(number);
  }
  return numbers;
}

Json::Array labels_in(const std::vector<std::string>& tokens) {
  const std::vector<std::string> labels = token_labels(tokens);
  return {labels.begin(), labels.end()};
}

// The records of one kind.
Json kind_json(std::span<const AttentionRecord> records) {
  const AttentionRecord& first = records.front();
  Json::Array layers = numbers_in(records, &AttentionRecord::layer),
              heads = numbers_in(records, &AttentionRecord::head);
  std::string bytes;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const AttentionRecord& record = records[i];
    check(record);
    const bool is_next = record.layer == layers[std::min(i / heads.size(), layers.size() - 1)].as_integer() &&
                         record.head == heads[i % heads.size()].as_integer();
    if (!is_next || record.weights.size() != first.weights.size() ||
        records.size() != layers.size() * heads.size())
      throw Error("attention: a page has each head of each layer of a text once");
    for (const float weight : record.weights) {
      const std::uint16_t half = half_of_weight(weight);
      bytes.push_back(static_cast<char>(half & 0xFF));
      bytes.push_back(static_cast<char>(half >> 8));
    }
  }
  Json json;
  json.set("kind", name_of(first.kind)).set("layers", std::move(layers)).set("heads", std::move(heads));
  json.set("queries", labels_in(first.query_tokens)).set("keys", labels_in(first.key_tokens));
  if (!first.predicts.empty()) json.set("predicts", labels_in(first.predicts));
  json.set("weights", to_base64(bytes));
  return json;
}

Json example_json(const PageExample& example) {
  if (example.records.empty()) throw Error("attention: the model has no layers to look into");
  Json::Array kinds;
  const std::span<const AttentionRecord> records = example.records;
  for (std::size_t begin = 0; begin < records.size();) {
    std::size_t end = begin + 1;
    while (end < records.size() && records[end].kind == records[begin].kind) ++end;
    kinds.push_back(kind_json(records.subspan(begin, end - begin)));
    begin = end;
  }
  Json json;
  json.set("number", example.number).set("name", shortened(example.name, kPageNameColumns));
  json.set("kinds", std::move(kinds));
  if (example.image) {
    Json image;
    image.set("rows", example.image->rows).set("columns", example.image->columns);
    image.set("source", "data:image/png;base64," + to_base64(png_of(example.image->picture)));
    json.set("image", std::move(image));
  }
  return json;
}

// JSON inside an element <script>: no "<" begins a tag or a comment there.
std::string in_script(std::string json) {
  if (json.find('<') == json.npos) return json;
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out.push_back(c);
    }
  }
  return out;
}

}  // namespace

std::uint16_t half_of_weight(float weight) {
  constexpr double kSmallestNormal = 0x1p-14, kSubnormalUnits = 0x1p24, kFractions = 1024;
  const auto value = std::clamp(static_cast<double>(weight), 0.0, 1.0);
  if (value < kSmallestNormal) return static_cast<std::uint16_t>(std::nearbyint(value * kSubnormalUnits));
  const int exponent = std::ilogb(value);
  // 1024 of 1024 carries into the exponent, as it should.
  const auto fraction = static_cast<int>(std::nearbyint((std::ldexp(value, -exponent) - 1) * kFractions));
  return static_cast<std::uint16_t>(((exponent + 15) << 10) + fraction);
}

std::string attention_page(std::vector<PageExample> examples, std::string_view title) {
  if (examples.empty()) throw Error("attention: nothing to show");
  std::string data = "{\"examples\":[";  // one tree of all would be in memory a second time
  for (PageExample& example : examples) {
    if (&example != examples.data()) data += ",";
    data += in_script(example_json(example).dump());
    example = {};
  }
  data += "]}";
  return html_document(title, kAttentionPageCss,
                       std::string(kAttentionPageHtml) + "<script type=\"application/json\" id=\"data\">" +
                           data + "</script>\n<script>\n" + std::string(kAttentionPageJs) + "</script>\n",
                       true);
}

}  // namespace headwater
