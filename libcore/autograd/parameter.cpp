#include "autograd/parameter.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <new>
#include <numbers>

#include "support/error.hpp"
#include "support/hash.hpp"
#include "support/math_functions.hpp"
#include "support/parallel.hpp"
#include "support/random.hpp"
#include "tensor/kernels/elementwise/elementwise.hpp"

namespace headwater {

namespace {

constexpr std::int64_t kRows = 64;  // a task's share of a table

template <class F>
void for_each_row(const std::vector<std::int32_t>& rows, const F& f) {
  const auto count = static_cast<std::int64_t>(rows.size());
  parallel_for((count + kRows - 1) / kRows, [&](std::int64_t task) {
    for (std::int64_t i = task * kRows; i < std::min(count, (task + 1) * kRows); ++i) f(rows[i]);
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
  for (const std::int32_t row : rows) is_written[row] = 1;
  for (const std::int32_t row : ids) is_written[row] = 1;
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

Gradient& Parameter::next_use() {
  if (!keeps_uses_apart || uses++ == 0) return gradient;
  if (further.size() + 1 < uses) further.push_back(gradient_of_its_own());
  return further[uses - 2];
}

Gradient Parameter::gradient_at(Real* values) const {
  Gradient made;
  made.values = Matrix(values, value.rows, value.cols);
  if (is_table) made.rows.reserve(value.rows);
  return made;
}

Gradient Parameter::gradient_of_its_own() const {
  FlatArray memory = make_flat_array(size());
  Gradient made = gradient_at(memory.get());
  made.memory = std::move(memory);
  return made;
}

Parameter* Parameters::declare(std::string name, std::vector<Index> shape, Index rows, Index cols,
                               Initializer initializer, double fan_in, double fan_out) {
  if (find(name) != nullptr) throw Error("parameters: " + quote(name) + " is declared twice");
  auto parameter = std::make_unique<Parameter>();
  parameter->name = std::move(name);
  parameter->shape = std::move(shape);
  parameter->value = Matrix(nullptr, rows, cols);
  parameter->initializer = initializer;
  parameter->fan_in = fan_in;
  parameter->fan_out = fan_out;
  all_.push_back(std::move(parameter));
  Parameter* const declared = all_.back().get();
  by_name_.emplace(declared->name, declared);
  return declared;
}

void Parameters::lay_out() {
  std::sort(all_.begin(), all_.end(), [](const auto& a, const auto& b) { return a->name < b->name; });
  size_ = 0;
  for (const auto& p : all_) {
    p->offset = size_;
    size_ += p->size();
  }
}

void Parameters::place(std::shared_ptr<void> owner) {
  lay_out();
  owner_ = std::move(owner);
}

void Parameters::allocate_over(Real* values, std::shared_ptr<void> owner) {
  lay_out();
  values_ = FlatArray(values, FlatArrayDeleter{0, std::move(owner)});
  for (const auto& p : all_) p->value.data = values + p->offset;
}

void Parameters::allocate(bool with_gradients) {
  lay_out();
  values_ = make_flat_array(size_);
  if (with_gradients) gradients_ = make_flat_array(size_);
  for (const auto& p : all_) {
    p->value.data = values_.get() + p->offset;
    if (with_gradients) p->gradient = p->gradient_at(gradients_.get() + p->offset);
  }
}

Parameter* Parameters::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

namespace {

// Uniform in (-limit, limit).
void fill_uniform(const RandomStream& stream, float limit, Parameter& p) {
  for (Index i = 0; i < p.size(); i += 4) {
    const auto words = philox_block(stream, static_cast<std::uint64_t>(i / 4));
    for (Index j = i; j < std::min(i + 4, p.size()); ++j) {
      const float uniform = static_cast<float>(words[j - i] >> 8) * 0x1p-24f;
      p.value.data[j] = limit * (2.0f * uniform - 1.0f);
    }
  }
}

// Two numbers of each block of four words (Box and Muller 1958).
void fill_normal(const RandomStream& stream, double standard_deviation, Parameter& p) {
  for (Index i = 0; i < p.size(); i += 2) {
    const auto words = philox_block(stream, static_cast<std::uint64_t>(i / 2));
    const double above_zero = (static_cast<double>(words[0]) + 1) * 0x1p-32;
    const double radius = standard_deviation * std::sqrt(-2 * natural_logarithm(above_zero));
    const double angle = 2 * std::numbers::pi * static_cast<double>(words[1]) * 0x1p-32;
    p.value.data[i] = static_cast<Real>(radius * cosine(angle));
    if (i + 1 < p.size()) p.value.data[i + 1] = static_cast<Real>(radius * sine(angle));
  }
}

// Element j belongs to lane j mod 16, as in the rows of the kernels; vectors need no order but this.
double dot(const double* a, const double* b, std::size_t n) {
  constexpr std::size_t kLanes = 16;
  std::array<double, kLanes> sums{};
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  }
  for (std::size_t lane = 0; i < n; ++i, ++lane) sums[lane] += a[i] * b[i];
  for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
    for (std::size_t lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
  }
  return sums[0];
}

// Rows of `length` numbers at right angles to those before (Gram and Schmidt, each twice against what
// rounding leaves), in double.
void make_orthonormal(std::vector<double>& rows, std::size_t length) {
  for (std::size_t r = 0; r * length < rows.size(); ++r) {
    double* const row = rows.data() + r * length;
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t before = 0; before < r; ++before) {
        const double* const other = rows.data() + before * length;
        const double share = dot(other, row, length);
        for (std::size_t i = 0; i < length; ++i) row[i] -= share * other[i];
      }
    }
    const double size = std::sqrt(dot(row, row, length));
    for (std::size_t i = 0; i < length; ++i) row[i] /= size;
  }
}

void fill_orthogonal(const RandomStream& stream, Parameter& p) {
  fill_normal(stream, 1, p);
  const auto rows = static_cast<std::size_t>(p.value.rows), cols = static_cast<std::size_t>(p.value.cols);
  const bool is_tall = rows > cols;
  const std::size_t length = is_tall ? rows : cols;
  const auto place = [&](std::size_t i) { return is_tall ? i % length * cols + i / length : i; };
  std::vector<double> numbers(rows * cols);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(p.value.data[place(i)]);
  make_orthonormal(numbers, length);
  for (std::size_t i = 0; i < numbers.size(); ++i) p.value.data[place(i)] = static_cast<Real>(numbers[i]);
}

}  // namespace

void Parameters::initialize(std::uint64_t seed) {
  for (const auto& p : all_) {
    const std::uint64_t name = hash64(p->name);
    const RandomStream stream{.seed = seed,
                              .purpose = Purpose::initialize,
                              .layer = static_cast<std::uint32_t>(name),
                              .step = static_cast<std::uint32_t>(name >> 32)};
    Real* const value = p->value.data;
    switch (p->initializer) {
      case Initializer::zeros:
        std::fill_n(value, p->size(), Real(0));
        break;
      case Initializer::ones:
        std::fill_n(value, p->size(), Real(1));
        break;
      case Initializer::glorot_uniform:
        fill_uniform(stream, static_cast<float>(std::sqrt(6.0 / (p->fan_in + p->fan_out))), *p);
        break;
      case Initializer::glorot_normal:
        fill_normal(stream, std::sqrt(2.0 / (p->fan_in + p->fan_out)), *p);
        break;
      case Initializer::embedding_uniform:
        fill_uniform(stream, 0.05f, *p);
        break;
      case Initializer::normal:
        fill_normal(stream, 0.02, *p);
        break;
      case Initializer::standard_normal:
        fill_normal(stream, 1, *p);
        break;
      case Initializer::normal_by_width:
        fill_normal(stream, 1 / std::sqrt(static_cast<double>(p->value.cols)), *p);
        break;
      case Initializer::orthogonal:
        fill_orthogonal(stream, *p);
        break;
      case Initializer::unit_forget:
        std::fill_n(value, p->size(), Real(0));
        std::fill_n(value + p->size() / 4, p->size() / 4, Real(1));
        break;
    }
  }
}

void Parameters::begin_step() {
  for (const auto& p : all_) {
    p->gradient.begin_step();
    for (Gradient& use : p->further) use.begin_step();
    p->uses = 0;
  }
}

void Parameters::keep_uses_apart() {
  for (const auto& p : all_) p->keeps_uses_apart = true;
}

}  // namespace headwater
