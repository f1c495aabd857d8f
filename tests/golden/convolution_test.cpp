// Depthwise convolution as PyTorch has it (reference/torch/convolution.safetensors): conv1d over a line of 15
// tokens, conv2d over 3 rows of 5 patches, each with as many groups as columns; results and gradients.
#include "tensor/kernels/convolution/convolution.hpp"

#include <doctest/doctest.h>

#include "keras_model.hpp"

using namespace headwater;

namespace {

struct TorchConvolution {
  Safetensors file = made_here("torch/convolution.safetensors");
  Arena arena;

  Matrix matrix(const std::string& name) {
    const TensorView& tensor = file.at(name);
    const Matrix m = arena.matrix(tensor.shape[0], tensor.shape[1]);
    const std::vector<float> values = read_floats(tensor);
    std::ranges::copy(values, m.data);
    return m;
  }
  void check(const Matrix& ours, const std::string& name) {
    INFO(name);
    CHECK(distance(ours, read_floats(file.at(name))).absolute <= kAbsolute);
  }
};

}  // namespace

TEST_CASE_FIXTURE(TorchConvolution, "depthwise convolution and its gradients agree with PyTorch") {
  const Matrix x = matrix("x"), dy = matrix("dy");
  const std::vector<Index> offsets{0, x.rows};
  ReductionTree plan;
  plan.assign(offsets);
  for (const auto& [name, hood] :
       {std::pair{std::string("line/"), kernels::Neighborhood{.reach = 2}},
        std::pair{std::string("image/"), kernels::Neighborhood{.reach = 1, .columns = 5}}}) {
    const Matrix w = matrix(name + "w"), y = arena.matrix(x.rows, x.cols), dx = arena.matrix(x.rows, x.cols),
                 dw = arena.matrix(w.rows, w.cols);
    using kernels::Convolution;
    kernels::depthwise_convolution(Convolution::forward, x, offsets, hood, w, y, false);
    kernels::depthwise_convolution(Convolution::backward, dy, offsets, hood, w, dx, false);
    kernels::depthwise_convolution_weights(x, offsets, hood, dy, plan, dw, false);
    check(y, name + "y");
    check(dx, name + "dx");
    check(dw, name + "dw");
  }
}
