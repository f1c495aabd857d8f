// Rollout and distance beside the sums of their definitions.
#include "reports/attention_map.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "error_text.hpp"

using namespace headwater;

namespace {

using Square = std::vector<std::vector<double>>;

// Rows that sum to 1, other ones for each layer and head.
std::vector<AttentionRecord> made_records(const PatchTokens& tokens, std::int64_t layers,
                                          std::int64_t heads) {
  std::vector<AttentionRecord> records;
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    for (std::int64_t head = 0; head < heads; ++head) {
      AttentionRecord record{.layer = layer, .head = head};
      record.query_tokens = record.key_tokens = std::vector<std::string>(tokens.count());
      for (std::size_t q = 0; q < tokens.count(); ++q) {
        std::vector<double> row;
        double sum = 0;
        for (std::size_t k = 0; k < tokens.count(); ++k) {
          row.push_back(
              std::exp(3 * std::sin(static_cast<double>(1 + k + 5 * q) *
                                    (1.3 * static_cast<double>(layer) + static_cast<double>(head) + 1))));
          sum += row.back();
        }
        for (const double value : row) record.weights.push_back(static_cast<float>(value / sum));
      }
      records.push_back(std::move(record));
    }
  }
  return records;
}

// The whole product of matrices, as the paper writes it.
Square naive_rollout(std::span<const AttentionRecord> records, std::size_t tokens, std::int64_t layers,
                     std::int64_t heads) {
  Square product(tokens, std::vector<double>(tokens));
  for (std::size_t i = 0; i < tokens; ++i) product[i][i] = 1;
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    Square a(tokens, std::vector<double>(tokens));
    for (std::size_t q = 0; q < tokens; ++q) {
      double sum = 0;
      for (std::size_t k = 0; k < tokens; ++k) {
        for (std::int64_t head = 0; head < heads; ++head) {
          const AttentionRecord& record = records[layer * heads + head];
          a[q][k] += static_cast<double>(record.weights[q * tokens + k]) / static_cast<double>(heads);
        }
        if (q == k) a[q][k] += 1;
        sum += a[q][k];
      }
      for (double& value : a[q]) value /= sum;
    }
    Square next(tokens, std::vector<double>(tokens));
    for (std::size_t q = 0; q < tokens; ++q)
      for (std::size_t k = 0; k < tokens; ++k)
        for (std::size_t i = 0; i < tokens; ++i) next[q][k] += a[q][i] * product[i][k];
    product = next;
  }
  return product;
}

constexpr PatchTokens kWithClass{.rows = 2, .columns = 3, .has_class_token = true};
constexpr PatchTokens kWithout{.rows = 2, .columns = 3, .has_class_token = false};

}  // namespace

TEST_CASE("rollout is the row of the product of all layers that the output reads") {
  for (const PatchTokens& tokens : {kWithClass, kWithout}) {
    const std::vector<AttentionRecord> records = made_records(tokens, 3, 2);
    const std::vector<double> rollout = attention_rollout(records, tokens);
    const Square whole = naive_rollout(records, tokens.count(), 3, 2);
    REQUIRE(rollout.size() == tokens.count());
    double sum = 0;
    for (std::size_t k = 0; k < tokens.count(); ++k) {
      double wanted = whole[0][k];
      if (!tokens.has_class_token) {
        for (std::size_t q = 1; q < tokens.count(); ++q) wanted += whole[q][k];
        wanted /= static_cast<double>(tokens.count());
      }
      CHECK(std::abs(rollout[k] - wanted) < 1e-6);
      sum += rollout[k];
    }
    CHECK(std::abs(sum - 1) < 1e-6);
  }
}

TEST_CASE("layers in another order are another rollout") {
  std::vector<AttentionRecord> records = made_records(kWithClass, 2, 1);
  const std::vector<double> rollout = attention_rollout(records, kWithClass);
  std::swap(records[0].weights, records[1].weights);
  const std::vector<double> other = attention_rollout(records, kWithClass);
  double difference = 0;
  for (std::size_t k = 0; k < rollout.size(); ++k) difference += std::abs(rollout[k] - other[k]);
  CHECK(difference > 0.01);
}

TEST_CASE("the attention of the output: the class token's row, or the mean of all, in the mean of heads") {
  for (const PatchTokens& tokens : {kWithClass, kWithout}) {
    const std::vector<AttentionRecord> records = made_records(tokens, 1, 3);
    const std::vector<double> found = attention_of_output(records, tokens);
    const std::size_t count = tokens.count();
    for (std::size_t k = 0; k < count; ++k) {
      double wanted = 0;
      for (const AttentionRecord& record : records) {
        double column = 0;
        for (std::size_t q = 0; q < count; ++q) {
          const double share = tokens.has_class_token ? (q == 0 ? 1 : 0) : 1 / static_cast<double>(count);
          column += share * static_cast<double>(record.weights[q * count + k]);
        }
        wanted += column / 3;
      }
      CHECK(std::abs(found[k] - wanted) < 1e-6);
    }
  }
}

TEST_CASE("distance: pixels between patches weighted by attention, without the class token") {
  for (const PatchTokens& tokens : {kWithClass, kWithout}) {
    AttentionDistance distance(tokens, 4);
    const std::vector<AttentionRecord> first = made_records(tokens, 2, 2);
    std::vector<AttentionRecord> second = made_records(tokens, 3, 2);
    second.erase(second.begin(), second.begin() + 2);  // other weights for the same layers
    for (AttentionRecord& record : second) --record.layer;
    distance.add(first);
    distance.add(second);
    CHECK(distance.images() == 2);
    const std::vector<AttentionDistance::Row> rows = distance.rows();
    REQUIRE(rows.size() == 4);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      CHECK(rows[i].layer == static_cast<std::int64_t>(i / 2));
      CHECK(rows[i].head == static_cast<std::int64_t>(i % 2));
      double wanted = 0;
      for (const auto& records : {first, second}) {
        const std::size_t from = tokens.has_class_token ? 1 : 0;
        for (std::size_t q = 0; q < 6; ++q) {
          double pixels = 0, sum = 0;
          for (std::size_t k = 0; k < 6; ++k) {
            const double weight =
                static_cast<double>(records[i].weights[(q + from) * tokens.count() + k + from]);
            const double down = 4.0 * (static_cast<double>(q / 3) - static_cast<double>(k / 3));
            const double right = 4.0 * (static_cast<double>(q % 3) - static_cast<double>(k % 3));
            pixels += weight * std::sqrt(down * down + right * right);
            sum += weight;
          }
          wanted += pixels / sum / 12;
        }
      }
      CHECK(std::abs(rows[i].pixels - wanted) < 1e-6);
    }
  }
}

TEST_CASE("who looks at itself alone looks 0 pixels far; all alike look the grid's mean distance far") {
  const PatchTokens pair{.rows = 1, .columns = 2, .has_class_token = false};
  AttentionRecord record{
      .query_tokens = {"0,0", "0,1"}, .key_tokens = {"0,0", "0,1"}, .weights = {1, 0, 0, 1}};
  AttentionDistance self(pair, 16), even(pair, 16);
  self.add(std::span(&record, 1));
  record.weights = {0.5F, 0.5F, 0.5F, 0.5F};
  even.add(std::span(&record, 1));
  CHECK(self.rows()[0].pixels == 0);
  CHECK(even.rows()[0].pixels == 8);
  CHECK(attention_distance_csv(even.rows()) == "layer,head,pixels\n0,0,8\n");
}

TEST_CASE("patches that look at the class token alone are at no distance") {
  const PatchTokens tokens{.rows = 1, .columns = 2, .has_class_token = true};
  AttentionRecord record{.weights = {1, 0, 0, 1, 0, 0, 0.5F, 0.5F, 0}};
  record.query_tokens = record.key_tokens = {"[CLS]", "0,0", "0,1"};
  AttentionDistance distance(tokens, 3);
  distance.add(std::span(&record, 1));
  CHECK(distance.rows()[0].pixels == 3);
}

TEST_CASE("records of other tokens are refused") {
  const std::vector<AttentionRecord> records = made_records(kWithout, 1, 1);
  CHECK(error_text([&] { attention_rollout(records, kWithClass); }) ==
        "attention: weights of 6 x 6 tokens, an image has 7");
  CHECK(error_text([&] { attention_rollout({}, kWithClass); }) ==
        "attention: the model has no layers to look into");
  CHECK(error_text([&] { AttentionDistance(kWithClass, 1).add(records); }) ==
        "attention: weights of 6 x 6 tokens, an image has 7");
}

TEST_CASE("rollout as CSV: the class token's place is empty, names are quoted where they must") {
  const PatchTokens tokens{.rows = 1, .columns = 2, .has_class_token = true};
  std::string out(rollout_csv_header());
  append_rollout_csv(out, {.example = 2, .image = "a,b.png", .predicts = "cat", .probability = 0.5F},
                     std::vector<double>{0.5, 0.25, 0.25}, tokens);
  CHECK(out ==
        "example,image,predicts,probability,row,column,weight\n"
        "2,\"a,b.png\",cat,0.5,,,0.5\n"
        "2,\"a,b.png\",cat,0.5,0,0,0.25\n"
        "2,\"a,b.png\",cat,0.5,0,1,0.25\n");
}

TEST_CASE("the picture of distances has a dot for each head and names its layers") {
  const std::vector<AttentionDistance::Row> rows = {{0, 0, 1.5}, {0, 1, 4}, {1, 0, 8}};
  const std::string svg = attention_distance_svg(rows, "a <model>");
  std::size_t dots = 0;
  for (std::size_t at = svg.find("<circle"); at != svg.npos; at = svg.find("<circle", at + 1)) ++dots;
  CHECK(dots == 4);  // and one of the legend
  CHECK(svg.find("a &lt;model&gt;") != svg.npos);
  CHECK(svg.find("layer 1, head 0: 8.00") != svg.npos);
  CHECK(error_text([] { attention_distance_svg({}, ""); }) == "attention distance: no images");
}
