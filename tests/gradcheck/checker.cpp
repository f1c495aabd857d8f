#include "gradcheck/checker.hpp"

#include <algorithm>
#include <cmath>

#include "support/error.hpp"

namespace headwater::gradcheck {

namespace {

void fill_random(std::span<Real> values, std::uint64_t seed, std::uint32_t layer) {
  const RandomStream stream{.seed = seed, .purpose = Purpose::initialize, .layer = layer, .step = 99};
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = 2.0 * static_cast<double>(random_uniform(stream, i)) - 1.0;
}

void add_sequences(PackedTokens& tokens, std::initializer_list<int> lengths, int vocabulary) {
  tokens.clear();
  int next = 0;
  for (const int length : lengths) {
    std::vector<std::int32_t> ids;
    for (int i = 0; i < length; ++i) ids.push_back((next += 3) % vocabulary);
    tokens.add(ids);
  }
  tokens.finish();
}

// One forward pass; the value of the loss.
struct Runner {
  const Case& test;
  Fixture& fixture;
  Arena arena{std::size_t{1} << 30};

  double run(std::vector<std::vector<Real>>* input_gradients) {
    arena.reset();
    fixture.parameters.begin_step();
    std::ranges::fill(fixture.parameters.gradients(), 0.0);
    Tape tape(arena, Tape::Mode::record);
    const Packing packing{fixture.tokens.offsets, &fixture.tokens.plan};
    const Packing memory_packing{fixture.memory_tokens.offsets, &fixture.memory_tokens.plan};
    Pass pass{fixture, {tape, fixture.seed, 5}, packing, memory_packing, {}};
    for (Fixture::Input& input : fixture.inputs) {
      const Packing* p = input.rows == fixture.memory_tokens.tokens() ? &memory_packing : &packing;
      pass.inputs.push_back(tape.wrap(Matrix(input.values.data(), input.rows, input.cols), p, true));
    }
    const Result result = test.forward(pass);
    double loss = result.loss;
    if (result.matrix) {
      const Matrix cotangent = arena.matrix(result.matrix.rows(), result.matrix.cols());
      const Index size = cotangent.rows * cotangent.cols;
      fill_random({cotangent.data, static_cast<std::size_t>(size)}, fixture.seed, 1000);
      for (Index i = 0; i < size; ++i) loss += cotangent.data[i] * result.matrix.value().data[i];
      // The result is given away, so that a backward which reads it has to say so.
      tape.seed(ops::scale(tape, result.matrix, 1, ops::Use::donate), cotangent);
    }
    if (input_gradients != nullptr) {
      tape.backward();
      for (const Variable& input : pass.inputs) {
        const Matrix g = input.gradient();
        input_gradients->emplace_back(g.data ? std::vector<Real>(g.data, g.data + g.rows * g.cols)
                                             : std::vector<Real>(input.rows() * input.cols(), 0.0));
      }
    }
    return loss;
  }
};

}  // namespace

Fixture::Fixture(std::uint64_t seed_) : seed(seed_) {
  add_sequences(tokens, {3, 1, 4}, 7);
  add_sequences(memory_tokens, {2, 5, 3}, 7);
}

Parameter& Fixture::parameter(const std::string& name, Index rows, Index cols) {
  return *parameters.declare(name, {rows, cols}, rows, cols, Initializer::zeros);
}

std::vector<Real>& Fixture::input(const std::string& name, Index rows, Index cols) {
  inputs.push_back({name, rows, cols, std::vector<Real>(rows * cols)});
  fill_random(inputs.back().values, seed, static_cast<std::uint32_t>(500 + inputs.size()));
  return inputs.back().values;
}

GradientError worst_gradient_error(const Case& test, std::uint64_t seed) {
  Fixture fixture(seed);
  test.prepare(fixture);
  fixture.parameters.allocate(true);
  std::uint32_t layer = 0;
  for (const auto& p : fixture.parameters.all())
    fill_random({p->value.data, static_cast<std::size_t>(p->size())}, seed, layer++);

  Runner runner{test, fixture};
  std::vector<std::vector<Real>> input_gradients;
  runner.run(&input_gradients);
  // Loss operations write the gradients of their parameters on the way forward, which later passes would
  // disturb.
  const std::vector<Real> parameter_gradients(fixture.parameters.gradients().begin(),
                                              fixture.parameters.gradients().end());

  GradientError worst;
  const auto compare = [&](Real& x, double analytic, double floor, const std::string& where) {
    if (!std::isfinite(analytic)) throw Error(test.name + ": the gradient at " + where + " is not finite");
    constexpr double kStep = 1e-5;
    const Real kept = x;
    x = kept + kStep;
    const double above = runner.run(nullptr);
    x = kept - kStep;
    const double below = runner.run(nullptr);
    x = kept;
    const double numeric = (above - below) / (2 * kStep);
    const double relative =
        std::abs(analytic - numeric) / std::max({std::abs(analytic), std::abs(numeric), floor});
    ++worst.checked;
    if (!(relative <= worst.relative)) {
      worst.relative = relative;
      worst.where = where + ": " + std::to_string(analytic) + " by backward, " + std::to_string(numeric) +
                    " by differences";
    }
  };
  const auto floor_of = [](std::span<const Real> gradient) {
    double largest = 1e-6;
    for (const Real g : gradient) largest = std::max(largest, std::abs(g));
    return 0.01 * largest;
  };
  for (const auto& p : fixture.parameters.all()) {
    const std::span<const Real> gradient(parameter_gradients.data() + p->offset,
                                         static_cast<std::size_t>(p->size()));
    const double floor = floor_of(parameter_gradients);
    for (Index i = 0; i < p->size(); ++i) {
      compare(p->value.data[i], gradient[i], floor, p->name + "[" + std::to_string(i) + "]");
    }
  }
  for (std::size_t n = 0; n < fixture.inputs.size(); ++n) {
    const double floor = floor_of(input_gradients[n]);
    for (std::size_t i = 0; i < fixture.inputs[n].values.size(); ++i) {
      compare(fixture.inputs[n].values[i], input_gradients[n][i], floor,
              fixture.inputs[n].name + "[" + std::to_string(i) + "]");
    }
  }
  return worst;
}

ModelError worst_model_error(Parameters& parameters, const std::function<double(bool)>& loss) {
  loss(true);
  const std::vector<Real> gradients(parameters.gradients().begin(), parameters.gradients().end());
  ModelError worst;
  for (const Real g : gradients) worst.largest = std::max(worst.largest, std::abs(g));
  const std::span<Real> values = parameters.values();
  for (std::size_t i = 0; i < values.size(); ++i) {
    // Four points, exact to the fourth power of the step: a norm after small embeddings bends sharply.
    constexpr double kStep = 1e-5;
    const Real kept = values[i];
    const auto at = [&](double steps) {
      values[i] = kept + steps * kStep;
      return loss(false);
    };
    const double near = at(1) - at(-1), far = at(2) - at(-2);
    values[i] = kept;
    const double numeric = (8 * near - far) / (12 * kStep);
    const double error = std::abs(numeric - gradients[i]) /
                         std::max({std::abs(numeric), std::abs(gradients[i]), 0.01 * worst.largest});
    if (!(error <= worst.error)) worst.error = error;
  }
  return worst;
}

}  // namespace headwater::gradcheck
