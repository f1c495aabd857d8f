#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <vector>

#include "error_text.hpp"
#include "layers/mixers/mixer.hpp"
#include "same_bits.hpp"

using namespace headwater;

namespace {

constexpr Index kTokens = 5, kWidth = 4;  // two sequences, of three tokens and of two
const std::vector<Index> kOffsets{0, 3, kTokens};

struct Case {
  Index heads = 1;
  Causality causality = Causality::full;
  Index window = 0;
  bool has_rotary = false;
  std::vector<std::int32_t> keys = {};  // of the first three tokens; empty: all tokens are keys
};

std::vector<double> tokens() {
  std::vector<double> x;
  for (Index i = 0; i < kTokens * kWidth; ++i)
    x.push_back(
        static_cast<Real>(2 * std::sin(static_cast<double>(7 * (i / kWidth) + 3 * (i % kWidth) + 1))));
  return x;
}

double at(const std::vector<double>& x, Index token, Index feature) { return x[token * kWidth + feature]; }

// The definition, pair by pair; of rotary positions: pair i of a head is turned by the place / 10000^(2i/K).
std::vector<double> naive(const Case& test) {
  const std::vector<double> x = tokens();
  const Index K = kWidth / test.heads;
  std::vector<double> turned = x, y(x.size());
  for (Index t = 0; t < kTokens && test.has_rotary; ++t) {
    for (Index column = 0; column < kWidth; ++column) {
      const Index i = column % K, pair = i % (K / 2), base = column - i + pair;
      const double place = static_cast<double>(t < 3 ? t : t - 3),
                   angle = place / std::pow(10000, 2 * static_cast<double>(pair) / static_cast<double>(K)),
                   a = at(x, t, base), b = at(x, t, base + K / 2);
      turned[t * kWidth + column] =
          i < K / 2 ? a * std::cos(angle) - b * std::sin(angle) : b * std::cos(angle) + a * std::sin(angle);
    }
  }
  const auto sees = [&](Index query, Index key) {
    if (query / 3 != key / 3) return false;
    if (test.causality == Causality::causal && key > query) return false;
    if (test.window > 0 && std::abs(query - key) >= test.window) return false;
    return test.keys.empty() || key >= 3 || std::ranges::find(test.keys, key) != test.keys.end();
  };
  for (Index query = 0; query < kTokens; ++query) {
    for (Index first = 0; first < kWidth; first += K) {
      double total = 0;
      std::vector<double> weights(kTokens);
      for (Index key = 0; key < kTokens; ++key) {
        double score = 0;
        for (Index c = first; c < first + K; ++c) score += at(turned, query, c) * at(turned, key, c);
        double& weight = weights[key];
        weight = sees(query, key) ? std::exp(score / std::sqrt(static_cast<double>(K))) : 0;
        total += weight;
      }
      for (Index key = 0; key < kTokens; ++key) {
        for (Index c = first; c < first + K; ++c)
          y[query * kWidth + c] += weights[key] / total * at(x, key, c);
      }
    }
  }
  return y;
}

struct Layer {
  Parameters parameters;
  LayerBuilder builder{parameters};
  std::unique_ptr<Mixer> mixer;
  std::vector<Real> values;
  Packing packing{.offsets = kOffsets};
  Arena arena;
  Tape tape{arena, Tape::Mode::inference};

  explicit Layer(const Case& test) {
    AttentionLayerSettings attention{
        .width = kWidth, .heads = test.heads, .head_width = kWidth / test.heads, .window = test.window};
    if (test.has_rotary) attention.rotary = std::make_shared<RotaryTable>(3, attention.head_width);
    mixer = mixer_kind("plain_attention")
                .make(builder, "a", {.attention = attention, .causality = test.causality});
    for (const double value : tokens()) values.push_back(static_cast<Real>(value));
  }
  Variable rows(Index first, Index count) {
    return tape.wrap(Matrix(values.data() + first * kWidth, count, kWidth), &packing, false);
  }
};

}  // namespace

TEST_CASE("plain attention: the tokens weighed by their own inner products, with no parameters") {
  for (const Case& test :
       {Case{}, Case{.heads = 2}, Case{.heads = 4}, Case{.causality = Causality::causal},
        Case{.heads = 2, .causality = Causality::causal, .window = 2}, Case{.window = 1},
        Case{.heads = 2, .has_rotary = true}, Case{.causality = Causality::causal, .has_rotary = true},
        Case{.heads = 2, .keys = {0, 1}}, Case{.has_rotary = true, .keys = {0, 1}}}) {
    Layer layer(test);
    CHECK(layer.parameters.all().empty());
    std::vector<std::int32_t> taken = test.keys;
    taken.insert(taken.end(), {3, 4});
    const std::vector<Index> offsets{0, static_cast<Index>(test.keys.size()),
                                     static_cast<Index>(taken.size())};
    const Packing packing{.offsets = offsets};
    const KeyTokens keys{taken, packing};
    const MixerOutput out =
        (*layer.mixer)({layer.tape}, layer.rows(0, kTokens), {.keys = test.keys.empty() ? nullptr : &keys});
    const std::vector<double> wanted = naive(test);
    INFO(test.heads, " heads, causal ", test.causality == Causality::causal, ", window ", test.window,
         ", rotary ", test.has_rotary, ", keys ", test.keys.size());
    for (Index i = 0; i < kTokens * kWidth; ++i) {
      CHECK(static_cast<double>(out.hidden.value().row(i / kWidth)[i % kWidth]) ==
            doctest::Approx(wanted[i]).epsilon(1e-5));
    }
    CHECK(out.self.values.cols() == kWidth);
  }
}

TEST_CASE("plain attention: steps over a cache give the bits of whole sequences, also of rotary positions") {
  for (const bool has_rotary : {false, true}) {
    Layer layer({.heads = 2, .causality = Causality::causal, .has_rotary = has_rotary});
    const Matrix whole = (*layer.mixer)({layer.tape}, layer.rows(0, kTokens), {}).hidden.value();
    const std::unique_ptr<MixerCache> cache = layer.mixer->new_cache(layer.arena, 1, 3);
    for (Index position = 0; position < 3; ++position) {
      const std::vector<Index> positions{position}, slots{0}, lengths{position + 1};
      const Variable y = cache->step({layer.tape}, layer.rows(position, 1),
                                     {.positions = positions, .self = {slots, lengths}, .memory = {}});
      INFO("token ", position, ", rotary ", has_rotary);
      CHECK(same_bits(y.value(), whole.rows_between(position, position + 1)));
    }
  }
}

TEST_CASE("plain attention: its operations are two products of all pairs") {
  CHECK(Layer({}).mixer->flops(7) == 2 * 2 * 7 * 7 * kWidth);
  CHECK(Layer({.heads = 2, .causality = Causality::causal, .window = 3}).mixer->flops(7) ==
        2 * 2 * 7 * 3 * kWidth);
}

TEST_CASE("plain attention: heads that do not share the width are refused") {
  const auto said = [](Index heads, Index head_width) {
    Parameters parameters;
    LayerBuilder builder{parameters};
    return error_text([&] {
      mixer_kind("plain_attention")
          .make(builder, "a", {.attention = {.width = 8, .heads = heads, .head_width = head_width}});
    });
  };
  CHECK(said(2, 4) == "(no error)");
  CHECK(said(2, 8) == "model.head_width: plain_attention has heads that share the width (write 4)");
  CHECK(said(3, 2) ==
        "model.head_width: plain_attention has heads that share the width (choose heads that divide the "
        "width)");
}
