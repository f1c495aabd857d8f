// Recurrent cells as Keras has them (reference/keras/recurrent.safetensors): over two sequences, forward and
// backward in time, from given states; results and gradients.
#include <doctest/doctest.h>

#include "autograd/ops.hpp"
#include "keras_model.hpp"

using namespace headwater;

namespace {

class KerasCells {
 public:
  Safetensors file = made_here("keras/recurrent.safetensors");

  void check(const std::string& name, kernels::Cell cell, const std::string& direction) {
    at_ = name + "/" + direction + "/";
    INFO(at_);
    Parameters parameters;
    const TensorView& kernel = file.at(at_ + "kernel");
    const Index inputs = kernel.shape[0], gates = kernel.shape[1], width = gates / kernels::gates_of(cell);
    const bool has_two = file.at(at_ + "bias").shape.size() == 2;  // biases
    const auto declare = [&](const std::string& of, Index rows, Index cols) {
      return parameters.declare(of, {rows, cols}, rows, cols, Initializer::zeros);
    };
    Parameter *v = declare("kernel", inputs, gates), *w = declare("recurrent_kernel", width, gates),
              *bias = declare("bias", 1, gates),
              *recurrent_bias = has_two ? declare("rb", 1, gates) : nullptr;
    parameters.allocate(true);
    put("kernel", v->value);
    put("recurrent_kernel", w->value);
    put("bias", bias->value);
    if (has_two) put("bias", recurrent_bias->value, gates);

    Arena arena;
    const std::vector<Index> offsets{0, 9, 18};
    ReductionTree plan;
    plan.assign(offsets);
    const Packing packing{offsets, &plan};
    const auto input = [&](const std::string& of) {
      const TensorView& tensor = file.at(of);
      const Matrix m = arena.matrix(tensor.shape[0], tensor.shape[1]);
      put(tensor, m, 0);
      return m;
    };
    const Matrix dy = input("dy");
    Tape tape(arena, Tape::Mode::record);
    const Variable x = tape.wrap(input("x"), &packing, true),
                   initial = tape.wrap(input(at_ + "initial"), nullptr, true);
    const Variable y = ops::recurrent(tape, ops::linear(tape, x, *v, bias),
                                      {.cell = cell,
                                       .w = w,
                                       .b = recurrent_bias,
                                       .is_backward = direction == "backward",
                                       .initial = initial},
                                      ops::Use::donate);
    compare("y", y.value());
    tape.seed(y, dy);
    tape.backward();
    compare("dx", x.gradient());
    compare("dinitial", initial.gradient());
    compare("dkernel", v->gradient.values);
    compare("drecurrent_kernel", w->gradient.values);
    std::vector<float> biases(bias->gradient.values.data, bias->gradient.values.data + gates);
    if (has_two)
      biases.insert(biases.end(), recurrent_bias->gradient.values.data,
                    recurrent_bias->gradient.values.data + gates);
    compare("dbias", Matrix(biases.data(), 1, static_cast<Index>(biases.size())));
  }

 private:
  static void put(const TensorView& tensor, const Matrix& to, Index first) {
    const std::vector<float> values = read_floats(tensor);
    std::copy_n(values.begin() + first, to.rows * to.cols, to.data);
  }
  void put(const std::string& of, const Matrix& to, Index first = 0) { put(file.at(at_ + of), to, first); }
  void compare(const std::string& of, const Matrix& ours) {
    INFO(of);
    const Distance far = distance(ours, read_floats(file.at(at_ + of)));
    CHECK(far.absolute <= kAbsolute);
    CHECK(far.relative <= kGradientRelative);
  }

  std::string at_;
};

}  // namespace

TEST_CASE_FIXTURE(KerasCells, "LSTM and GRU, with both places of the reset gate, agree with Keras") {
  for (const char* direction : {"forward", "backward"}) {
    check("lstm", kernels::Cell::lstm, direction);
    check("gru", kernels::Cell::gru, direction);
    check("gru_reset_before", kernels::Cell::gru_reset_before, direction);
  }
}
