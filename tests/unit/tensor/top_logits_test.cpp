// The largest logits and their normaliser beside the logits themselves.
#include <algorithm>
#include <cmath>

#include "tensor/kernels/argmax/argmax.hpp"
#include "unit/tensor/kernel_testing.hpp"

namespace headwater {
namespace {

using namespace testing;  // NOLINT: the tests' own helpers
using kernels::TopLogit;

struct TopResult {
  std::vector<TopLogit> top;
  std::vector<float> log_sums;
};

// The same in three steps.
TopResult top_of_logits(const Grid<float>& all, const kernels::BannedColumns& banned, Index count) {
  Grid<float> logits = all;
  TopResult result{std::vector<TopLogit>(logits.rows * count, TopLogit{7, 7}),
                   std::vector<float>(logits.rows, 7)};
  kernels::top_log_sums(logits.view(), result.log_sums);
  kernels::top_logits(logits.view(), banned, count, result.top);
  return result;
}

TopResult top_of(const Grid<float>& x, const kernels::PackedWeight& w, const std::vector<float>& bias,
                 const kernels::BannedColumns& banned, Index count) {
  TopResult result{std::vector<TopLogit>(x.rows * count, TopLogit{7, 7}), std::vector<float>(x.rows, 7)};
  kernels::linear_top(x.view(), w, bias.data(), banned, count, result.top, result.log_sums);
  return result;
}

bool same(const TopResult& a, const TopResult& b) {
  return a.log_sums == b.log_sums &&
         std::equal(a.top.begin(), a.top.end(), b.top.begin(), [](const TopLogit& p, const TopLogit& q) {
           return p.value == q.value && p.column == q.column;
         });
}

// All logits sorted.
void check_top(const TopResult& found, const Grid<float>& logits, const kernels::BannedColumns& banned,
               Index count) {
  for (Index r = 0; r < logits.rows; ++r) {
    const float* const row = logits.view().row(r);
    std::vector<std::int32_t> order;
    double sum = 0;
    for (std::int32_t c = 0; c < logits.cols; ++c) {
      sum += std::exp(static_cast<double>(row[c]));
      const auto is_in = [&](std::span<const std::int32_t> list) {
        return std::find(list.begin(), list.end(), c) != list.end();
      };
      bool is_own = false;
      for (Index i = banned.offsets.empty() ? 0 : banned.offsets[r];
           !banned.offsets.empty() && i < banned.offsets[static_cast<std::size_t>(r) + 1]; ++i)
        is_own = is_own || banned.columns[i] == c;
      if (!is_in(banned.all) && !is_own && (banned.limit == 0 || c < banned.limit)) order.push_back(c);
    }
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return row[a] > row[b]; });
    CHECK(std::abs(static_cast<double>(found.log_sums[r]) - std::log(sum)) <= 1e-5);
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      const TopLogit& top = found.top[static_cast<std::size_t>(r * count) + i];
      CHECK(top.column == (i < order.size() ? order[i] : -1));
      if (i < order.size()) CHECK(top.value == row[order[i]]);
    }
  }
}

}  // namespace

TEST_CASE("linear_top gives the largest logits in order, on every code path and on any threads") {
  struct Shape {
    Index rows, inputs, columns, count;
  };
  const Shape shapes[] = {
      {1, 3, 5, 8}, {2, 17, 255, 2}, {5, 16, 257, 8}, {4, 128, 3001, 8}, {130, 24, 700, 4}};
  for (const Shape& s : shapes) {
    INFO(s.rows, " rows, ", s.columns, " columns");
    const Grid<float> x = random_grid(s.rows, s.inputs, 1, 3);
    Grid<float> w = random_grid(s.inputs, s.columns, 2, 5);
    for (Index k = 0; k < s.inputs; ++k) w.view().row(k)[s.columns - 1] = w.view().row(k)[1];  // equal logits
    std::vector<float> bias(s.columns, 0.25F),
        panels(static_cast<std::size_t>(kernels::packed_size(s.inputs, s.columns)));
    const kernels::PackedWeight packed = kernels::pack_weight(w.view(), panels.data());
    Grid<float> logits(s.rows, s.columns);
    kernels::linear(x.view(), w.view(), bias.data(), kernels::Activation::none, logits.view());
    const std::vector<std::int32_t> all = {0, 3};
    std::vector<std::int32_t> columns;
    std::vector<Index> offsets = {0};
    for (Index r = 0; r < s.rows; ++r) {
      if (r % 2 == 0) columns.push_back(static_cast<std::int32_t>((r * 7 + 1) % s.columns));
      offsets.push_back(static_cast<Index>(columns.size()));
    }
    const kernels::BannedColumns bans[] = {
        {}, {.all = all}, {.all = all, .offsets = offsets, .columns = columns, .limit = s.columns - 1}};
    for (const kernels::BannedColumns& banned : bans) {
      const TopResult expected = top_of(x, packed, bias, banned, s.count);
      check_top(expected, logits, banned, s.count);
      for (const kernels::Isa isa : available_isas()) {
        const IsaScope scope(isa);
        for (const int threads : {1, 3}) {
          TopResult found;
          ThreadPool(threads).run([&] { found = top_of(x, packed, bias, banned, s.count); });
          CHECK(same(found, expected));
          ThreadPool(threads).run([&] { found = top_of_logits(logits, banned, s.count); });
          CHECK(same(found, expected));
        }
      }
      for (Index r = 0; r < s.rows && banned.offsets.empty(); r += 3) {  // a row alone
        Grid<float> one(1, s.inputs);
        std::copy_n(x.view().row(r), s.inputs, one.view().row(0));
        const TopResult alone = top_of(one, packed, bias, banned, s.count);
        CHECK(alone.log_sums[0] == expected.log_sums[r]);
      }
    }
  }
}

TEST_CASE("linear_top gives the first columns of equal logits, on every code path") {
  constexpr Index kColumns = 300, kCount = 8;
  const Grid<float> x(1, 4), w(4, kColumns);  // zeros
  const std::vector<float> bias(kColumns, 0.0F);
  std::vector<float> panels(kernels::packed_size(4, kColumns));
  const kernels::PackedWeight packed = kernels::pack_weight(w.view(), panels.data());
  for (const kernels::Isa isa : available_isas()) {
    const IsaScope scope(isa);
    const TopResult found = top_of(x, packed, bias, {}, kCount);
    for (std::int32_t i = 0; i < kCount; ++i) CHECK(found.top[i].column == i);
  }
}

}  // namespace headwater
