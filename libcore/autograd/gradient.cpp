#include "autograd/gradient.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>

#include "support/parallel.hpp"
#include "tensor/kernels.hpp"

namespace headwater {

namespace {

constexpr std::int64_t kRows = 64;  // a task's share of a table

template <class F>
void for_each_row(const std::vector<std::int32_t>& rows, const F& f) {
  const auto count = static_cast<std::int64_t>(rows.size());
  parallel_for((count + kRows - 1) / kRows, [&](std::int64_t task) {
    for (std::int64_t i = task * kRows; i < std::min(count, (task + 1) * kRows); ++i)
      f(rows[static_cast<std::size_t>(i)]);
  });
}

// Puts the rows of `from` among those of `to`, both ascending, without memory beside the vector's own.
void merge_rows(const std::vector<std::int32_t>& from, std::vector<std::int32_t>& to) {
  std::size_t added = 0, lower = 0;
  for (const std::int32_t row : from) {
    while (lower < to.size() && to[lower] < row) ++lower;
    if (lower == to.size() || to[lower] != row) ++added;
  }
  std::size_t upper = from.size();
  lower = to.size();
  to.resize(lower + added);
  for (std::size_t place = to.size(); upper > 0;) {
    if (lower > 0 && to[lower - 1] >= from[upper - 1]) {
      if (to[lower - 1] == from[upper - 1]) --upper;
      to[--place] = to[--lower];
    } else {
      to[--place] = from[--upper];
    }
  }
}

}  // namespace

void FlatArrayDeleter::operator()(Real* p) const {
  if (!owner) munmap(p, bytes);
}

FlatArray make_flat_array(Index size) {
  const std::size_t bytes = std::max<std::size_t>(static_cast<std::size_t>(size) * sizeof(Real), 4096);
  void* address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED) throw std::bad_alloc();
  madvise(address, bytes, MADV_HUGEPAGE);
  return FlatArray(static_cast<Real*>(address), FlatArrayDeleter{bytes, nullptr});
}

void Gradient::begin_step() {
  if (state == State::sparse) {
    for_each_row(rows, [&](std::int32_t row) { std::fill_n(values.row(row), values.cols, Real(0)); });
  }
  has_old_values |= state == State::dense;
  state = State::untouched;
  rows.clear();
}

void Gradient::clear() {
  if (has_old_values) kernels::fill(values, 0);
  has_old_values = false;
}

bool Gradient::begin_dense() {
  const bool accumulate = state != State::untouched;
  state = State::dense;
  rows.clear();
  has_old_values = false;
  return accumulate;
}

bool Gradient::begin_rows(std::span<const std::int32_t> ids, std::span<std::uint8_t> is_written) {
  if (state == State::dense) return true;
  const bool accumulate = state == State::sparse;
  clear();
  state = State::sparse;
  std::fill(is_written.begin(), is_written.end(), std::uint8_t{0});
  for (const std::int32_t row : rows) is_written[static_cast<std::size_t>(row)] = 1;
  for (const std::int32_t row : ids) is_written[static_cast<std::size_t>(row)] = 1;
  rows.clear();
  for (std::size_t row = 0; row < is_written.size(); ++row) {
    if (is_written[row] != 0) rows.push_back(static_cast<std::int32_t>(row));
  }
  return accumulate;
}

void add_gradient(const Gradient& from, Gradient& to) {
  using State = Gradient::State;
  if (from.state == State::untouched) return;
  if (from.state == State::dense) {
    if (to.begin_dense()) {
      kernels::accumulate(from.values, to.values);
    } else {
      kernels::copy(from.values, to.values);
    }
    return;
  }
  to.clear();
  const Index cols = to.values.cols;
  const bool is_dense = to.state == State::dense;
  for_each_row(from.rows, [&](std::int32_t row) {
    const bool is_there = is_dense || std::binary_search(to.rows.begin(), to.rows.end(), row);
    const Real* const x = from.values.row(row);
    Real* const y = to.values.row(row);
    for (Index c = 0; c < cols; ++c) y[c] = is_there ? y[c] + x[c] : x[c];
  });
  if (is_dense) return;
  to.state = State::sparse;
  merge_rows(from.rows, to.rows);
}

}  // namespace headwater
