#include "gradcheck/op_cases.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "layers/mixers/attention.hpp"

namespace headwater::gradcheck {

namespace {

// A packing of its own, of sequences of these lengths.
class Shape {
 public:
  explicit Shape(std::initializer_list<Index> lengths) : kept_(std::make_shared<Kept>()) {
    for (const Index length : lengths) kept_->offsets.push_back(kept_->offsets.back() + length);
    kept_->plan.assign(kept_->offsets);
    kept_->packing = {kept_->offsets, &kept_->plan};
  }
  const Packing& packing() const { return kept_->packing; }

 private:
  struct Kept {
    std::vector<Index> offsets{0};
    ReductionTree plan;
    Packing packing;
  };
  std::shared_ptr<Kept> kept_;
};

Case linear_case(const std::string& name, ops::Activation activation, bool has_bias) {
  return {
      "linear " + name,
      [=](Fixture& f) {
        f.input("x", kTokens, 3);
        f.parameter("w", 3, 5);
        if (has_bias) f.parameter("b", 1, 5);
      },
      [=](Pass& p) {
        Parameters& all = p.fixture.parameters;
        return Result{ops::linear(p.context.tape, p.inputs[0], *all.find("w"), all.find("b"), activation)};
      }};
}

// A second layer that undoes the activation of the first.
Case donated_activation_case(ops::Activation activation) {
  return {"linear of a donated activation " + std::to_string(static_cast<int>(activation)),
          [](Fixture& f) {
            f.input("x", kTokens, 3);
            f.parameter("inner", 3, 5);
            f.parameter("bias", 1, 5);
            f.parameter("outer", 5, 4);
          },
          [=](Pass& p) {
            Tape& tape = p.context.tape;
            Parameters& all = p.fixture.parameters;
            const Variable inner =
                ops::linear(tape, p.inputs[0], *all.find("inner"), all.find("bias"), activation);
            return Result{ops::linear(tape, inner, *all.find("outer"), nullptr, ops::Activation::none,
                                      ops::Use::donate)};
          }};
}

// x and a branch from it, whose gradient is lent, twice.
Case residual_case(bool is_dropped, bool is_normed) {
  return {std::string("a residual sum") + (is_dropped ? ", dropped out" : "") + (is_normed ? ", normed" : ""),
          [](Fixture& f) {
            f.input("x", kTokens, 4);
            f.parameter("first", 4, 4);
            f.parameter("second", 4, 4);
            f.parameter("gamma", 1, 4);
            f.parameter("beta", 1, 4);
          },
          [=](Pass& p) {
            Tape& tape = p.context.tape;
            Parameters& all = p.fixture.parameters;
            Variable x = p.inputs[0];
            for (const char* name : {"first", "second"}) {
              Variable branch = ops::linear(tape, x, *all.find(name), nullptr);
              if (is_dropped) branch = ops::dropout(tape, branch, 0.4, {.seed = 3}, ops::Use::donate);
              x = is_normed ? ops::add_norm(tape, x, branch, {all.find("gamma"), all.find("beta"), 1e-3},
                                            ops::Use::donate)
                            : ops::add(tape, x, branch, ops::Use::donate);
            }
            return Result{x};
          }};
}

// Layers that read one matrix; only the first has a bias.
Case project_case(const std::string& name, std::size_t layers) {
  return {"project " + name,
          [=](Fixture& f) {
            f.input("x", kTokens, 3);
            for (std::size_t i = 0; i < layers; ++i) f.parameter("w" + std::to_string(i), 3, 5);
            f.parameter("b0", 1, 5);
          },
          [=](Pass& p) {
            Tape& tape = p.context.tape;
            Parameters& all = p.fixture.parameters;
            std::vector<ops::Projection> projections;
            for (std::size_t i = 0; i < layers; ++i)
              projections.push_back({all.find("w" + std::to_string(i)), all.find("b" + std::to_string(i))});
            const ops::Projected y = ops::project(tape, p.inputs[0], projections);
            // Unlike uses, so that no result can stand for another.
            if (layers == 2) return Result{ops::add(tape, ops::dropout(tape, y[0], 0.4, {.seed = 3}), y[1])};
            return Result{ops::attention(tape, y[0], y[1], y[2], {.heads = 1})};
          }};
}

Case attention_case(const std::string& name, bool is_cross, ops::AttentionSettings settings) {
  return {"attention " + name,
          [=](Fixture& f) {
            f.input("q", kTokens, 6);
            f.input("k", is_cross ? kMemory : kTokens, 6);
            f.input("v", is_cross ? kMemory : kTokens, 6);
          },
          [=](Pass& p) {
            return Result{ops::attention(p.context.tape, p.inputs[0], p.inputs[1], p.inputs[2], settings)};
          }};
}

// Rows 0, 1, 2 of the fixture's three sequences.
const Packing& sequence_rows() {
  static const SequenceRows rows = [] {
    SequenceRows made;
    made.assign(3);
    return made;
  }();
  static const Packing packing{rows.offsets, &rows.plan};
  return packing;
}

Case pool_case(const std::string& name, ops::Pooling pooling) {
  return {"pool " + name, [](Fixture& f) { f.input("x", kTokens, 5); },
          [=](Pass& p) { return Result{ops::pool(p.context.tape, p.inputs[0], pooling, sequence_rows())}; }};
}

// The fixture's tokens without the last of each sequence that has more than one.
Case take_rows_case(const std::string& name, bool is_used_twice) {
  return {"take_rows " + name, [](Fixture& f) { f.input("x", kTokens, 5); },
          [=](Pass& p) {
            static const TokenSubset subset = [&] {
              TokenSubset made;
              made.clear();
              const std::vector<Index>& offsets = p.fixture.tokens.offsets;
              for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
                made.add(offsets[s], std::max<Index>(1, offsets[s + 1] - offsets[s] - 1));
              made.finish();
              return made;
            }();
            static const Packing packing{subset.offsets, &subset.plan};
            Tape& tape = p.context.tape;
            const Variable y = ops::take_rows(tape, p.inputs[0], subset.tokens, packing);
            if (!is_used_twice) return Result{y};
            return Result{ops::attention(tape, p.inputs[0], y, y, {.heads = 1})};
          }};
}

Case mix_tokens_case(const std::string& name, ops::Activation activation) {
  return {"mix_tokens " + name,
          [](Fixture& f) {
            f.input("x", kTokens, 5);
            f.parameter("w1", 6, 3);
            f.parameter("b1", 1, 3);
            f.parameter("w2", 3, 6);
            f.parameter("b2", 1, 6);
          },
          [=](Pass& p) {
            static const ReductionTree columns = [] {
              ReductionTree plan;
              plan.assign(std::vector<Index>{0, 5});
              return plan;
            }();
            Parameters& all = p.fixture.parameters;
            return Result{ops::mix_tokens(
                p.context.tape, p.inputs[0],
                {all.find("w1"), all.find("b1"), all.find("w2"), all.find("b2"), &columns, activation})};
          }};
}

// Over a line, and over patches one below the other; an image of more columns is in models_test.cpp.
Case convolution_case(Index columns, bool is_causal = false) {
  const kernels::Neighborhood neighborhood{
      .reach = columns == 0 && !is_causal ? 2 : 1, .columns = columns, .is_causal = is_causal};
  return {"depthwise_convolution, columns " + std::to_string(columns) + (is_causal ? ", causal" : ""),
          [=](Fixture& f) {
            f.input("x", kTokens, 5);
            f.parameter("w", neighborhood.taps(), 5);
          },
          [=](Pass& p) {
            return Result{ops::depthwise_convolution(p.context.tape, p.inputs[0], neighborhood,
                                                     *p.fixture.parameters.find("w"))};
          }};
}

// Also from a state before the first token, and over a matrix that somebody else reads.
std::vector<Case> recurrent_cases() {
  struct Kind {
    const char* name;
    kernels::Cell cell;
  };
  constexpr Index kWidth = 4;
  std::vector<Case> cases;
  for (const auto& [name, cell] : {Kind{"lstm", kernels::Cell::lstm}, Kind{"gru", kernels::Cell::gru},
                                   Kind{"gru_reset_before", kernels::Cell::gru_reset_before}}) {
    const Index gates = kernels::gates_of(cell) * kWidth, states = kernels::state_size(cell, kWidth);
    for (const bool is_backward : {false, true}) {
      for (const bool is_short : {false, true}) {
        cases.push_back(
            {std::string("recurrent ") + name + (is_backward ? ", backward" : "") +
                 (is_short ? ", of a linear map alone" : ", with initial states"),
             [=](Fixture& f) {
               f.input("x", kTokens, is_short ? 3 : gates);
               if (is_short) {
                 f.parameter("v", 3, gates);
               } else {
                 f.input("initial", 3, states);
               }
               f.parameter("w", kWidth, gates);
               if (cell == kernels::Cell::gru && !is_short) f.parameter("b", 1, gates);
             },
             [=](Pass& p) {
               Tape& tape = p.context.tape;
               Parameters& all = p.fixture.parameters;
               ops::Recurrent layer{
                   .cell = cell, .w = all.find("w"), .b = all.find("b"), .is_backward = is_backward};
               if (is_short) {
                 const Variable x = ops::linear(tape, p.inputs[0], *all.find("v"), nullptr);
                 return Result{ops::recurrent(tape, x, layer, ops::Use::donate)};
               }
               layer.initial = p.inputs[1];
               const Variable y = ops::recurrent(tape, p.inputs[0], layer);
               const Variable again = ops::recurrent(tape, p.inputs[0], layer);
               return Result{ops::add(tape, y, again)};
             }});
      }
    }
  }
  return cases;
}

// Both read elsewhere too, and both maps of what another operation gives.
Case simple_recurrent_case(bool is_shared) {
  return {std::string("simple_recurrent") + (is_shared ? ", of operands that others read" : ""),
          [=](Fixture& f) {
            f.input("x", kTokens, 4);
            f.input("gate", kTokens, 4);
            f.parameter("v", 4, 4);
          },
          [=](Pass& p) {
            Tape& tape = p.context.tape;
            const Variable gate = ops::linear(tape, p.inputs[1], *p.fixture.parameters.find("v"), nullptr);
            const Variable h = ops::simple_recurrent(tape, p.inputs[0], gate);
            if (!is_shared) return Result{h};
            const Variable again = ops::linear(tape, p.inputs[0], *p.fixture.parameters.find("v"), nullptr);
            const Variable next = ops::linear(tape, h, *p.fixture.parameters.find("v"), nullptr);
            return Result{ops::add(tape, h, ops::simple_recurrent(tape, again, next))};
          }};
}

Case sparse_linear_case(const std::string& name, ops::Activation activation) {
  return {"sparse_linear " + name,
          [](Fixture& f) {
            f.parameter("w", 9, 4).is_table = true;
            f.parameter("b", 1, 4);
          },
          [=](Pass& p) {
            static const std::vector<Real> values{0.5, -1.25, 2, 1, 0.75, -0.5, 3, 1.5};
            Parameters& all = p.fixture.parameters;
            return Result{ops::sparse_linear(p.context.tape, {p.fixture.tokens.ids, values, &p.packing},
                                             sequence_rows(), *all.find("w"), *all.find("b"), activation)};
          }};
}

}  // namespace

std::vector<Case> op_cases() {
  std::vector<Case> cases;
  using ops::Activation;
  cases.push_back(linear_case("without bias", Activation::none, false));
  cases.push_back(linear_case("with bias", Activation::none, true));
  cases.push_back(linear_case("relu", Activation::relu, true));
  cases.push_back(linear_case("gelu", Activation::gelu, true));
  cases.push_back(linear_case("gelu_tanh", Activation::gelu_tanh, true));
  cases.push_back(linear_case("silu", Activation::silu, true));
  cases.push_back(linear_case("tanh", Activation::tanh, true));
  cases.push_back(linear_case("sigmoid", Activation::sigmoid, true));
  for (const Activation activation : {Activation::relu, Activation::gelu, Activation::tanh})
    cases.push_back(donated_activation_case(activation));
  for (const bool is_dropped : {false, true}) {
    for (const bool is_normed : {false, true}) cases.push_back(residual_case(is_dropped, is_normed));
  }
  cases.push_back(project_case("two", 2));
  cases.push_back(project_case("three", 3));
  const RandomStream stream{.seed = 3, .purpose = Purpose::attention_dropout, .layer = 2, .step = 4};
  cases.push_back(attention_case("self", false, {.heads = 2}));
  cases.push_back(attention_case("causal", false, {.heads = 3, .is_causal = true}));
  cases.push_back(attention_case("cross", true, {.heads = 2}));
  for (const bool is_causal : {false, true})
    cases.push_back(attention_case(is_causal ? "causal, window" : "window", false,
                                   {.heads = 2, .is_causal = is_causal, .window = 2}));
  cases.push_back(attention_case("with dropout", true, {.heads = 2, .dropout = 0.3, .stream = stream}));
  for (const bool is_shared : {false, true}) {
    cases.push_back({is_shared ? "additive_attention of keys that are the values" : "additive_attention",
                     [=](Fixture& f) {
                       f.input("q", kTokens, 5);
                       f.input("k", kMemory, 5);
                       if (!is_shared) f.input("values", kMemory, 3);
                       f.parameter("score", 1, 5);
                     },
                     [=](Pass& p) {
                       const Variable values = is_shared ? p.inputs[1] : p.inputs[2];
                       return Result{ops::additive_attention(p.context.tape, p.inputs[0], p.inputs[1],
                                                             *p.fixture.parameters.find("score"), values)
                                         .output};
                     }});
  }
  cases.push_back({"attention of one matrix with itself", [](Fixture& f) { f.input("x", kTokens, 4); },
                   [](Pass& p) {
                     return Result{
                         ops::attention(p.context.tape, p.inputs[0], p.inputs[0], p.inputs[0], {.heads = 2})};
                   }});
  cases.push_back({"multiply",
                   [](Fixture& f) {
                     f.input("a", kTokens, 5);
                     f.input("b", kTokens, 5);
                   },
                   [](Pass& p) { return Result{ops::multiply(p.context.tape, p.inputs[0], p.inputs[1])}; }});
  cases.push_back({"multiply, the activation of one layer times another, whose input is in the product again",
                   [](Fixture& f) {
                     f.input("x", kTokens, 4);
                     f.parameter("gate", 4, 4);
                     f.parameter("inner", 4, 4);
                   },
                   [](Pass& p) {
                     Tape& tape = p.context.tape;
                     Parameters& all = p.fixture.parameters;
                     const Variable& x = p.inputs[0];
                     const Variable gate =
                         ops::linear(tape, x, *all.find("gate"), nullptr, ops::Activation::silu);
                     const Variable inner = ops::linear(tape, x, *all.find("inner"), nullptr);
                     return Result{ops::multiply(tape, ops::multiply(tape, gate, inner), x)};
                   }});
  for (const bool is_used_twice : {false, true}) {
    const std::string twice = is_used_twice ? " of a matrix used twice" : "";
    cases.push_back({"repeat_heads" + twice, [](Fixture& f) { f.input("x", kTokens, 3); },
                     [=](Pass& p) {
                       Tape& tape = p.context.tape;
                       const Variable y = ops::repeat_heads(tape, p.inputs[0], 4);
                       return Result{
                           is_used_twice ? ops::add(tape, y, ops::repeat_heads(tape, p.inputs[0], 4)) : y};
                     }});
    cases.push_back({"scale" + twice, [](Fixture& f) { f.input("x", kTokens, 6); },
                     [=](Pass& p) {
                       Tape& tape = p.context.tape;
                       const Variable y = ops::scale(tape, p.inputs[0], Real(-0.75));
                       return Result{is_used_twice ? ops::add(tape, y, ops::scale(tape, p.inputs[0], 3)) : y};
                     }});
  }
  struct NormForm {
    std::string suffix;
    bool is_centred, has_beta;
  };
  for (const auto& [suffix, is_centred, has_beta] : {NormForm{"", true, true},
                                                     {" without beta", true, false},
                                                     {" without centring and beta", false, false}}) {
    const auto declare = [has_beta](Fixture& f) {
      f.input("x", kTokens, 5);
      f.parameter("gamma", 1, 5);
      if (has_beta) f.parameter("beta", 1, 5);
    };
    const auto norm_of = [is_centred, has_beta](Pass& p) {
      Parameters& all = p.fixture.parameters;
      return ops::Norm{all.find("gamma"), has_beta ? all.find("beta") : nullptr, 1e-3, is_centred};
    };
    cases.push_back({"norm" + suffix, declare,
                     [=](Pass& p) { return Result{ops::norm(p.context.tape, p.inputs[0], norm_of(p))}; }});
    cases.push_back({"add_norm" + suffix,
                     [=](Fixture& f) {
                       declare(f);
                       f.input("z", kTokens, 5);
                     },
                     [=](Pass& p) {
                       return Result{ops::add_norm(p.context.tape, p.inputs[0], p.inputs[1], norm_of(p))};
                     }});
  }
  cases.push_back({"embed with learned positions, one table for tokens and positions of two calls",
                   [](Fixture& f) {
                     f.parameter("table", 9, 4).is_table = true;
                     f.parameter("positions", 6, 4).is_table = true;
                   },
                   [](Pass& p) {
                     Parameters& all = p.fixture.parameters;
                     const PackedTokens& t = p.fixture.tokens;
                     const Variable a = ops::embed(p.context.tape, p.packing, t.ids, *all.find("table"), 1.7,
                                                   t.position_of, all.find("positions"));
                     const Variable b = ops::embed(p.context.tape, p.packing, t.position_of,
                                                   *all.find("table"), 1, t.position_of, ConstMatrix());
                     return Result{ops::add(p.context.tape, a, b)};
                   }});
  cases.push_back(
      {"dropout", [](Fixture& f) { f.input("x", kTokens, 5); },
       [stream](Pass& p) { return Result{ops::dropout(p.context.tape, p.inputs[0], 0.4, stream)}; }});
  cases.push_back({"add, one input twice",
                   [](Fixture& f) {
                     f.input("a", kTokens, 5);
                     f.input("b", kTokens, 5);
                   },
                   [](Pass& p) {
                     const Variable sum = ops::add(p.context.tape, p.inputs[0], p.inputs[1]);
                     return Result{ops::add(p.context.tape, sum, p.inputs[0])};
                   }});
  cases.push_back({"add_positions",
                   [](Fixture& f) {
                     f.input("x", kTokens, 5);
                     f.parameter("positions", 6, 5).is_table = true;
                   },
                   [](Pass& p) {
                     return Result{ops::add_positions(p.context.tape, p.inputs[0],
                                                      p.fixture.tokens.position_of,
                                                      *p.fixture.parameters.find("positions"))};
                   }});
  cases.push_back({"prepend_token",
                   [](Fixture& f) {
                     f.input("x", kTokens, 5);
                     f.parameter("token", 1, 5);
                   },
                   [longer = Shape({4, 2, 5})](Pass& p) {
                     Tape& tape = p.context.tape;
                     const Variable y = ops::prepend_token(tape, p.inputs[0], longer.packing(),
                                                           *p.fixture.parameters.find("token"));
                     // Twice, so that gradients meet.
                     return Result{ops::add(tape, y,
                                            ops::prepend_token(tape, p.inputs[0], longer.packing(),
                                                               *p.fixture.parameters.find("token")))};
                   }});
  cases.push_back({"flatten", [](Fixture& f) { f.parameter("table", 9, 3).is_table = true; },
                   [tokens = Shape({2, 2, 2, 2}), sequences = Shape({1, 1, 1, 1})](Pass& p) {
                     Tape& tape = p.context.tape;
                     const Variable x = ops::embed(tape, tokens.packing(), p.fixture.tokens.ids,
                                                   *p.fixture.parameters.find("table"), 1, {}, ConstMatrix());
                     return Result{ops::flatten(tape, x, sequences.packing())};
                   }});
  for (const bool is_used_twice : {false, true}) {
    cases.push_back({is_used_twice ? "interleave_copies of a matrix used twice" : "interleave_copies",
                     [](Fixture& f) { f.parameter("table", 9, 3).is_table = true; },
                     [is_used_twice, copies = Shape({3, 3, 1, 1})](Pass& p) {
                       Tape& tape = p.context.tape;
                       const Variable x =
                           ops::embed(tape, copies.packing(), p.fixture.tokens.ids,
                                      *p.fixture.parameters.find("table"), 1, {}, ConstMatrix());
                       const Variable y = ops::interleave_copies(tape, x);
                       return Result{is_used_twice ? ops::add(tape, y, x) : y};
                     }});
  }
  cases.push_back(pool_case("max", ops::Pooling::max));
  cases.push_back(pool_case("mean", ops::Pooling::mean));
  cases.push_back(pool_case("first", ops::Pooling::first));
  cases.push_back(pool_case("last", ops::Pooling::last));
  cases.push_back({"pool of a matrix used twice", [](Fixture& f) { f.input("x", kTokens, 5); },
                   [](Pass& p) {
                     Tape& tape = p.context.tape;
                     return Result{
                         ops::add(tape, ops::pool(tape, p.inputs[0], ops::Pooling::max, sequence_rows()),
                                  ops::pool(tape, p.inputs[0], ops::Pooling::mean, sequence_rows()))};
                   }});
  cases.push_back({"take_rows with rows taken twice", [](Fixture& f) { f.input("x", kTokens, 5); },
                   [](Pass& p) {
                     static const std::vector<std::int32_t> rows = [] {
                       std::vector<std::int32_t> made;
                       for (Index i = 0; i < kTokens; ++i)
                         made.push_back(static_cast<std::int32_t>(i / 2 * 2));
                       return made;
                     }();
                     return Result{ops::take_rows(p.context.tape, p.inputs[0], rows, p.inputs[0].packing())};
                   }});
  cases.push_back({"concatenate three parts, one of them twice",
                   [](Fixture& f) {
                     f.input("a", kTokens, 3);
                     f.input("b", kTokens, 4);
                   },
                   [](Pass& p) {
                     const Variable parts[] = {p.inputs[0], p.inputs[1], p.inputs[0]};
                     return Result{ops::concatenate(p.context.tape, parts)};
                   }});
  cases.push_back(take_rows_case("alone", false));
  cases.push_back(take_rows_case("of a matrix used twice", true));
  for (const bool is_used_twice : {false, true}) {
    cases.push_back({is_used_twice ? "rotate of a matrix used twice" : "rotate",
                     [](Fixture& f) { f.input("x", kTokens, 8); },
                     [=](Pass& p) {
                       static const RotaryTable table(16, 4);
                       const Variable y = ops::rotate(p.context.tape, p.inputs[0], table.view());
                       return Result{is_used_twice ? ops::add(p.context.tape, y, p.inputs[0]) : y};
                     }});
  }
  cases.push_back({"fourier_mix", [](Fixture& f) { f.input("x", kTokens, 6); },
                   [](Pass& p) {
                     const Variable y = ops::fourier_mix(p.context.tape, p.inputs[0]);
                     return Result{ops::add(p.context.tape, y, p.inputs[0])};
                   }});
  for (const Index columns : {0, 1}) cases.push_back(convolution_case(columns));
  cases.push_back(convolution_case(0, true));
  for (Case& one : recurrent_cases()) cases.push_back(std::move(one));
  for (const bool is_shared : {false, true}) cases.push_back(simple_recurrent_case(is_shared));
  cases.push_back(mix_tokens_case("gelu", Activation::gelu));
  cases.push_back(mix_tokens_case("relu", Activation::relu));
  cases.push_back(mix_tokens_case("none", Activation::none));
  cases.push_back(sparse_linear_case("none", Activation::none));
  cases.push_back(sparse_linear_case("tanh", Activation::tanh));
  for (Case& one : output_layer_cases()) cases.push_back(std::move(one));
  return cases;
}

}  // namespace headwater::gradcheck
