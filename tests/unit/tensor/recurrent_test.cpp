// Recurrent cells against their equations in double; sequences alone, in batches and token by token.
#include "tensor/kernels/recurrent/recurrent.hpp"

#include <vector>

#include "tensor/kernels/naive.hpp"
#include "unit/tensor/kernel_testing.hpp"

namespace headwater {
namespace {

using namespace testing;  // NOLINT: the tests' own helpers
using kernels::Cell;

struct Case {
  Cell cell;
  bool is_backward, has_initial;
  Index width;
  std::vector<Index> lengths;

  Index gates() const { return kernels::gates_of(cell) * width; }
  Index states() const { return kernels::state_size(cell, width); }
  Index sequences() const { return static_cast<Index>(lengths.size()); }
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Cell cell : {Cell::lstm, Cell::gru, Cell::gru_reset_before}) {
    for (const bool is_backward : {false, true}) {
      for (const Index width : {1, 5, 16, 37})
        all.push_back({cell, is_backward, width != 5, width, {3, 0, 7, 1, 7, 4, 2}});
      all.push_back({cell, is_backward, true, 9, std::vector<Index>(140, 2)});
      all.push_back({cell, is_backward, true, 9, {0, 0}});
      all.push_back({cell, is_backward, false, 9, {}});
    }
  }
  return all;
}

struct Inputs {
  explicit Inputs(const Case& c)
      : offsets(offsets_of(c.lengths)),
        x(random_grid(offsets.back(), c.gates(), 1, 3, 2)),
        w(random_grid(c.width, c.gates(), 2, 1, 0.5f)),
        b(random_grid(1, c.gates(), 3)),
        initial(random_grid(c.sequences(), c.states(), 4, 2)),
        dy(random_grid(offsets.back(), c.width, 5, 1)) {}
  std::vector<Index> offsets;
  Grid<float> x, w, b, initial, dy;

  kernels::Recurrence recurrence(const Case& c) const {
    return {.cell = c.cell,
            .is_backward = c.is_backward,
            .offsets = offsets,
            .w = w.view(),
            .b = c.cell == Cell::gru ? b.values.data() : nullptr,
            .initial = c.has_initial ? initial.view() : MatrixOf<const float>()};
  }
};

// y, gates, inner, final; dx, dproduct, dinitial, previous.
template <class T>
std::vector<Grid<T>> outputs_of(const Case& c, Index tokens) {
  return {Grid<T>(tokens, c.width, 2),           Grid<T>(tokens, c.gates(), 1), Grid<T>(tokens, c.width),
          Grid<T>(c.sequences(), c.states(), 1), Grid<T>(tokens, c.gates(), 2), Grid<T>(tokens, c.width, 1),
          Grid<T>(c.sequences(), c.states())};
}

std::vector<Grid<float>> computed(const Case& c) {
  const Inputs in(c);
  const kernels::Recurrence recurrence = in.recurrence(c);
  std::vector<Grid<float>> y = outputs_of<float>(c, in.x.rows);
  const kernels::RecurrentRecord record{y[1].view(), y[2].view()};
  kernels::recurrent(recurrence, in.x.view(), y[0].view(), record, y[3].view());
  kernels::recurrent_backward(recurrence, y[0].view(), record, in.dy.view(),
                              {y[4].view(), y[5].view(), y[6].view()});
  return y;
}

std::vector<Grid<double>> expected(const Case& c) {
  const Inputs in(c);
  const Grid<double> x = widened(in.x), w = widened(in.w), b = widened(in.b), initial = widened(in.initial),
                     dy = widened(in.dy);
  const naive::Recurrence recurrence{.cell = c.cell,
                                     .is_backward = c.is_backward,
                                     .offsets = in.offsets,
                                     .w = w.view(),
                                     .b = c.cell == Cell::gru ? b.values.data() : nullptr,
                                     .initial = c.has_initial ? initial.view() : MatrixOf<const double>()};
  std::vector<Grid<double>> y = outputs_of<double>(c, x.rows);
  const naive::RecurrentRecord record{y[1].view(), y[2].view()};
  naive::recurrent(recurrence, x.view(), y[0].view(), record, y[3].view());
  naive::recurrent_backward(recurrence, y[0].view(), record, dy.view(),
                            {y[4].view(), c.cell == Cell::gru ? y[5].view() : naive::Matrix(), y[6].view()});
  return y;
}

bool same_rows(const Grid<float>& a, Index first, const Grid<float>& b) {
  for (Index r = 0; r < b.rows; ++r) {
    if (std::memcmp(a.view().row(first + r), b.view().row(r),
                    sizeof(float) * static_cast<std::size_t>(b.cols)) != 0)
      return false;
  }
  return true;
}

}  // namespace

TEST_CASE("recurrent cells: forward and back through time, as their equations say") {
  for (const Case& c : cases()) {
    const std::vector<Grid<float>> y = computed(c);
    const std::vector<Grid<double>> wanted = expected(c);
    for (std::size_t i = 0; i < y.size(); ++i) {
      INFO("cell ", static_cast<int>(c.cell), ", backward ", c.is_backward, ", width ", c.width, ", output ",
           i);
      CHECK(worst_error(y[i], wanted[i]) <= 400);
      CHECK(y[i].has_intact_gaps());
    }
  }
}

TEST_CASE("recurrent cells: the same bits on every code path, for any number of threads") {
  for (const Case& c : cases()) check_same_bits_everywhere([&] { return computed(c); });
}

TEST_CASE(
    "recurrent cells: a sequence alone has the bits that it has in a batch, gates in the memory of x too") {
  for (const Case& c : cases()) {
    const Inputs in(c);
    const std::vector<Grid<float>> batch = computed(c);
    for (Index s = 0; s < std::min<Index>(c.sequences(), 7); ++s) {
      const std::size_t at = s;
      const Index begin = in.offsets[at], length = c.lengths[at];
      const std::vector<Index> alone{0, length};
      kernels::Recurrence recurrence = in.recurrence(c);
      recurrence.offsets = alone;
      if (c.has_initial) recurrence.initial = recurrence.initial.rows_between(s, s + 1);
      Grid<float> gates(length, c.gates(), 3), y(length, c.width), inner(length, c.width),
          final(1, c.states()), dx(length, c.gates()), dproduct(length, c.width), dinitial(1, c.states());
      kernels::copy(in.x.view().rows_between(begin, begin + length), gates.view());
      const kernels::RecurrentRecord record{gates.view(), inner.view()};
      kernels::recurrent(recurrence, gates.view(), y.view(), record, final.view());
      kernels::recurrent_backward(recurrence, y.view(), record,
                                  in.dy.view().rows_between(begin, begin + length),
                                  {dx.view(), dproduct.view(), dinitial.view()});
      CHECK(same_rows(batch[0], begin, y));
      CHECK(same_rows(batch[1], begin, gates));
      CHECK(same_rows(batch[3], s, final));
      CHECK(same_rows(batch[4], begin, dx));
      CHECK(same_rows(batch[6], s, dinitial));
    }
  }
}

namespace {

// The bits of the whole, token by token from state to state, with the weight in these panels.
void check_steps(const Case& c, const Inputs& in, const kernels::PackedRecurrent& packed) {
  const std::vector<Grid<float>> whole = computed(c);
  Grid<float> states = in.initial, x(3, c.gates()), y(3, c.width);
  const std::vector<Index> offsets{0, 1, 2, 3};
  kernels::Recurrence recurrence = in.recurrence(c);
  recurrence.offsets = offsets;
  recurrence.initial = states.view();
  for (Index t = 0; t < 6; ++t) {
    for (Index s = 0; s < 3; ++s) std::copy_n(in.x.view().row(6 * s + t), c.gates(), x.view().row(s));
    kernels::recurrent(recurrence, x.view(), y.view(), {}, states.view(), &packed);
    for (Index s = 0; s < 3; ++s)
      CHECK(std::equal(y.view().row(s), y.view().row(s) + c.width, whole[0].view().row(6 * s + t)));
  }
  CHECK(same_rows(whole[3], 0, states));
}

}  // namespace

TEST_CASE("recurrent cells: token by token, from state to state, the bits of the whole") {
  for (const Cell cell : {Cell::lstm, Cell::gru, Cell::gru_reset_before}) {
    for (const Index width : {21, 24}) {
      const Case c{cell, false, true, width, {6, 6, 6}};
      const Inputs in(c);
      Grid<float> panels(1, kernels::packed_recurrent_size(cell, width)),
          all(1, kernels::packed_size(width, c.gates()));
      check_steps(c, in, kernels::pack_recurrent(cell, in.w.view(), panels.values.data()));
      const kernels::PackedWeight weight = kernels::pack_weight(in.w.view(), all.values.data());
      const std::optional<kernels::PackedRecurrent> parts = kernels::split_panels(cell, weight);
      // With 21 the third panel has columns of the gates and of the candidate.
      REQUIRE(parts.has_value() == (cell != Cell::gru_reset_before || width == 24));
      if (parts) check_steps(c, in, *parts);
    }
  }
}

TEST_CASE("recurrent cells: the states before each token") {
  const Case c{Cell::gru, true, true, 3, {2, 0, 3}};
  const Inputs in(c);
  const std::vector<Grid<float>> y = computed(c);
  Grid<float> before(5, 3, 1);
  kernels::previous_states(in.recurrence(c), y[0].view(), before.view());
  for (Index i = 0; i < 3; ++i) {
    CHECK(before.view().row(1)[i] == in.initial.view().row(0)[i]);
    CHECK(before.view().row(0)[i] == y[0].view().row(1)[i]);
    CHECK(before.view().row(4)[i] == in.initial.view().row(2)[i]);
    CHECK(before.view().row(2)[i] == y[0].view().row(3)[i]);
  }
  CHECK(before.has_intact_gaps());
}

}  // namespace headwater
