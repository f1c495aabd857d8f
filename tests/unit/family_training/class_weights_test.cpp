// training.class_weights: the numbers, and what they do to a loss.
#include <doctest/doctest.h>

#include <cmath>

#include "error_text.hpp"
#include "families/bag_of_words/model.hpp"
#include "families/train_labels.hpp"

using namespace headwater;

namespace {

const std::vector<std::int32_t> kLabels = {0, 0, 0, 2, 0, 0, 2, 0};  // 1 does not occur

std::vector<Real> weights_of(const ClassWeights& wanted) {
  Recipe recipe;
  recipe.training.class_weights = wanted;
  return class_weights(recipe, LabelSet::parse("a\nb\nc d\n", "made"), kLabels.size(),
                       [](std::size_t i) { return kLabels[i]; });
}

}  // namespace

TEST_CASE("class weights: none, balanced as scikit-learn has them, and those of the recipe") {
  CHECK(weights_of({}).empty());
  // compute_class_weight("balanced"): 8 / (2 · 6) and 8 / (2 · 2); a class without examples is not asked for
  CHECK(weights_of({"balanced", {}}) == std::vector<Real>{Real(8.0 / 12), 1, 2});
  CHECK(weights_of({"", {{"c d", 3}}}) == std::vector<Real>{1, 1, 3});
  CHECK(error_text([] {
          (void)weights_of({"", {{"cd", 3}}});
        }) == "training.class_weights: \"cd\" is not a label (known: a, b, c d)");
}

TEST_CASE("labels without a training example are named") {
  const auto named = [](const char* labels) {
    return unlearned_labels(LabelSet::parse(labels, "made"), kLabels.size(),
                            [](std::size_t i) { return kLabels[i]; });
  };
  CHECK(named("a\nb\nc\n") ==
        std::vector<std::string>{
            "1 label without a training example, which the model cannot learn to give: \"b\""});
  CHECK(named("a\nb\nc\nd\n")
            .front()
            .ends_with("2 labels without a training example, which the model cannot "
                       "learn to give: \"b\", \"d\""));
}

TEST_CASE("class weights: an example counts as often as its label says, for both heads") {
  for (const bool is_sigmoid : {true, false}) {
    BagOfWords model(
        {.width = 4, .head = {is_sigmoid ? HeadType::sigmoid : HeadType::softmax, is_sigmoid ? 2 : 3}}, 9);
    model.parameters().allocate(true);
    model.parameters().initialize(3);
    const std::vector<Real> weights =
        is_sigmoid ? std::vector<Real>{0.5, 3} : std::vector<Real>{0.5, 3, 0.125};
    // One example three times, or once with the weight 3.
    const auto run = [&](const std::vector<std::int32_t>& labels, std::span<const Real> by_class) {
      ClassBatch batch;
      batch.clear();
      for (const std::int32_t label : labels) {
        batch.add(std::vector<std::int32_t>{1, 4 + label});
        batch.values.insert(batch.values.end(), {1, 2});
        batch.labels.push_back(label);
      }
      batch.finish();
      model.parameters().begin_step();
      Arena arena;
      Tape tape(arena, Tape::Mode::record);
      const Variable features = model.features({tape}, batch);
      const double loss = model.head().loss({tape}, features, batch.labels, 0, 1, by_class).loss;
      tape.backward();
      return std::pair(loss, std::vector<Real>(model.parameters().gradients().begin(),
                                               model.parameters().gradients().end()));
    };
    const auto [weighted, slopes] = run({1, 0}, weights);
    const auto [repeated, wanted] = run({1, 1, 1}, {});
    const auto [single, halved] = run({0}, {});
    CHECK(weighted == doctest::Approx(repeated + 0.5 * single).epsilon(1e-6));
    for (std::size_t i = 0; i < slopes.size(); ++i)
      CHECK(slopes[i] == doctest::Approx(wanted[i] + Real(0.5) * halved[i]).epsilon(1e-4));
  }
}
