#include "training/optimizer_file.hpp"

#include <algorithm>

#include "support/bytes.hpp"
#include "support/error.hpp"
#include "tensor/kernels/reduction/reduction.hpp"

namespace headwater {

void check_finite(std::span<const Real> numbers, const std::string& what, const Parameter& p,
                  std::int64_t step) {
  const Index at = kernels::find_not_finite(p.size(), numbers.data());
  if (at < 0) return;
  throw Error("step " + std::to_string(step) + ": " + what + " of " + quote(p.name) +
              " is not finite at element " + std::to_string(at) +
              "; this step is not saved (lower training.optimizer.learning_rate)");
}

void write_states(std::vector<Optimizer::State> states, const Parameters& parameters, const GiveNumbers& give,
                  std::int64_t step, const ByteSink& sink) {
  std::ranges::sort(states, {}, &Optimizer::State::name);
  std::vector<TensorShape> shapes;
  for (const Optimizer::State& s : states) {
    for (const auto& p : parameters.all()) shapes.push_back({s.name + "." + p->name, Dtype::f32, p->shape});
  }
  sink(safetensors_head(shapes, {}));
  for (const Optimizer::State& s : states) {
    for (std::size_t place = 0; place < parameters.all().size(); ++place) {
      const Parameter& p = *parameters.all()[place];
      const std::span<const Real> numbers = give ? give(s, place) : numbers_of(s, p);
      check_finite(numbers, "the optimizer's " + s.name, p, step);
      sink(raw_bytes(numbers));
    }
  }
}

void read_states(const fs::path& path, const std::vector<Optimizer::State>& states,
                 const Parameters& parameters, const TakeNumbers& take) {
  const Safetensors tensors(path);
  std::vector<Real> numbers;  // of one tensor
  for (const Optimizer::State& s : states) {
    for (std::size_t place = 0; place < parameters.all().size(); ++place) {
      const Parameter& p = *parameters.all()[place];
      const TensorView& tensor = tensors.at(s.name + "." + p.name);
      if (tensor.elements() != p.size()) {
        throw Error(path.string() + ": tensor " + quote(tensor.name) + " has " +
                    std::to_string(tensor.elements()) + " elements, the model " + std::to_string(p.size()));
      }
      if (!take) {
        read_numbers(tensor, numbers_of(s, p));
        continue;
      }
      numbers.resize(static_cast<std::size_t>(p.size()));
      read_numbers(tensor, numbers);
      take(s, place, numbers);
    }
  }
}

}  // namespace headwater
