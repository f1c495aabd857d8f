#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "error_text.hpp"
#include "layers/mixers/mixer.hpp"

using namespace headwater;

namespace {

double gelu(double x) { return x * 0.5 * std::erfc(-x / std::sqrt(2.0)); }

// act(x·W) of one head: [tokens, D] of W [D, H, D].
std::vector<std::vector<double>> head_of(const Parameters& parameters, const std::string& name,
                                         const std::vector<std::vector<double>>& x, Index head) {
  const Parameter& w = *parameters.find(name + ".weight");
  const Index width = static_cast<Index>(x[0].size());
  std::vector<std::vector<double>> out;
  for (const std::vector<double>& token : x) {
    std::vector<double>& row = out.emplace_back();
    for (Index k = 0; k < width; ++k) {
      const Index column = head * width + k;
      double sum = 0;
      for (Index d = 0; d < width; ++d) sum += token[d] * static_cast<double>(w.value.row(d)[column]);
      row.push_back(gelu(sum));
    }
  }
  return out;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

TEST_CASE("averaged attention: the mean over the heads of maps of weights times the tokens as they are") {
  constexpr Index kTokens = 5, kWidth = 4, kHeads = 3;
  Parameters parameters;
  LayerBuilder builder{parameters};
  const std::unique_ptr<Mixer> layer =
      mixer_kind("averaged_attention")
          .make(builder, "a",
                {.attention = {.width = kWidth, .heads = kHeads, .head_width = kWidth},
                 .activation = ops::Activation::gelu});
  parameters.allocate(false);
  parameters.initialize(5);
  CHECK(parameters.size() == 3 * kHeads * kWidth * kWidth);
  CHECK(parameters.find("a.self_attention.query.weight")->shape ==
        std::vector<Index>{kWidth, kHeads, kWidth});
  const Parameter& output = *parameters.find("a.self_attention.output.weight");
  CHECK(output.shape == std::vector<Index>{kHeads, kWidth, kWidth});

  std::vector<Real> values;
  std::vector<std::vector<double>> x(kTokens);
  for (Index t = 0; t < kTokens; ++t) {
    for (Index d = 0; d < kWidth; ++d) {
      values.push_back(static_cast<Real>(2 * std::sin(static_cast<double>(7 * t + 3 * d + 1))));
      x[t].push_back(static_cast<double>(values.back()));
    }
  }
  // Two sequences: three tokens and two.
  const std::vector<Index> offsets{0, 3, kTokens};
  const Packing packing{.offsets = offsets};
  Arena arena;
  Tape tape(arena, Tape::Mode::inference);
  const AttentionOutput out =
      (*layer)({tape}, tape.wrap(Matrix(values.data(), kTokens, kWidth), &packing, false), {}).self;
  REQUIRE(out.output.rows() == kTokens);
  REQUIRE(out.output.cols() == kWidth);
  CHECK(out.queries.cols() == kHeads * kWidth);

  std::vector<std::vector<double>> wanted(kTokens, std::vector<double>(kWidth));
  for (Index head = 0; head < kHeads; ++head) {
    const auto q = head_of(parameters, "a.self_attention.query", x, head),
               k = head_of(parameters, "a.self_attention.key", x, head);
    for (std::size_t t = 0; t < kTokens; ++t) {
      const std::size_t begin = t < 3 ? 0 : 3, end = t < 3 ? 3 : kTokens;
      double total = 0;
      for (std::size_t s = begin; s < end; ++s) total += std::exp(dot(q[t], k[s]) / 2);  // sqrt(D)
      for (std::size_t s = begin; s < end; ++s) {
        const double weight = std::exp(dot(q[t], k[s]) / 2) / total / kHeads;
        for (Index from = 0; from < kWidth; ++from) {
          for (Index to = 0; to < kWidth; ++to)
            wanted[t][to] +=
                weight * x[s][from] * static_cast<double>(output.value.row(head * kWidth + from)[to]);
        }
      }
    }
  }
  for (std::size_t t = 0; t < kTokens; ++t) {
    for (std::size_t d = 0; d < kWidth; ++d) {
      INFO("token ", t, ", feature ", d);
      CHECK(static_cast<double>(out.output.value().row(static_cast<Index>(t))[d]) ==
            doctest::Approx(wanted[t][d]).epsilon(1e-5));
    }
  }
}

TEST_CASE("averaged attention has heads as wide as the model") {
  Parameters parameters;
  LayerBuilder builder{parameters};
  CHECK(error_text([&] {
          mixer_kind("averaged_attention")
              .make(builder, "a", {.attention = {.width = 8, .heads = 2, .head_width = 4}});
        }) == "model.head_width: averaged_attention has heads as wide as the model (write 8)");
}
