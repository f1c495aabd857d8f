#include "reports/text_rollout.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "support/parallel.hpp"

namespace headwater {

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
