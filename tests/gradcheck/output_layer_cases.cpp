// Output layers and losses.
#include "gradcheck/op_cases.hpp"

namespace headwater::gradcheck {

namespace {

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

}  // namespace

std::vector<Case> output_layer_cases() {
  std::vector<Case> cases;
  cases.push_back(cross_entropy_case("plain", 0));
  cases.push_back(cross_entropy_case("weighted by class", 0.1, true));
  cases.push_back(cross_entropy_case("smoothed", 0.1));
  cases.push_back(r_drop_case(false));
  cases.push_back(r_drop_case(true));
  cases.push_back(transposed_cross_entropy_case("plain", 0, true));
  cases.push_back(transposed_cross_entropy_case("smoothed, without bias", 0.1, false));
  cases.push_back(linear_transposed_case("with bias", true, false));
  cases.push_back(linear_transposed_case("without bias", false, false));
  cases.push_back(linear_transposed_case("used twice", true, true));
  cases.push_back(tied_language_model_case("the loss writes first", Meeting::loss_first));
  cases.push_back(tied_language_model_case("look-ups come last", Meeting::look_up_last));
  cases.push_back(tied_language_model_case("look-ups come first", Meeting::look_up_first));
  cases.push_back(shared_table_case());
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
