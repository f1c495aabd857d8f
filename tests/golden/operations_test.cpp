// Single operations against PyTorch (reference/operations.safetensors, schedules.json).
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <set>

#include "autograd/ops.hpp"
#include "reference_folder.hpp"
#include "training/schedule.hpp"

using namespace headwater;

namespace {

constexpr double kAbsolute = 1e-4, kLossRelative = 1e-5;  // reference/README.md

// "layer_norm_1e-5", "layer_norm_" -> 1e-5
double number_behind(const std::string& name, const std::string& words) {
  const std::size_t at = name.find(words);
  REQUIRE(at != std::string::npos);
  return std::strtod(name.c_str() + at + words.size(), nullptr);
}

struct Operations {
  Safetensors file{reference_path("operations.safetensors")};
  std::vector<float> numbers = read_floats(file.at("x"));
  Index rows = file.at("x").shape[0], cols = file.at("x").shape[1];
  Matrix x{numbers.data(), rows, cols};
  Arena arena;

  // The one tensor whose name begins so; its settings follow.
  std::string name_with(const std::string& beginning) const {
    std::string name;
    for (const TensorView& tensor : file.tensors()) {
      if (!tensor.name.starts_with(beginning)) continue;
      REQUIRE_MESSAGE(name.empty(), tensor.name, " beside ", name);
      name = tensor.name;
    }
    REQUIRE_MESSAGE(!name.empty(), "no tensor ", beginning);
    return name;
  }

  void check(const std::string& name, ConstMatrix ours) {
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
  ReductionTree plan_;
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
  const Matrix y = arena.matrix(rows, cols), slope = arena.matrix(rows, cols), dx = arena.matrix(rows, cols);
  kernels::activate(kernels::Activation::gelu, x, y, slope);
  kernels::activation_backward(kernels::Activation::gelu, slope, cotangent(), dx);
  check("gradient_gelu_erf", dx);
}

TEST_CASE_FIXTURE(Operations, "layer norm and its gradient agree with PyTorch") {
  const std::string name = name_with("layer_norm_");
  Parameters parameters;
  Parameter* gamma = parameters.declare("gamma", {cols}, 1, cols, Initializer::ones);
  Parameter* beta = parameters.declare("beta", {cols}, 1, cols, Initializer::zeros);
  parameters.allocate(true);
  parameters.initialize(1);
  parameters.begin_step();
  Tape tape(arena, Tape::Mode::record);
  const Variable input = tape.wrap(x, &packing(), true);
  const Variable y =
      ops::norm(tape, input, {gamma, beta, static_cast<Real>(number_behind(name, "layer_norm_"))});
  check(name, y.value());
  tape.seed(y, cotangent());
  tape.backward();
  check("gradient_" + name, input.gradient());
}

TEST_CASE_FIXTURE(Operations, "cross-entropy with and without smoothing agrees with PyTorch") {
  const std::string smoothed = name_with("cross_entropy_smooth_");
  for (const auto& entry : {std::pair{std::string("cross_entropy"), 0.0},
                            std::pair{smoothed, number_behind(smoothed, "cross_entropy_smooth_")}}) {
    const auto& name = entry.first;
    const auto& smoothing = entry.second;
    const double theirs = static_cast<double>(read_floats(file.at(name))[0]), ours = cross_entropy(smoothing);
    INFO(name, ": ", ours, " here, ", theirs, " there");
    CHECK(std::abs(ours - theirs) <= kLossRelative * std::abs(theirs));
  }
}

TEST_CASE_FIXTURE(Operations, "Fourier mixing agrees with PyTorch, on sequences of its lengths") {
  std::size_t cases = 0;
  for (const TensorView& tensor : file.tensors()) {
    if (!tensor.name.starts_with("fourier_mixing")) continue;
    const Index length = tensor.shape[0];
    // The sequence alone, and between others.
    const std::vector<Index> offsets{0, 2, 2 + length, 3 + length};
    const Matrix packed = arena.matrix(offsets.back(), cols), y = arena.matrix(offsets.back(), cols);
    kernels::fill(packed, 1);
    kernels::copy(x.rows_between(0, length), packed.rows_between(2, 2 + length));
    kernels::fourier_mix(packed, offsets, y, false);
    check(tensor.name, y.rows_between(2, 2 + length));
    ++cases;
  }
  CHECK(cases >= 2);
}

// The file has rates without their steps: of a rate, the formula solved for the step gives a whole number on
// one side of the peak.
TEST_CASE("the inverse square root schedule is the paper's") {
  const fs::path path = reference_path("schedules.json");
  const Json file = Json::parse(read_file(path), path.string());
  std::set<std::int64_t> steps;
  std::size_t rates = 0;
  for (const auto& entry : file.as_object()) {
    const auto& name = entry.first;
    const auto& values = entry.second;
    if (!name.starts_with("noam_d")) continue;
    const double width = number_behind(name, "noam_d"), warmup = number_behind(name, "_warmup");
    const ScheduleSettings schedule{.kind = ScheduleKind::inverse_square_root,
                                    .warmup_steps = static_cast<std::int64_t>(warmup)};
    for (const Json& value : values.as_array()) {
      const double theirs = value.as_number(), scaled = theirs * std::sqrt(width);
      bool is_found = false;
      for (const double solved : {scaled * std::pow(warmup, 1.5), 1 / (scaled * scaled)}) {
        const std::int64_t step = std::llround(solved);
        const bool is_whole = step > 0 && std::abs(solved - static_cast<double>(step)) <= 1e-6 * solved;
        if (!is_whole || is_found) continue;
        const double ours =
            learning_rate(schedule, {}, static_cast<std::int64_t>(width), step, {.steps = 1'000'000'000});
        is_found = std::abs(ours - theirs) <= 1e-9 * theirs;
        if (is_found) steps.insert(step);
      }
      INFO(name, ": rate ", theirs);
      CHECK(is_found);
      ++rates;
    }
    if (name == "noam_d128_warmup4000") CHECK(steps == std::set<std::int64_t>{1, 100, 4000, 4001, 20000});
  }
  CHECK(rates >= 5);
}
