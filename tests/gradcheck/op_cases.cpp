#include "gradcheck/op_cases.hpp"

#include <memory>

#include "layers/rotary.hpp"

namespace headwater::gradcheck {

namespace {

constexpr Index
    kTokens = 8,
    kMemory = 10;  // of the fixture's sequences; all other sizes differ, so a wrong transpose cannot hide

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

constexpr Real kClassWeights[] = {0.3, 1, 2.5, 0.7, 1.6, 4, 0.1};

Case cross_entropy_case(const std::string& name, double smoothing, bool is_weighted = false) {
  return {"linear_cross_entropy " + name,
          [](Fixture& f) {
            f.input("x", kTokens, 3);
            f.parameter("w", 3, 7);
            f.parameter("b", 1, 7);
          },
          [=](Pass& p) {
            Parameters& all = p.fixture.parameters;
            constexpr double kScale = 0.37;
            const auto totals = ops::linear_cross_entropy(
                p.context.tape, p.inputs[0], *all.find("w"), all.find("b"), p.fixture.tokens.ids, smoothing,
                kScale, is_weighted ? std::span<const Real>(kClassWeights) : std::span<const Real>());
            return Result{{}, kScale * totals.loss};
          }};
}

Case transposed_cross_entropy_case(const std::string& name, double smoothing, bool has_bias) {
  return {"linear_transposed_cross_entropy " + name,
          [=](Fixture& f) {
            f.input("x", kTokens, 3);
            f.parameter("w", 7, 3);
            if (has_bias) f.parameter("b", 1, 7);
          },
          [=](Pass& p) {
            Parameters& all = p.fixture.parameters;
            constexpr double kScale = 0.37;
            const auto totals =
                ops::linear_transposed_cross_entropy(p.context.tape, p.inputs[0], *all.find("w"),
                                                     all.find("b"), p.fixture.tokens.ids, smoothing, kScale);
            return Result{{}, kScale * totals.loss};
          }};
}

// Sequences twice in a row, their labels in twos.
Case r_drop_case(bool is_transposed) {
  return {std::string(is_transposed ? "linear_transposed_cross_entropy" : "linear_cross_entropy") +
              " of two passes",
          [=](Fixture& f) {
            f.input("x", kTokens, 3);
            f.parameter("w", is_transposed ? 7 : 3, is_transposed ? 3 : 7);
            f.parameter("b", 1, 7);
          },
          [=](Pass& p) {
            Parameters& all = p.fixture.parameters;
            static const std::vector<std::int32_t> labels{4, 4, 0, 0, 6, 6, 2, 2};
            constexpr double kScale = 0.37, kWeight = 2.5;
            Parameter &w = *all.find("w"), *const b = all.find("b");
            const auto totals = is_transposed
                                    ? ops::linear_transposed_cross_entropy(p.context.tape, p.inputs[0], w, b,
                                                                           labels, 0.1, kScale, kWeight)
                                    : ops::linear_cross_entropy(p.context.tape, p.inputs[0], w, b, labels,
                                                                0.1, kScale, {}, kWeight);
            return Result{{}, kScale * totals.loss};
          }};
}

Case linear_transposed_case(const std::string& name, bool has_bias, bool is_used_twice) {
  return {"linear_transposed " + name,
          [=](Fixture& f) {
            f.input("x", kTokens, 3);
            f.parameter("w", 5, 3);
            if (has_bias) f.parameter("b", 1, 5);
          },
          [=](Pass& p) {
            Tape& tape = p.context.tape;
            Parameter& w = *p.fixture.parameters.find("w");
            Parameter* const b = p.fixture.parameters.find("b");
            const Variable y = ops::linear_transposed(tape, p.inputs[0], w, b);
            if (!is_used_twice) return Result{y};
            return Result{ops::add(tape, y, ops::linear_transposed(tape, p.inputs[0], w, nullptr))};
          }};
}

// A language model of one product: the table embeds and predicts. Ways in which its gradients meet: the loss
// writes before the look-ups; logits are an operation whose backward comes before theirs, or after.
enum class Meeting { loss_first, look_up_last, look_up_first };
Case tied_language_model_case(const std::string& name, Meeting meeting) {
  const bool is_loss = meeting == Meeting::loss_first;
  return {(is_loss ? "linear_transposed_cross_entropy, tied: " : "linear_transposed, tied: ") + name,
          [](Fixture& f) {
            f.parameter("table", 7, 4).is_table = true;
            f.parameter("w", 4, 4);
            f.parameter("out", 4, 7);
            f.parameter("b", 1, 7);
            f.input("x", kTokens, 4);
          },
          [=](Pass& p) {
            Tape& tape = p.context.tape;
            Parameters& all = p.fixture.parameters;
            Parameter& table = *all.find("table");
            const std::vector<std::int32_t>& ids = p.fixture.tokens.ids;
            const auto embed = [&] { return ops::embed(tape, p.packing, ids, table, 2, {}, ConstMatrix()); };
            if (meeting == Meeting::look_up_first) {
              const Variable logits = ops::linear_transposed(tape, p.inputs[0], table, all.find("b"));
              return Result{ops::add(tape, logits, ops::linear(tape, embed(), *all.find("out"), nullptr))};
            }
            const Variable hidden =
                ops::linear(tape, ops::add(tape, embed(), p.inputs[0]), *all.find("w"), nullptr);
            if (!is_loss) return Result{ops::linear_transposed(tape, hidden, table, all.find("b"))};
            constexpr double kScale = 0.37;
            return Result{{},
                          kScale * ops::linear_transposed_cross_entropy(tape, hidden, table, all.find("b"),
                                                                        ids, 0.1, kScale)
                                       .loss};
          }};
}

// Source, target and output share one table, as in Vaswani et al. 2017.
Case shared_table_case() {
  return {"linear_transposed_cross_entropy, source, target and output share a table",
          [](Fixture& f) {
            f.parameter("table", 7, 4).is_table = true;
            f.parameter("b", 1, 7);
          },
          [](Pass& p) {
            Tape& tape = p.context.tape;
            Parameters& all = p.fixture.parameters;
            Parameter& table = *all.find("table");
            const std::vector<std::int32_t>& ids = p.fixture.tokens.ids;
            const Variable memory =
                ops::embed(tape, p.memory_packing, p.fixture.memory_tokens.ids, table, 2, {}, ConstMatrix());
            const Variable target = ops::embed(tape, p.packing, ids, table, 2, {}, ConstMatrix());
            const Variable hidden = ops::attention(tape, target, memory, memory, {.heads = 2});
            constexpr double kScale = 0.37;
            return Result{{},
                          kScale * ops::linear_transposed_cross_entropy(tape, hidden, table, all.find("b"),
                                                                        ids, 0, kScale)
                                       .loss};
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
  cases.push_back(project_case("two", 2));
  cases.push_back(project_case("three", 3));
  const RandomStream stream{.seed = 3, .purpose = Purpose::attention_dropout, .layer = 2, .step = 4};
  cases.push_back(attention_case("self", false, {.heads = 2}));
  cases.push_back(attention_case("causal", false, {.heads = 3, .is_causal = true}));
  cases.push_back(attention_case("cross", true, {.heads = 2}));
  cases.push_back(attention_case("with dropout", true, {.heads = 2, .dropout = 0.3, .stream = stream}));
  cases.push_back({"attention of one matrix with itself", [](Fixture& f) { f.input("x", kTokens, 4); },
                   [](Pass& p) {
                     return Result{
                         ops::attention(p.context.tape, p.inputs[0], p.inputs[0], p.inputs[0], {.heads = 2})};
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
    cases.push_back({"mean_heads" + twice, [](Fixture& f) { f.input("x", kTokens, 6); },
                     [=](Pass& p) {
                       Tape& tape = p.context.tape;
                       const Variable y = ops::mean_heads(tape, p.inputs[0], 3);
                       return Result{is_used_twice ? ops::add(tape, y, ops::mean_heads(tape, p.inputs[0], 3))
                                                   : y};
                     }});
  }
  cases.push_back({"layer_norm",
                   [](Fixture& f) {
                     f.input("x", kTokens, 5);
                     f.parameter("gamma", 1, 5);
                     f.parameter("beta", 1, 5);
                   },
                   [](Pass& p) {
                     Parameters& all = p.fixture.parameters;
                     return Result{ops::layer_norm(p.context.tape, p.inputs[0], *all.find("gamma"),
                                                   *all.find("beta"), 1e-3)};
                   }});
  cases.push_back({"add_layer_norm",
                   [](Fixture& f) {
                     f.input("x", kTokens, 5);
                     f.input("z", kTokens, 5);
                     f.parameter("gamma", 1, 5);
                     f.parameter("beta", 1, 5);
                   },
                   [](Pass& p) {
                     Parameters& all = p.fixture.parameters;
                     return Result{ops::add_layer_norm(p.context.tape, p.inputs[0], p.inputs[1],
                                                       *all.find("gamma"), *all.find("beta"), 1e-3)};
                   }});
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
  cases.push_back(cross_entropy_case("plain", 0));
  cases.push_back(cross_entropy_case("weighted by class", 0.1, true));
  cases.push_back(cross_entropy_case("smoothed", 0.1));
  cases.push_back(r_drop_case(false));
  cases.push_back(r_drop_case(true));
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
  cases.push_back(transposed_cross_entropy_case("plain", 0, true));
  cases.push_back(transposed_cross_entropy_case("smoothed, without bias", 0.1, false));
  cases.push_back(linear_transposed_case("with bias", true, false));
  cases.push_back(linear_transposed_case("without bias", false, false));
  cases.push_back(linear_transposed_case("used twice", true, true));
  cases.push_back(tied_language_model_case("the loss writes first", Meeting::loss_first));
  cases.push_back(tied_language_model_case("look-ups come last", Meeting::look_up_last));
  cases.push_back(tied_language_model_case("look-ups come first", Meeting::look_up_first));
  cases.push_back(shared_table_case());
  cases.push_back(pool_case("max", ops::Pooling::max));
  cases.push_back(pool_case("mean", ops::Pooling::mean));
  cases.push_back(pool_case("first", ops::Pooling::first));
  cases.push_back({"pool of a matrix used twice", [](Fixture& f) { f.input("x", kTokens, 5); },
                   [](Pass& p) {
                     Tape& tape = p.context.tape;
                     return Result{
                         ops::add(tape, ops::pool(tape, p.inputs[0], ops::Pooling::max, sequence_rows()),
                                  ops::pool(tape, p.inputs[0], ops::Pooling::mean, sequence_rows()))};
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
  cases.push_back(mix_tokens_case("gelu", Activation::gelu));
  cases.push_back(mix_tokens_case("relu", Activation::relu));
  cases.push_back(mix_tokens_case("none", Activation::none));
  cases.push_back(sparse_linear_case("none", Activation::none));
  cases.push_back(sparse_linear_case("tanh", Activation::tanh));
  cases.push_back({"binary_cross_entropy", [](Fixture& f) { f.input("z", kTokens, 1); },
                   [](Pass& p) {
                     static const std::vector<std::int32_t> labels{1, 0, 0, 1, 1, 0, 1, 1};
                     constexpr double kScale = 0.37;
                     const auto totals =
                         ops::binary_cross_entropy(p.context.tape, p.inputs[0], labels, kScale);
                     return Result{{}, kScale * totals.loss};
                   }});
  cases.push_back({"binary_cross_entropy weighted by class", [](Fixture& f) { f.input("z", kTokens, 1); },
                   [](Pass& p) {
                     static const std::vector<std::int32_t> labels{1, 0, 0, 1, 1, 0, 1, 1};
                     constexpr double kScale = 0.37;
                     const auto totals =
                         ops::binary_cross_entropy(p.context.tape, p.inputs[0], labels, kScale,
                                                   std::span<const Real>(kClassWeights, 2));
                     return Result{{}, kScale * totals.loss};
                   }});
  return cases;
}

}  // namespace headwater::gradcheck
