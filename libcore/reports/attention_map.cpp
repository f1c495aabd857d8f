#include "reports/attention_map.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "reports/attention_table.hpp"
#include "support/csv.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/parallel.hpp"

namespace headwater {

namespace {

void check_tokens(std::span<const AttentionRecord> records, const PatchTokens& tokens) {
  if (records.empty()) throw Error("attention: the model has no layers to look into");
  for (const AttentionRecord& record : records) {
    check(record);
    if (record.queries() == tokens.count() && record.keys() == tokens.count()) continue;
    throw Error("attention: weights of " + std::to_string(record.queries()) + " x " +
                std::to_string(record.keys()) + " tokens, an image has " + std::to_string(tokens.count()));
  }
}

// What the output layer reads: the class token, or all patches alike.
std::vector<double> output_row(const PatchTokens& tokens) {
  std::vector<double> row(tokens.count(),
                          tokens.has_class_token ? 0 : 1 / static_cast<double>(tokens.count()));
  if (tokens.has_class_token) row[0] = 1;
  return row;
}

// row times the mean of the records' matrices.
std::vector<double> times_mean(const std::vector<double>& row, std::span<const AttentionRecord> records) {
  std::vector<double> product(row.size());
  for (const AttentionRecord& record : records) {
    for (std::size_t q = 0; q < row.size(); ++q) {
      const double share = row[q] / static_cast<double>(records.size());
      for (std::size_t k = 0; k < row.size(); ++k)
        product[k] += share * static_cast<double>(record.weights[q * row.size() + k]);
    }
  }
  return product;
}

}  // namespace

std::vector<double> attention_rollout(std::span<const AttentionRecord> records, const PatchTokens& tokens) {
  check_tokens(records, tokens);
  std::vector<double> row = output_row(tokens);
  // The last layer first: a row times one matrix after the other is the row of their product.
  for (std::size_t end = records.size(); end > 0;) {
    std::size_t begin = end - 1;
    while (begin > 0 && records[begin - 1].layer == records[end - 1].layer) --begin;
    const std::vector<double> attended = times_mean(row, records.subspan(begin, end - begin));
    // Rows of attention sum to 1, and with the identity to 2.
    for (std::size_t k = 0; k < row.size(); ++k) row[k] = (attended[k] + row[k]) / 2;
    end = begin;
  }
  return row;
}

std::vector<double> attention_of_output(std::span<const AttentionRecord> records, const PatchTokens& tokens) {
  check_tokens(records, tokens);
  return times_mean(output_row(tokens), records);
}

std::string_view rollout_csv_header() { return "example,image,predicts,probability,row,column,weight\n"; }

void append_rollout_csv(std::string& out, const RolloutRow& row, std::span<const double> rollout,
                        const PatchTokens& tokens) {
  const std::string head = std::to_string(row.example) + "," + csv_field(row.image) + "," +
                           csv_field(row.predicts) + "," +
                           format_number(static_cast<double>(row.probability)) + ",";
  for (std::size_t i = 0; i < rollout.size(); ++i) {
    const bool is_patch = i >= tokens.first_patch();
    const std::size_t patch = is_patch ? i - tokens.first_patch() : 0;
    out += head;
    if (is_patch) out += std::to_string(patch / tokens.columns);
    out += ',';
    if (is_patch) out += std::to_string(patch % tokens.columns);
    out += "," + format_number(rollout[i]) + "\n";
  }
}

std::vector<double> patch_distances(const PatchTokens& tokens, std::int64_t patch_size) {
  const std::size_t first = tokens.first_patch();
  const auto apart = [](std::size_t a, std::size_t b) { return static_cast<double>(a > b ? a - b : b - a); };
  std::vector<double> distances(tokens.count() * tokens.count(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t q = 0; q < tokens.patches(); ++q) {
    for (std::size_t k = 0; k < tokens.patches(); ++k) {
      distances[(q + first) * tokens.count() + k + first] =
          static_cast<double>(patch_size) * std::hypot(apart(q / tokens.columns, k / tokens.columns),
                                                       apart(q % tokens.columns, k % tokens.columns));
    }
  }
  return distances;
}

AttentionDistance::AttentionDistance(const PatchTokens& tokens, std::int64_t patch_size)
    : tokens_(tokens), distances_(patch_distances(tokens, patch_size)) {}

void AttentionDistance::add(std::span<const AttentionRecord> records) {
  check_tokens(records, tokens_);
  const std::size_t first = tokens_.first_patch(), count = tokens_.count();
  for (const AttentionRecord& record : records) {
    const auto is_of_head = [&](const Sum& sum) {
      return sum.layer == record.layer && sum.head == record.head;
    };
    auto sum = std::find_if(sums_.begin(), sums_.end(), is_of_head);
    if (sum == sums_.end()) sum = sums_.insert(sum, {.layer = record.layer, .head = record.head});
    for (std::size_t q = first; q < count; ++q) {
      const double* const apart = distances_.data() + q * count;
      const std::optional<double> pixels = distance_of_row({record.weights.data() + q * count, count},
                                                           [&](std::size_t k) { return apart[k]; });
      if (!pixels) continue;  // it looks at the class token alone
      sum->pixels += *pixels;
      ++sum->queries;
    }
  }
  ++images_;
}

std::vector<AttentionDistance::Row> AttentionDistance::rows() const {
  std::vector<Row> rows;
  for (const Sum& sum : sums_)
    rows.push_back(
        {sum.layer, sum.head, sum.pixels / static_cast<double>(std::max<std::int64_t>(sum.queries, 1))});
  return rows;
}

std::string attention_distance_csv(std::span<const AttentionDistance::Row> rows) {
  std::string out = "layer,head,pixels\n";
  for (const AttentionDistance::Row& row : rows) {
    out +=
        std::to_string(row.layer) + "," + std::to_string(row.head) + "," + format_number(row.pixels) + "\n";
  }
  return out;
}

// `rolled` becomes `layer` times `rolled`; both are [n, n]. Columns do not depend on each other, so a copy of
// a few of them is enough.
static void multiply(std::span<const double> layer, std::span<double> rolled, std::size_t n) {
  constexpr std::size_t kColumns = 64;
  parallel_for(static_cast<std::int64_t>((n + kColumns - 1) / kColumns), [&](std::int64_t block) {
    const std::size_t begin = static_cast<std::size_t>(block) * kColumns,
                      columns = std::min(kColumns, n - begin);
    std::vector<double> before(n * columns);
    for (std::size_t k = 0; k < n; ++k)
      std::copy_n(rolled.data() + k * n + begin, columns, before.data() + k * columns);
    for (std::size_t q = 0; q < n; ++q) {
      double* const next = rolled.data() + q * n + begin;
      std::fill_n(next, columns, 0.0);
      for (std::size_t k = 0; k < n; ++k) {
        const double share = layer[q * n + k];
        if (share == 0) continue;  // half of them where attention is causal
        for (std::size_t i = 0; i < columns; ++i) next[i] += share * before[k * columns + i];
      }
    }
  });
}

void TextRollout::add(AttentionRecord head, const EachRows& for_each_rows) {
  if (head.kind == AttentionKind::cross) return;
  if (heads_ > 0 && (head.kind != last_.kind || head.layer != last_.layer)) end_layer();
  if (head.kind != last_.kind) end_kind();
  last_ = std::move(head);
  ++heads_;
  const std::size_t n = last_.keys();
  sum_.resize(n * n);
  for_each_rows([&](std::size_t query, std::span<const float> rows) {
    const std::size_t begin = std::min(query * n, sum_.size()),
                      count = std::min(rows.size(), sum_.size() - begin);
    for (std::size_t i = 0; i < count; ++i) sum_[begin + i] += static_cast<double>(rows[i]);
  });
}

void TextRollout::end_layer() {
  const std::size_t n = last_.keys();
  for (double& weight : sum_) weight = static_cast<double>(static_cast<float>(weight / double(heads_))) / 2;
  for (std::size_t i = 0; i < n; ++i) sum_[i * n + i] += 0.5;
  if (rolled_.empty()) {
    std::swap(rolled_, sum_);
  } else {
    multiply(sum_, rolled_, n);
  }
  sum_.clear();
  heads_ = 0;
}

void TextRollout::end_kind() {
  if (rolled_.empty()) return;
  sum_ = {};
  AttentionRecord& record = all_.emplace_back(std::move(last_));
  record.layer = record.head = -1;
  record.query_tokens.resize(record.keys());
  if (!record.predicts.empty()) record.predicts.resize(record.keys());
  record.weights.assign(rolled_.begin(), rolled_.end());
  rolled_ = {};
}

std::vector<AttentionRecord> TextRollout::finish() {
  if (heads_ > 0) end_layer();
  end_kind();
  return std::move(all_);
}

}  // namespace headwater
