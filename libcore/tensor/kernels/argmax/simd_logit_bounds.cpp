// Bounds of logits from products of bytes: sums of whole numbers are exact, so that they and the candidates
// are the same whatever the vector width.
#include "tensor/kernels/argmax/argmax_table.hpp"
#include "tensor/simd_int8.hpp"

namespace headwater::kernels::HEADWATER_ISA {

namespace {

constexpr float kInfinity = __builtin_inff();
constexpr int kPanels = kBoundsGroup / 16;

#if defined(HEADWATER_ISA_avx512)
constexpr int kRows = 6;
#else
constexpr int kRows = 1;
#endif

BoundsRow prepare(const float* x, Index K, const LogitBounds& bounds, std::uint8_t* bytes) {
  const auto part = [&](Index k) {
    return k + 16 <= K ? f32x16::load(x + k) : f32x16::load_partial(x + k, K - k);
  };
  f32x16 most = f32x16::zero(), squares = f32x16::zero();
  for (Index k = 0; k < K; k += 16) {
    const f32x16 value = part(k);
    most = max(most, abs(value));
    squares = fma(value, value, squares);
  }
  const float largest = reduce_max(most), length = __builtin_sqrtf(reduce_add(squares));
  if (!(largest >= 0x1p-40f && largest <= 0x1p40f)) return {0, kInfinity};
  const float factor = largest / 63;
  const f32x16 inverse = f32x16::broadcast(63 / largest), back = f32x16::broadcast(-factor);
  const f32x16 whole = f32x16::broadcast(kNearestWhole);
  const f32x16 zero_point = f32x16::broadcast(kNearestWhole + kBoundsZeroPoint);
  f32x16 rests = f32x16::zero();
  for (Index k = 0; k < K; k += 16) {
    const f32x16 value = part(k), nearest = fma(value, inverse, whole) - whole;
    const f32x16 rest = fma(back, nearest, value);
    rests = fma(rest, rest, rests);
    store_bytes(bits_of(nearest + zero_point), bytes + k);
  }
  // |x·w - x̂·ŵ| <= |x|·|w - ŵ| + |x - x̂|·|ŵ| (Cauchy and Schwarz), and the roundings of the chain and of the
  // bound, each relative to |x|·|w| at most; a thousandth more for the roundings of the lengths themselves.
  const float rounding = static_cast<float>(K + 8) * 0x1p-22f;
  const float error = length * bounds.rest + __builtin_sqrtf(reduce_add(rests)) * bounds.length +
                      rounding * length * (bounds.length + bounds.rest);
  return {factor, error * 1.001f};
}

// Upper bounds of R rows and one group of columns, and what they are at most and the lower ones at least.
template <int R>
void bound_group(const BoundsTask& task, Index group, Index row) {
  const Index steps = int8_steps(task.K), stride = int8_row_bytes(task.K), column = group * kBoundsGroup;
  const std::int8_t* panel = task.bytes + group * kBoundsGroup * 4 * steps;
  const std::uint8_t* x = task.x + row * stride;
  i32x16 sum[R][kPanels];
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 4
    for (int p = 0; p < kPanels; ++p) sum[r][p] = load_whole(task.starts + column + 16 * p);
  }
  // The group that comes next, so many lines a step that the micro_panels of rows fetch all of it.
  const Index micro_panels = (task.rows + kRows - 1) / kRows,
              lines = (kPanels + micro_panels - 1) / micro_panels;
  const std::int8_t* prefetch = task.bytes + (group + 1) * kBoundsGroup * 4 * steps +
                                row * micro_panels / task.rows * steps * lines * 64;
  for (Index k = 0; k < steps; ++k, panel += 64, x += 4) {
    if constexpr (R > 1) {
      for (Index line = 0; line < lines; ++line, prefetch += 64) __builtin_prefetch(prefetch, 0, 3);
    }
    i32x16 b[kPanels];
#pragma GCC unroll 4
    for (int p = 0; p < kPanels; ++p) b[p] = load_whole(panel + p * 64 * steps);
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      int four;
      __builtin_memcpy(&four, x + r * stride, sizeof(four));
      const i32x16 a = i32x16::broadcast(four);
#pragma GCC unroll 4
      for (int p = 0; p < kPanels; ++p) sum[r][p] = add_small_products(sum[r][p], a, b[p]);
    }
  }
  float* const extremes = task.scratch + task.rows * kBoundsBlock;
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) {
    const BoundsRow& of = task.row[row + r];
    const f32x16 factor = f32x16::broadcast(of.factor), error = f32x16::broadcast(of.error),
                 apart = f32x16::broadcast(-2 * of.error);
    float* const extreme = extremes + (row + r) * 32;
    f32x16 most = f32x16::load(extreme), least = f32x16::load(extreme + 16);
#pragma GCC unroll 4
    for (int p = 0; p < kPanels; ++p) {
      const f32x16 scale = f32x16::load(task.scales + column + 16 * p);
      const f32x16 upper =
          fma(scale, fma(to_float(sum[r][p]), factor, error), f32x16::load(task.bias + column + 16 * p));
      upper.store(task.scratch + (row + r) * kBoundsBlock + column + 16 * p);
      most = max(upper, most);
      least = max(fma(scale, apart, upper), least);
    }
    most.store(extreme);
    least.store(extreme + 16);
  }
}

// A lane is above `bound`, or not to be compared with it.
HEADWATER_INLINE bool reaches(f32x16 uppers, f32x16 bound) { return any(not_less_equal(uppers, bound)); }

// Drops the panels of a full list that are not above the mean: one at least.
void drop_unlikely(Candidates& found) {
  float mean = 0, smallest = kInfinity;
  for (const Candidate& candidate : found.list) {
    mean += candidate.upper / Candidates::kMost;
    if (candidate.upper < smallest) smallest = candidate.upper;
  }
  // An infinite bound, or one that is no number: nothing can be said, all logits are needed.
  float bar = mean < kInfinity ? mean : kInfinity;
  if (bar < smallest) bar = smallest;
  if (found.dropped < bar) found.dropped = bar;
  found.count = 0;
  for (const Candidate& candidate : found.list) {
    if (candidate.upper > bar) found.list[found.count++] = candidate;
  }
}

// The panels of a row whose bounds reach what is known of the largest logit; which ones is hard to foresee,
// so that they are found without a branch. Common words raise what is known and are not everywhere: the
// list may fill with panels that are no candidates in the end.
void collect(const BoundsTask& task, const float* upper, Candidates& found) {
  const float reach = bounds_reach(found.least);
  const f32x16 bound = f32x16::broadcast(found.dropped > reach ? found.dropped : reach);
  unsigned panels = 0;
  for (Index panel = 0; panel < task.groups * kPanels; ++panel)
    panels |= static_cast<unsigned>(reaches(f32x16::load(upper + 16 * panel), bound)) << panel;
  for (; panels != 0; panels &= panels - 1) {
    if (found.count == Candidates::kMost) drop_unlikely(found);
    const int panel = __builtin_ctz(panels);
    found.list[found.count++] = {reduce_max(f32x16::load(upper + 16 * panel)),
                                 static_cast<std::int32_t>(task.first_panel + panel)};
  }
}

void search(const BoundsTask& task) {
  float* const extremes = task.scratch + task.rows * kBoundsBlock;
  for (Index i = 0; i < task.rows * 32; i += 16) f32x16::broadcast(-kInfinity).store(extremes + i);
  for (Index group = 0; group < task.groups; ++group) {
    for_each_part<kRows>(task.rows, [&]<int R>(Index row) { bound_group<R>(task, group, row); });
  }
  for (Index r = 0; r < task.rows; ++r) {
    Candidates& found = task.found[r];
    // Lower bounds raise what is known only where upper bounds reach it.
    if (!reaches(f32x16::load(extremes + r * 32), f32x16::broadcast(bounds_reach(found.least)))) continue;
    const float least = reduce_max(f32x16::load(extremes + r * 32 + 16));
    if (least > found.least) found.least = least;
    collect(task, task.scratch + r * kBoundsBlock, found);
  }
}

}  // namespace

extern const LogitBoundsTable logit_bounds_functions;
const LogitBoundsTable logit_bounds_functions{prepare, search};

}  // namespace headwater::kernels::HEADWATER_ISA
