// Decoding steps over caches beside the full computation.
#include "unit/tensor/kernel_testing.hpp"

namespace headwater {
namespace {

using namespace testing;  // NOLINT: the tests' own helpers

// A cache in memory that holds NaN wherever nothing was put.
struct Cache {
  std::vector<float> keys, values;
  kernels::AttentionCache view;

  Cache(Index slots, Index heads, Index head_width, Index length, Index window) {
    view.heads = heads;
    view.head_width = head_width;
    view.window = window;
    view.capacity = kernels::cache_capacity(length, window);
    keys.assign(view.key_floats(slots), std::nanf(""));
    values.assign(view.value_floats(slots), std::nanf(""));
    view.keys = keys.data();
    view.values = values.data();
  }
};

struct CacheProblem {
  std::vector<Index> lengths;
  Index heads, head_width, gap;
  Index window = 0;
};

// The outputs of the last query of each sequence after every step, sequences in a shuffled order of slots.
std::vector<Grid<float>> step_by_step(const CacheProblem& p, const Grid<float>& q, const Grid<float>& k,
                                      const Grid<float>& v) {
  const std::vector<Index> offsets = offsets_of(p.lengths);
  const Index sequences = static_cast<Index>(p.lengths.size()), width = p.heads * p.head_width;
  const Index longest = *std::max_element(p.lengths.begin(), p.lengths.end());
  const Cache cache(sequences, p.heads, p.head_width, longest, p.window);
  Grid<float> out(q.rows, width, p.gap);
  for (Index t = 0; t < longest; ++t) {
    std::vector<Index> slots, positions, seen;
    for (Index s = sequences - 1; s >= 0; --s) {
      if (t >= p.lengths[s]) continue;
      slots.push_back((s * 5 + 3) % sequences);  // sequences is no multiple of 5
      positions.push_back(t);
      seen.push_back(t + 1);
    }
    const Index count = static_cast<Index>(slots.size());
    Grid<float> queries(count, width), keys(count, width, 3), values(count, width), mixed(count, width, 2);
    Index b = 0;
    for (Index s = sequences - 1; s >= 0; --s) {
      if (t >= p.lengths[s]) continue;
      const Index row = offsets[s] + t;
      std::copy_n(q.view().row(row), width, queries.view().row(b));
      std::copy_n(k.view().row(row), width, keys.view().row(b));
      std::copy_n(v.view().row(row), width, values.view().row(b));
      ++b;
    }
    kernels::append_to_cache(cache.view, slots, positions, keys.view(), values.view());
    kernels::attention_over_cache(queries.view(), cache.view, slots, seen,
                                  1 / std::sqrt(static_cast<Real>(p.head_width)), mixed.view());
    CHECK(mixed.has_intact_gaps());
    b = 0;
    for (Index s = sequences - 1; s >= 0; --s) {
      if (t >= p.lengths[s]) continue;
      std::copy_n(mixed.view().row(b++), width, out.view().row(offsets[s] + t));
    }
  }
  return {out};
}

}  // namespace

TEST_CASE("attention over caches: step by step the bits of causal attention") {
  const std::pair<Index, Index> cases[] = {
      {1, 0},  {7, 0},  {16, 0}, {17, 0},  {32, 0},  {40, 0},   {64, 0},   {65, 0}, {80, 0},  {130, 0},
      {16, 1}, {17, 5}, {7, 64}, {40, 65}, {80, 63}, {32, 100}, {16, 128}, {64, 2}, {16, 129}};
  for (const auto& [head_width, window] : cases) {
    const CacheProblem p{
        window == 0 ? std::vector<Index>{1, 16, 17, 70, 3, 130} : std::vector<Index>{1, 400, 17, 270, 3, 64},
        1 + head_width % 3, head_width, head_width % 4, window};
    const std::vector<Index> offsets = offsets_of(p.lengths);
    const Index width = p.heads * p.head_width;
    const Grid<float> q = random_grid(offsets.back(), width, 1, 0, 4),
                      k = random_grid(offsets.back(), width, 2, 0, 4),
                      v = random_grid(offsets.back(), width, 3);
    kernels::AttentionShape shape;
    shape.query_offsets = shape.key_offsets = offsets;
    shape.heads = p.heads;
    shape.head_width = head_width;
    shape.scale = 1 / std::sqrt(static_cast<Real>(head_width));
    shape.is_causal = true;
    shape.window = window;
    Grid<float> expected(offsets.back(), width, p.gap);
    kernels::attention(q.view(), k.view(), v.view(), shape, expected.view(), {});
    INFO("head width ", head_width, ", window ", window);
    CHECK(same_bits(step_by_step(p, q, k, v)[0], expected));
    if (head_width == 17 || head_width == 80)
      check_same_bits_everywhere([&] { return step_by_step(p, q, k, v); });
  }
}

}  // namespace headwater
