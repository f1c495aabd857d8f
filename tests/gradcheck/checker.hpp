// Central differences against backward, in double, with a random cotangent.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "autograd/ops.hpp"
#include "data/packed_tokens.hpp"
#include "layers/builder.hpp"

namespace headwater::gradcheck {

static_assert(std::is_same_v<Real, double>, "gradient checks run in the double build");

// What a case computes from: parameters, inputs with a gradient, and packed tokens. Sequences of 3, 1 and 4
// tokens (memory: 2, 5 and 3).
class Fixture {
 public:
  explicit Fixture(std::uint64_t seed);

  Parameters parameters;
  LayerBuilder builder{parameters};
  PackedTokens tokens, memory_tokens;
  std::uint64_t seed;

  // A parameter [rows, cols] with random values, declared now.
  Parameter& parameter(const std::string& name, Index rows, Index cols);
  // An input with a gradient, [rows of the packing, cols], random values; the same number for each call with
  // one name.
  std::vector<Real>& input(const std::string& name, Index rows, Index cols);

  struct Input {
    std::string name;
    Index rows, cols;
    std::vector<Real> values;
  };
  std::vector<Input> inputs;
};

struct Pass {
  Fixture& fixture;
  ForwardContext context;
  const Packing& packing;         // of fixture.tokens
  const Packing& memory_packing;  // of fixture.memory_tokens
  std::vector<Variable> inputs;   // one for each of fixture.inputs
};

// `prepare` declares parameters and inputs; `forward` runs the operation. A result that is a matrix is
// multiplied by a random cotangent; a case that returns no variable has put a loss on the tape itself and
// returns it as `loss`.
struct Result {
  Variable matrix;
  double loss = 0;
};
struct Case {
  std::string name;
  std::function<void(Fixture&)> prepare;
  std::function<Result(Pass&)> forward;
};

struct GradientError {
  double relative =
      0;  // largest |analytic - numeric| / max(|analytic|, |numeric|, 1 % of the largest gradient)
  std::string where;
  std::size_t checked = 0;
};

// Throws Error for a gradient that is not finite.
GradientError worst_gradient_error(const Case& test, std::uint64_t seed);

struct ModelError {
  double error = 0;    // relative to the gradient, or to 1 % of the largest
  double largest = 0;  // gradient
};

// The worst error over the parameters of a model whose loss(true) leaves its gradients in them.
ModelError worst_model_error(Parameters& parameters, const std::function<double(bool)>& loss);

}  // namespace headwater::gradcheck
