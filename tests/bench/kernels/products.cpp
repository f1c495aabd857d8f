// Dense products in the shapes of the recipes, all three forms, and the loss over a vocabulary.
#include "kernels/measure.hpp"
#include "tensor/kernels.hpp"

namespace headwater::bench {

namespace {

// Tokens of a packed batch or of a step of decoding; input and output width. The same list as
// peers/kernels_torch.py.
struct Shape {
  Index T, I, O;
};
constexpr Shape kShapes[] = {
    {1, 256, 2048},    {1, 2048, 256},    {1, 256, 15000},   {64, 128, 512},
    {64, 128, 10000},                                                             // decoding
    {7168, 32, 64},    {7168, 64, 32},    {7168, 32, 32},                         // A1
    {7168, 256, 512},  {7168, 512, 256},  {7168, 256, 32},   {7168, 32, 256},     // A2
    {10080, 256, 512}, {10080, 512, 256}, {10080, 256, 256}, {2560, 256, 20000},  // B
    {400, 256, 2048},  {400, 2048, 256},  {1000, 256, 2048}, {1000, 2048, 256},
    {453, 256, 15000},                   // C
    {800, 16, 128},    {800, 128, 128},  // D1
    {36864, 108, 64},  {36864, 64, 256},  {36864, 256, 64},  {36864, 64, 128},
    {36864, 128, 64},                                                            // D2
    {256, 9216, 2048}, {256, 2048, 1024},                                        // D2's head
    {1120, 128, 128},  {1120, 128, 512},  {1120, 512, 128},  {1120, 128, 8192},  // E
    {1024, 1024, 1024}};

struct Forward {
  Values x, w, bias, y;
};
struct BackwardInput {
  Values dy, w, dx;
};
struct BackwardWeight {
  Values x, dy, dw, db;
  ReductionTree plan;
};

void register_shape(const Machine& machine, const Shape& s) {
  const Work work{2 * product(s.T, s.I, s.O),
                  4 * (product(s.T, s.I) + product(s.I, s.O) + product(s.T, s.O))};
  measure_with<Forward>(
      name_of("linear", s.T, s.I, s.O), machine, work,
      [s] {
        return std::make_shared<Forward>(Forward{{s.T, s.I}, {s.I, s.O, 2}, {1, s.O, 3}, {s.T, s.O}});
      },
      [](Forward& d) {
        kernels::linear(d.x.view(), d.w.view(), d.bias.data.data(), kernels::Activation::none, d.y.view());
      });
  measure_with<BackwardInput>(
      name_of("linear_backward_input", s.T, s.I, s.O), machine, work,
      [s] {
        return std::make_shared<BackwardInput>(BackwardInput{{s.T, s.O}, {s.I, s.O, 2}, {s.T, s.I}});
      },
      [](BackwardInput& d) { kernels::linear_backward_input(d.dy.view(), d.w.view(), d.dx.view(), false); });
  measure_with<BackwardWeight>(
      name_of("linear_backward_weight", s.T, s.I, s.O), machine, work,
      [s] {
        return std::make_shared<BackwardWeight>(
            BackwardWeight{{s.T, s.I}, {s.T, s.O, 2}, {s.I, s.O}, {1, s.O}, plan_of(s.T)});
      },
      [](BackwardWeight& d) {
        kernels::linear_backward_weight(d.x.view(), d.dy.view(), d.plan, d.dw.view(), d.db.data.data(),
                                        false);
      });
}

// The output layer with its loss and all gradients.
struct Loss {
  Values h, w, bias, dh, dw, db, block, scratch;
  ReductionTree plan;
  std::vector<std::int32_t> labels;
};

std::shared_ptr<Loss> make_loss(const Shape& s) {
  const ReductionTree plan = plan_of(s.T);
  const auto loss =
      std::make_shared<Loss>(Loss{{s.T, s.I},
                                  {s.I, s.O, 2, 0.05f},
                                  {1, s.O, 3},
                                  {s.T, s.I},
                                  {s.I, s.O},
                                  {1, s.O},
                                  {kernels::cross_entropy_block_rows(plan, s.O), s.O},
                                  {kernels::cross_entropy_scratch_rows(plan, s.O), s.I * s.O + s.O},
                                  plan,
                                  {}});
  for (Index t = 0; t < s.T; ++t) loss->labels.push_back(static_cast<std::int32_t>(t * 7919 % s.O));
  return loss;
}

void register_loss(const Machine& machine, const Shape& s, bool is_transposed) {
  const Work work{6 * product(s.T, s.I, s.O), 8 * (product(s.T, s.I) + product(s.I, s.O))};
  measure_with<Loss>(
      name_of(is_transposed ? "linear_transposed_cross_entropy" : "linear_cross_entropy", s.T, s.I, s.O),
      machine, work, [s] { return make_loss(s); },
      [s, is_transposed](Loss& d) {
        const auto shaped = [&](Values& values) {
          return is_transposed ? Matrix(values.data.data(), s.O, s.I) : values.view();
        };
        kernels::CrossEntropyGradients gradients;
        gradients.dh = d.dh.view();
        gradients.dw = shaped(d.dw);
        gradients.db = d.db.data.data();
        gradients.reduction_scratch = d.scratch.view();
        kernels::linear_cross_entropy(d.h.view(), shaped(d.w), is_transposed, d.bias.data.data(), d.labels, 0,
                                      1.0f / static_cast<float>(s.T), d.plan, d.block.view(), &gradients);
      });
}

}  // namespace

void register_products(const Machine& machine) {
  for (const Shape& s : kShapes) register_shape(machine, s);
  for (const Shape& s : {Shape{453, 256, 15000}, Shape{1120, 128, 8192}, Shape{2560, 256, 20000}}) {
    register_loss(machine, s, false);
    register_loss(machine, s, true);  // tied to a table
  }
}

}  // namespace headwater::bench
