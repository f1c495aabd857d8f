// Which parameters are frozen, decay, and learn slowly; and optimizers with such groups against a naive
// dense one.
#include "training/parameter_groups.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "error_text.hpp"
#include "training/optimizer.hpp"

using namespace headwater;

namespace {

// Two stacks of two blocks, a table, a head: [3, 5] matrices and rows of 5.
struct Toy {
  Parameters parameters;

  Toy() {
    for (const char* name : {"decoder.0.w", "decoder.1.w", "encoder.0.w", "encoder.1.w", "head.weight"})
      parameters.declare(name, {3, 5}, 3, 5, Initializer::glorot_uniform, 3, 5);
    for (const char* name : {"decoder.norm.gamma", "encoder.0.w_bias", "encoder.norm.gamma", "head.bias"})
      parameters.declare(name, {5}, 1, 5, Initializer::ones);
    parameters.declare("source_embedding.tokens", {7, 5}, 7, 5, Initializer::embedding_uniform)->is_table =
        true;
    parameters.allocate(true);
    parameters.initialize(3);
  }

  void make_gradients(std::int64_t step) {
    parameters.begin_step();
    for (const auto& p : parameters.all()) {
      Gradient& g = p->gradient;
      if (p->is_table) {
        std::vector<std::uint8_t> is_written(7);
        g.begin_rows(std::vector<std::int32_t>{static_cast<std::int32_t>(step % 7), 2}, is_written);
        for (const std::int32_t row : g.rows) std::fill_n(g.values.row(row), 5, value(step, row));
      } else {
        g.begin_dense();
        for (Index i = 0; i < p->size(); ++i) g.values.data[i] = value(step, p->offset + i);
      }
    }
  }

  static Real value(std::int64_t step, Index i) {
    return static_cast<Real>(std::sin(static_cast<double>(step * 31 + i)));
  }
};

std::map<std::string, std::int64_t> depths(const Parameters& parameters) {
  const std::vector<std::int64_t> all = depth_of(parameters);
  std::map<std::string, std::int64_t> by_name;
  for (std::size_t i = 0; i < all.size(); ++i) by_name[parameters.all()[i]->name] = all[i];
  return by_name;
}

std::map<std::string, std::int64_t> depths_of(std::initializer_list<const char*> names) {
  Parameters parameters;
  for (const char* name : names) parameters.declare(name, {1}, 1, 1, Initializer::zeros);
  parameters.allocate(false);
  return depths(parameters);
}

}  // namespace

TEST_CASE("layers are counted from the head down") {
  using Depths = std::map<std::string, std::int64_t>;
  CHECK(depths(Toy().parameters) == Depths{{"head.weight", 0},
                                           {"head.bias", 0},
                                           {"decoder.norm.gamma", 0},
                                           {"decoder.1.w", 1},
                                           {"decoder.0.w", 2},
                                           {"encoder.norm.gamma", 3},
                                           {"encoder.1.w", 3},
                                           {"encoder.0.w", 4},
                                           {"encoder.0.w_bias", 4},
                                           {"source_embedding.tokens", 5}});
  CHECK(depths_of({"embedding.tokens", "encoder.0.w", "encoder.11.w", "head.bias"}) ==
        Depths{{"embedding.tokens", 13}, {"encoder.0.w", 12}, {"encoder.11.w", 1}, {"head.bias", 0}});
  CHECK(depths_of({"hidden.bias", "hidden.weight", "head.weight"}) ==
        Depths{{"hidden.bias", 1}, {"hidden.weight", 1}, {"head.weight", 0}});
  CHECK(depths_of({"block.0.w", "block.1.w", "block.x.w", "class_token"}) ==
        Depths{{"block.0.w", 2}, {"block.1.w", 1}, {"block.x.w", 0}, {"class_token", 3}});
}

TEST_CASE("weight decay is of matrices, or of all") {
  Toy toy;
  OptimizerSettings settings;
  settings.kind = OptimizerKind::adamw;
  settings.weight_decay = 0.1;
  std::string decayed;
  const std::vector<ParameterRule> rules = parameter_rules(settings, toy.parameters);
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (rules[i].weight_decay == 0.1) decayed += toy.parameters.all()[i]->name + " ";
  }
  CHECK(decayed == "decoder.0.w decoder.1.w encoder.0.w encoder.1.w head.weight ");
  settings.weight_decay_of = DecayedParameters::all;
  for (const ParameterRule& rule : parameter_rules(settings, toy.parameters)) CHECK(rule.weight_decay == 0.1);
  settings.kind = OptimizerKind::adam;
  for (const ParameterRule& rule : parameter_rules(settings, toy.parameters)) CHECK(rule.weight_decay == 0);
}

TEST_CASE("parameters are frozen by patterns of their names") {
  Toy toy;
  freeze(toy.parameters, std::vector<std::string>{"encoder.*", "head.b?as"});
  std::string frozen;
  for (const auto& p : toy.parameters.all()) {
    if (p->is_frozen) frozen += p->name + " ";
  }
  CHECK(frozen == "encoder.0.w encoder.0.w_bias encoder.1.w encoder.norm.gamma head.bias ");
  CHECK(error_text([&] { freeze(toy.parameters, std::vector<std::string>{"encodr.*"}); }) ==
        "training.freeze: \"encodr.*\" matches no parameter (inspect lists the names of a saved model)");
  CHECK(error_text([&] { freeze(toy.parameters, std::vector<std::string>{"*"}); }) ==
        "training.freeze: every parameter is frozen (leave some to train)");
}

TEST_CASE("layers begin to learn from the top down") {
  Toy toy;
  const auto steps_of = [&](const UnfreezeSettings& settings) {
    const std::vector<std::int64_t> all = steps_before(settings, toy.parameters, 4);
    std::map<std::string, std::int64_t> by_name;
    for (std::size_t i = 0; i < all.size(); ++i) by_name[toy.parameters.all()[i]->name] = all[i];
    return by_name;
  };
  const auto by_epochs = steps_of({.every_epochs = 2}), by_steps = steps_of({.every_steps = 3});
  CHECK(by_epochs.at("head.weight") == 0);
  CHECK(by_epochs.at("decoder.1.w") == 8);
  CHECK(by_epochs.at("source_embedding.tokens") == 40);
  CHECK(by_steps.at("decoder.0.w") == 6);
  CHECK(depths_of({"embedding.tokens", "encoder.0.w", "pooler.weight", "head.weight", "lm_head.bias"}) ==
        std::map<std::string, std::int64_t>{{"embedding.tokens", 2},
                                            {"encoder.0.w", 1},
                                            {"pooler.weight", 0},
                                            {"head.weight", 0},
                                            {"lm_head.bias", 0}});
}

TEST_CASE("the uppermost layer learns from the start where a head has no parameters") {
  Parameters parameters;
  for (const char* name : {"embedding.tokens", "decoder.0.w", "decoder.1.w"})
    parameters.declare(name, {1}, 1, 1, Initializer::zeros);
  parameters.allocate(false);
  std::map<std::string, std::int64_t> steps;
  const std::vector<std::int64_t> all = steps_before({.every_steps = 3}, parameters, 4);
  for (std::size_t i = 0; i < all.size(); ++i) steps[parameters.all()[i]->name] = all[i];
  CHECK(steps ==
        std::map<std::string, std::int64_t>{{"decoder.1.w", 0}, {"decoder.0.w", 3}, {"embedding.tokens", 6}});
}

TEST_CASE("what learns after some steps moves as if the run began there, and what is frozen stays") {
  for (const char* kind : {"adamw", "adam", "rmsprop", "sgd"}) {
    INFO(std::string(kind));
    OptimizerSettings s;
    s.kind = value_of<OptimizerKind>(kind).value();
    if (s.kind == OptimizerKind::adamw) s.weight_decay = 0.1;
    if (s.kind == OptimizerKind::sgd) s.momentum = 0.9;
    Toy late, early;
    for (Toy* toy : {&late, &early}) freeze(toy->parameters, std::vector<std::string>{"encoder.1.*"});
    Optimizer of_late(s, late.parameters), of_early(s, early.parameters);
    of_late.learn_after(std::vector<std::int64_t>(late.parameters.all().size(), 3));
    const std::vector<Real> first(late.parameters.values().begin(), late.parameters.values().end());
    for (std::int64_t step = 1; step <= 8; ++step) {
      late.make_gradients(step);
      of_late.begin_step(step);
      of_late.step(0.01, step);
      if (step <= 3) {
        CHECK(std::ranges::equal(late.parameters.values(), first));
        continue;
      }
      early.make_gradients(step);
      of_early.step(0.01, step - 3);
    }
    CHECK(std::ranges::equal(late.parameters.values(), early.parameters.values()));
    CHECK_FALSE(std::ranges::equal(late.parameters.values(), first));
    const Parameter& frozen = *late.parameters.find("encoder.1.w");
    CHECK(std::equal(frozen.value.data, frozen.value.data + frozen.size(), first.begin() + frozen.offset));
  }
}

// Number by number in double, as the papers have it.
TEST_CASE("optimizers with groups follow a naive dense one; frozen parameters do not move") {
  for (const char* kind : {"adamw", "adam", "rmsprop", "sgd"}) {
    OptimizerSettings s;
    s.kind = value_of<OptimizerKind>(kind).value();
    s.layer_decay = 0.5;
    if (s.kind == OptimizerKind::adamw) s.weight_decay = 0.1;
    if (s.kind == OptimizerKind::sgd) s.momentum = 0.9;
    s.global_clipnorm = 1;
    Toy toy;
    freeze(toy.parameters, std::vector<std::string>{"encoder.1.*"});
    Optimizer optimizer(s, toy.parameters);
    struct Number {
      double w, m = 0, v = 0;
    };
    std::vector<Number> numbers;
    for (const Real w : toy.parameters.values()) numbers.push_back({.w = static_cast<double>(w)});
    const std::vector<Real> first(toy.parameters.values().begin(), toy.parameters.values().end());
    auto by_name = depths(toy.parameters);
    for (std::int64_t step = 1; step <= 20; ++step) {
      toy.make_gradients(step);
      double squares = 0;
      for (const auto& p : toy.parameters.all()) {
        for (Index i = 0; i < p->size() && !p->is_frozen; ++i)
          squares += static_cast<double>(p->gradient.values.data[i]) *
                     static_cast<double>(p->gradient.values.data[i]);
      }
      CHECK(optimizer.gradient_norm() == doctest::Approx(std::sqrt(squares)).epsilon(1e-12));
      const double t = static_cast<double>(step), clip = std::min(1.0, 1 / std::sqrt(squares));
      for (const auto& p : toy.parameters.all()) {
        if (p->is_frozen) continue;
        const double rate = 0.01 * std::pow(0.5, static_cast<double>(by_name.at(p->name)));
        const bool is_matrix = p->shape.size() == 2 && !p->is_table;
        for (Index i = 0; i < p->size(); ++i) {
          Number& n = numbers[p->offset + i];
          const double g = clip * static_cast<double>(p->gradient.values.data[i]);
          if (s.kind == OptimizerKind::sgd) {
            n.m = s.momentum * n.m - rate * g;
            n.w += n.m;
          } else if (s.kind == OptimizerKind::rmsprop) {
            n.v = s.rho * n.v + (1 - s.rho) * g * g;
            n.w -= rate * g / (std::sqrt(n.v) + s.epsilon);
          } else {
            if (is_matrix) n.w -= rate * s.weight_decay * n.w;
            n.m = s.beta_1 * n.m + (1 - s.beta_1) * g;
            n.v = s.beta_2 * n.v + (1 - s.beta_2) * g * g;
            n.w -= rate * (n.m / (1 - std::pow(s.beta_1, t))) /
                   (std::sqrt(n.v / (1 - std::pow(s.beta_2, t))) + s.epsilon);
          }
        }
      }
      optimizer.step(0.01, step);
    }
    INFO(std::string(kind));
    double worst = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i)
      worst = std::max(worst, std::abs(numbers[i].w - static_cast<double>(toy.parameters.values()[i])));
    CHECK(worst <= 2e-6);
    const Parameter& frozen = *toy.parameters.find("encoder.1.w");
    CHECK(std::memcmp(frozen.value.data, first.data() + frozen.offset, sizeof(Real) * 15) == 0);
    for (const Optimizer::State& state : optimizer.states()) {
      for (Index i = 0; i < 15; ++i) CHECK(state.values[frozen.offset + i] == 0);
    }
  }
}
