#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "layers/mixers/mixer.hpp"
#include "same_bits.hpp"

using namespace headwater;

namespace {

constexpr Index kTokens = 5, kWidth = 4;  // two sequences, of three tokens and of two
const std::vector<Index> kOffsets{0, 3, kTokens};

struct Layer {
  Parameters parameters;
  LayerBuilder builder{parameters};
  std::unique_ptr<Mixer> mixer =
      mixer_kind("ssru").make(builder, "a", {.attention = {.width = kWidth}, .causality = Causality::causal});
  std::vector<Real> values;
  Packing packing{.offsets = kOffsets};
  Arena arena;
  Tape tape{arena, Tape::Mode::inference};

  Layer() {
    parameters.allocate(false);
    parameters.initialize(3);
    Parameter& bias = *parameters.find("a.ssru.forget.bias");
    for (Index i = 0; i < kWidth; ++i)
      bias.value.data[i] = static_cast<Real>(0.5 * static_cast<double>(i) - 1);
    for (Index i = 0; i < kTokens * kWidth; ++i)
      values.push_back(static_cast<Real>(2 * std::sin(static_cast<double>(5 * i + 1))));
  }
  Variable rows(Index first, Index count, const Packing& of) {
    return tape.wrap(Matrix(values.data() + first * kWidth, count, kWidth), &of, false);
  }
  // x_t·w + b of one column.
  double product(Index t, Index column, const char* weight, const char* bias) const {
    const Parameter* const b = parameters.find(bias);
    double sum = b != nullptr ? static_cast<double>(b->value.data[column]) : 0;
    for (Index i = 0; i < kWidth; ++i)
      sum += static_cast<double>(values[t * kWidth + i]) *
             static_cast<double>(parameters.find(weight)->value.row(i)[column]);
    return sum;
  }
};

}  // namespace

TEST_CASE("ssru: a gate of the token moves the state towards a map of the token") {
  Layer layer;
  CHECK(layer.parameters.all().size() == 3);
  const Matrix y = (*layer.mixer)({layer.tape}, layer.rows(0, kTokens, layer.packing), {}).hidden.value();
  for (Index column = 0; column < kWidth; ++column) {
    double state = 0;
    for (Index t = 0; t < kTokens; ++t) {
      if (t == 3) state = 0;  // the second sequence
      const double f =
          1 / (1 + std::exp(-layer.product(t, column, "a.ssru.forget.weight", "a.ssru.forget.bias")));
      state = f * state + (1 - f) * layer.product(t, column, "a.ssru.input.weight", "a.ssru.input.bias");
      CHECK(static_cast<double>(y.row(t)[column]) == doctest::Approx(std::max(state, 0.0)).epsilon(1e-5));
    }
  }
}

TEST_CASE("ssru: read and continued from caches, also from a copied slot, the bits of whole sequences") {
  Layer layer;
  const Matrix whole = (*layer.mixer)({layer.tape}, layer.rows(0, kTokens, layer.packing), {}).hidden.value();
  const std::unique_ptr<MixerCache> cache = layer.mixer->new_cache(layer.arena, 3, 3);
  const std::vector<Index> two{0, 2};
  const Packing packing{.offsets = two};
  const std::vector<Index> slots{1, 1}, places{0, 1};
  const Variable begun = cache->read({layer.tape}, layer.rows(0, 2, packing), {}, {slots, places});
  CHECK(same_bits(begun.value(), whole.rows_between(0, 2)));
  cache->copy_slot(1, 2, 2);
  // The last token of the first sequence in the copied slot, beside the first of the second in a new one.
  const std::vector<Index> step_slots{2, 0}, positions{2, 0}, lengths{3, 1};
  const Variable y = cache->step({layer.tape}, layer.rows(2, 2, layer.packing),
                                 {.positions = positions, .self = {step_slots, lengths}, .memory = {}});
  CHECK(same_bits(y.value(), whole.rows_between(2, 4)));
}

TEST_CASE("ssru: its operations are two products and four operations for each number of the state") {
  CHECK(Layer().mixer->flops(7) == 2 * 2 * 7 * kWidth * kWidth + 4 * 7 * kWidth);
}
