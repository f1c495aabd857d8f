// Products that read the same matrix: the bits of the separate products, whatever is left out.
#include "kernel_testing.hpp"

namespace headwater {
namespace {

using kernels::Activation;
using testing::Grid;
using testing::random_grid;

// T tokens, I inputs, outputs of each product.
struct Shape {
  Index T, I;
  std::vector<Index> outputs;
};

const Shape kShapes[] = {{0, 5, {4, 3}},           {1, 300, {1500, 7, 300}}, {3, 40, {50, 50}},
                         {50, 33, {17}},           {70, 20, {0, 37, 20}},    {800, 128, {128, 128, 128}},
                         {900, 40, {48, 300, 33}}, {1300, 64, {64, 65}},     {90, 400, {800, 30, 400}}};

ReductionTree plan_of(Index T) {
  std::vector<Index> offsets{0};
  while (offsets.back() < T) offsets.push_back(std::min(T, offsets.back() + 50));
  ReductionTree plan;
  plan.assign(offsets);
  return plan;
}

// What goes into a product, and what comes out.
struct Product {
  Grid<float> w, bias, dy, y, dw, db;
  Product(Index T, Index I, Index O, std::uint64_t seed)
      : w(random_grid(I, O, seed, 1)),
        bias(random_grid(1, O, seed + 1)),
        dy(random_grid(T, O, seed + 2, 2)),
        y(T, O, 3),
        dw(random_grid(I, O, seed + 3, 1)),
        db(random_grid(1, O, seed + 4)) {}
};

std::vector<Product> products_of(const Shape& s) {
  std::vector<Product> products;
  for (const Index outputs : s.outputs) products.emplace_back(s.T, s.I, outputs, 10 * products.size() + 2);
  return products;
}

bool have_same_bits(const std::vector<Product>& a, const std::vector<Product>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Product& p, const Product& q) {
    return testing::same_bits(p.y, q.y) && testing::same_bits(p.dw, q.dw) && testing::same_bits(p.db, q.db);
  });
}

// dx and the products, with the middle one's bias missing; `accumulates`: parameters' gradients of every
// other product and dx are added to.
Grid<float> compute(const Shape& s, const Grid<float>& x, bool accumulates, std::vector<Product>& products) {
  std::vector<kernels::Projection> projections;
  std::vector<kernels::LinearGradient> gradients;
  for (std::size_t i = 0; i < products.size(); ++i) {
    Product& p = products[i];
    projections.push_back({p.w.view(), i == 1 ? nullptr : p.bias.values.data(), p.y.view()});
    gradients.push_back({p.dy.view(), p.w.view(), p.dw.view(), i == 1 ? nullptr : p.db.values.data(),
                         accumulates && i % 2 == 0});
  }
  Grid<float> dx = random_grid(s.T, s.I, 77, 1);
  kernels::project(x.view(), projections);
  kernels::linear_backward(x.view(), gradients, plan_of(s.T), dx.view(), accumulates);
  return dx;
}

Grid<float> compute_one_by_one(const Shape& s, const Grid<float>& x, bool accumulates,
                               std::vector<Product>& products) {
  const ReductionTree plan = plan_of(s.T);
  Grid<float> dx = random_grid(s.T, s.I, 77, 1);
  for (std::size_t i = 0; i < products.size(); ++i) {
    Product& p = products[i];
    kernels::linear(x.view(), p.w.view(), i == 1 ? nullptr : p.bias.values.data(), Activation::none,
                    p.y.view());
    kernels::linear_backward_weight(x.view(), p.dy.view(), plan, p.dw.view(),
                                    i == 1 ? nullptr : p.db.values.data(), accumulates && i % 2 == 0);
    kernels::linear_backward_input(p.dy.view(), p.w.view(), dx.view(), accumulates || i > 0);
  }
  return dx;
}

TEST_CASE("project, linear_backward: the bits of the products one by one") {
  for (const Shape& s : kShapes) {
    for (const bool accumulates : {false, true}) {
      CAPTURE(s.T);
      CAPTURE(s.I);
      const Grid<float> x = random_grid(s.T, s.I, 1, 3);
      std::vector<Product> joined = products_of(s), separate = products_of(s);
      const Grid<float> dx = compute(s, x, accumulates, joined);
      CHECK(testing::same_bits(dx, compute_one_by_one(s, x, accumulates, separate)));
      CHECK(have_same_bits(joined, separate));
    }
  }
}

TEST_CASE("linear_backward: without dx the same gradients of the parameters") {
  for (const Shape& s : kShapes) {
    const Grid<float> x = random_grid(s.T, s.I, 1, 3);
    std::vector<Product> products = products_of(s), separate = products_of(s);
    compute_one_by_one(s, x, false, separate);
    for (std::size_t i = 0; i < products.size(); ++i) {
      Product& p = products[i];
      const kernels::LinearGradient gradient{p.dy.view(), p.w.view(), p.dw.view(), p.db.values.data(), false};
      kernels::linear_backward(x.view(), {&gradient, 1}, plan_of(s.T), {}, false);
      CHECK(testing::same_bits(p.dw, separate[i].dw));
      if (i != 1) CHECK(testing::same_bits(p.db, separate[i].db));
    }
  }
}

TEST_CASE("linear_backward: an activation undone in dx, in one loop with the rest or not") {
  for (const Shape& s : kShapes) {
    const Grid<float> x = random_grid(s.T, s.I, 1, 3), kept = random_grid(s.T, s.I, 5);
    for (Product& p : products_of(s)) {
      const kernels::LinearGradient gradient{p.dy.view(), p.w.view(), p.dw.view(), p.db.values.data(), false};
      Grid<float> together(s.T, s.I, 1), apart(s.T, s.I, 1);
      kernels::linear_backward(x.view(), {&gradient, 1}, plan_of(s.T), together.view(), false,
                               {Activation::gelu, kept.view()});
      kernels::linear_backward_input(p.dy.view(), p.w.view(), apart.view(), false);
      kernels::activation_backward(Activation::gelu, kept.view(), apart.view(), apart.view());
      CHECK(testing::same_bits(together, apart));
    }
  }
}

TEST_CASE("project, linear_backward: the same bits on every code path, for any number of threads") {
  for (const Shape& s : {Shape{800, 128, {128, 128, 128}}, Shape{1300, 64, {64, 65}}}) {
    testing::check_same_bits_everywhere([&] {
      const Grid<float> x = random_grid(s.T, s.I, 1, 3);
      std::vector<Product> products = products_of(s);
      std::vector<Grid<float>> results{compute(s, x, false, products)};
      for (const Product& p : products) results.insert(results.end(), {p.y, p.dw, p.db});
      return results;
    });
  }
}

}  // namespace
}  // namespace headwater
