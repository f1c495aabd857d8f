// Single operations against PyTorch (reference/operations.safetensors, schedules.json).
#include <doctest/doctest.h>

#include <cmath>

#include "autograd/ops.hpp"
#include "reference_folder.hpp"
#include "training/optimizer.hpp"

using namespace headwater;

namespace {

constexpr double kAbsolute = 1e-4, kLossRelative = 1e-5;  // reference/README.md

struct Operations {
  Safetensors file{reference_path("operations.safetensors")};
  std::vector<float> numbers = read_floats(file.at("x"));
  Index rows = file.at("x").shape[0], cols = file.at("x").shape[1];
  Matrix x{numbers.data(), rows, cols};
  Arena arena;

  void check(const char* name, ConstMatrix ours) {
    const Distance d = distance(ours, read_floats(file.at(name)));
    INFO(name, ": absolute distance ", d.absolute, " at ", d.at);
    CHECK(d.absolute <= kAbsolute);
  }

  // The gradient of sum(f(x) · [0, 1, ..., cols - 1]) by f's output.
  Matrix cotangent() {
    const Matrix dy = arena.matrix(rows, cols);
    for (Index r = 0; r < rows; ++r) {
      for (Index c = 0; c < cols; ++c) dy.row(r)[c] = static_cast<Real>(c);
    }
    return dy;
  }

  // x as one packed sequence.
  const Packing& packing() {
    offsets_ = {0, rows};
    plan_.assign(offsets_);
    packing_ = {offsets_, &plan_};
    return packing_;
  }

  // Mean over the rows, x being the logits.
  double cross_entropy(double smoothing) {
    const std::vector<std::int32_t> labels = read_ids(file.at("labels"));
    Parameters parameters;
    Parameter* identity = parameters.declare("identity", {cols, cols}, cols, cols, Initializer::zeros);
    parameters.allocate(false);
    for (Index c = 0; c < cols; ++c) identity->value.row(c)[c] = 1;
    Tape tape(arena, Tape::Mode::inference);
    const Variable logits = tape.wrap(x, &packing(), false);
    return ops::linear_cross_entropy(tape, logits, *identity, nullptr, labels, static_cast<Real>(smoothing),
                                     1)
               .loss /
           static_cast<double>(rows);
  }

 private:
  std::vector<Index> offsets_;
  FoldPlan plan_;
  Packing packing_;
};

}  // namespace

TEST_CASE_FIXTURE(Operations, "activations agree with PyTorch") {
  const std::pair<const char*, kernels::Activation> cases[] = {{"gelu_erf", kernels::Activation::gelu},
                                                               {"gelu_tanh", kernels::Activation::gelu_tanh},
                                                               {"silu", kernels::Activation::silu}};
  for (const auto& [name, activation] : cases) {
    const Matrix y = arena.matrix(rows, cols);
    kernels::activate(activation, x, y);
    check(name, y);
  }
}

TEST_CASE_FIXTURE(Operations, "the gradient of GELU agrees with PyTorch") {
  const Matrix y = arena.matrix(rows, cols), dx = arena.matrix(rows, cols);
  kernels::activate(kernels::Activation::gelu, x, y);
  kernels::activation_backward(kernels::Activation::gelu, y, x, cotangent(), dx);
  check("gradient_gelu_erf", dx);
}

TEST_CASE_FIXTURE(Operations, "layer norm and its gradient agree with PyTorch") {
  Parameters parameters;
  Parameter* gamma = parameters.declare("gamma", {cols}, 1, cols, Initializer::ones);
  Parameter* beta = parameters.declare("beta", {cols}, 1, cols, Initializer::zeros);
  parameters.allocate(true);
  parameters.initialize(1);
  parameters.begin_step();
  Tape tape(arena, Tape::Mode::record);
  const Variable input = tape.wrap(x, &packing(), true);
  const Variable y = ops::layer_norm(tape, input, *gamma, *beta, Real(1e-5));
  check("layer_norm_1e-5", y.value());
  tape.seed(y, cotangent());
  tape.backward();
  check("gradient_layer_norm_1e-5", input.gradient());
}

TEST_CASE_FIXTURE(Operations, "cross-entropy with and without smoothing agrees with PyTorch") {
  for (const auto& [name, smoothing] :
       {std::pair{"cross_entropy", 0.0}, std::pair{"cross_entropy_smooth_0.1", 0.1}}) {
    const double theirs = static_cast<double>(read_floats(file.at(name))[0]), ours = cross_entropy(smoothing);
    INFO(name, ": ", ours, " here, ", theirs, " there");
    CHECK(std::abs(ours - theirs) <= kLossRelative * std::abs(theirs));
  }
}

TEST_CASE("the inverse square root schedule is the paper's") {
  const fs::path path = reference_path("schedules.json");
  const Json::Array theirs =
      Json::parse(read_file(path), path.string()).at("noam_d128_warmup4000").as_array();
  const std::int64_t steps[] = {1, 100, 4000, 4001, 20000};  // found by solving for the five figures
  REQUIRE(theirs.size() == std::size(steps));
  const ScheduleSettings schedule{.kind = "inverse_square_root", .warmup_steps = 4000};
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    INFO("step ", steps[i]);
    const double ours = learning_rate(schedule, {}, 128, steps[i], 100000);
    CHECK(std::abs(ours - theirs[i].as_number()) <= 1e-12 * ours);
  }
}
