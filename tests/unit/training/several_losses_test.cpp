// A model with two heads learns by two losses: from the loop to log.csv, the table that ends the run and
// curves.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "families/translator/directory.hpp"
#include "metrics/registry.hpp"
#include "reports/learning_curves.hpp"
#include "reports/run_report.hpp"
#include "scratch_directory.hpp"
#include "support/files.hpp"
#include "support/split.hpp"
#include "trainer_callbacks.hpp"
#include "training/trainer.hpp"

using namespace headwater;

namespace {

// Two numbers are learned: `token` of every example, by half its squared distance from the example's number;
// `pair` of all but the first, by half its squared distance from 1. Each loss is a mean over its own
// predictions.
class TwoHeads : public Objective {
 public:
  static constexpr double kTokenWeight = 1, kPairWeight = 0.5;

  TwoHeads() {
    for (const char* name : {"token", "pair"})
      heads_.push_back(parameters_.declare(name, {1}, 1, 1, Initializer::zeros));
    parameters_.allocate(true);
  }
  Parameters& parameters() override { return parameters_; }
  std::int64_t width() const override { return 1; }
  std::size_t examples(Split) const override { return 10; }
  std::int64_t tokens(Split, std::span<const std::uint32_t> chosen) const override {
    return static_cast<std::int64_t>(chosen.size());
  }
  std::string data_hash() const override { return "numbers"; }
  std::span<const Loss> losses() const override {
    static constexpr Loss kLosses[] = {{.name = "token", .weight = kTokenWeight, .has_accuracy = true},
                                       {.name = "pair", .weight = kPairWeight}};
    return kLosses;
  }
  std::span<const Metric* const> metrics() const override {
    static const Metric* const kMetrics[] = {find_metric("macro_f1")};
    return kMetrics;
  }
  void finish_validation(ValidationFigures& figures) override { figures.figures = {0.25}; }

  void prepare(Split, std::span<const std::uint32_t> chosen, const BatchPart& part, BatchSlot slot) override {
    Slot& to = slots_[slot == BatchSlot::first ? 0 : 1];
    to = {};
    for (Index i = 0; i < part.sequences; ++i) {
      const std::uint32_t number = chosen[i];
      ++to.tokens;
      to.pairs += number > 0 ? 1 : 0;
      if (i >= part.begin() && i < part.end()) to.numbers.push_back(number);
    }
  }
  LossTotals loss(const ForwardContext& context, Split, BatchSlot slot) override {
    const Slot& from = slots_[slot == BatchSlot::first ? 0 : 1];
    const double token = heads_[0]->value.data[0], pair = heads_[1]->value.data[0];
    LossPart tokens{.weight = kTokenWeight}, pairs{.weight = kPairWeight};
    double dtoken = 0, dpair = 0;
    for (const std::uint32_t number : from.numbers) {
      tokens.loss += (token - number) * (token - number) / 2;
      tokens.correct += number < 3 ? 1 : 0;
      ++tokens.predicted;
      dtoken += kTokenWeight * (token - number) / from.tokens;
      if (number == 0) continue;
      pairs.loss += (pair - 1) * (pair - 1) / 2;
      ++pairs.predicted;
      dpair += kPairWeight * (pair - 1) / from.pairs;
    }
    if (context.tape.is_recording()) {
      Tape::slot(*heads_[0]).matrix.data[0] = static_cast<Real>(dtoken);
      Tape::slot(*heads_[1]).matrix.data[0] = static_cast<Real>(dpair);
    }
    LossTotals totals;
    totals.useful = totals.sequences = tokens.predicted;
    totals.set_part(0, tokens);
    totals.set_part(1, pairs);
    return totals;
  }

 private:
  struct Slot {
    std::vector<std::uint32_t> numbers;  // of this part of the batch
    int tokens = 0, pairs = 0;           // predictions of the whole batch
  };
  Parameters parameters_;
  std::vector<Parameter*> heads_;
  Slot slots_[2];
};

Recipe two_heads_recipe() {
  Recipe recipe;
  recipe.name = "two-heads";
  recipe.model = model_section(EncoderDecoderSettings());
  recipe.training.epochs = 3;
  recipe.training.batch_sequences = 4;  // batches of 3 and 4
  recipe.training.log_every = 2;
  recipe.training.optimizer.kind = OptimizerKind::sgd;
  recipe.training.optimizer.learning_rate = 0.25;
  return recipe;
}

// Runs until it is done or has made `steps` steps.
void train_two_heads(const Recipe& recipe, const fs::path& path, std::int64_t steps) {
  TwoHeads objective;
  RunDirectory directory(path, recipe, {}, log_header(log_columns(objective)), ExistingRun::resume,
                         [](const std::string&) {});
  Trainer trainer(recipe, objective, &directory);
  trainer.run(wants_stop([&] { return trainer.state().step >= steps; }));
}

// The rows of a log by their columns, without times.
std::vector<std::map<std::string, std::string>> rows_of_log(const fs::path& path) {
  const std::string text = read_file(path / "log.csv");
  std::vector<std::map<std::string, std::string>> rows;
  std::vector<std::string_view> names;
  for (const std::string_view line : split(std::string_view(text).substr(0, text.size() - 1), '\n')) {
    const std::vector<std::string_view> fields = split(line, ',');
    if (names.empty()) {
      names = fields;
      continue;
    }
    REQUIRE(fields.size() == names.size());
    auto& row = rows.emplace_back();
    for (std::size_t i = 0; i + 3 < names.size(); ++i) row.emplace(names[i], fields[i]);
  }
  return rows;
}

double number_in(const std::map<std::string, std::string>& row, const std::string& column) {
  return std::stod(row.at(column));
}

}  // namespace

TEST_CASE("of several losses each is logged, and their weighted sum is what is learned") {
  const ScratchDirectory scratch;
  const Recipe recipe = two_heads_recipe();
  train_two_heads(recipe, scratch.path(), 1000);
  const std::string text = read_file(scratch / "log.csv");
  CHECK(text.substr(0, text.find('\n')) ==
        "step,epoch,tokens,loss,accuracy,learning_rate,gradient_norm,validation_loss,validation_accuracy,"
        "token_loss,validation_token_loss,token_accuracy,validation_token_accuracy,pair_loss,"
        "validation_pair_loss,validation_macro_f1,predicted,seconds,tokens_per_second,waiting_share");
  const auto rows = rows_of_log(scratch.path());
  REQUIRE(rows.size() == 6);  // after the steps 2, 3, 4, 6, 8, 9
  for (const auto& row : rows) {
    const bool ends_epoch = !row.at("validation_loss").empty();
    CHECK(number_in(row, "loss") ==
          doctest::Approx(number_in(row, "token_loss") + 0.5 * number_in(row, "pair_loss")));
    CHECK(row.at("accuracy") == row.at("token_accuracy"));
    CHECK(row.at("validation_pair_loss").empty() == !ends_epoch);
    CHECK(row.at("validation_macro_f1") == (ends_epoch ? "0.25" : ""));
    if (!ends_epoch) continue;
    CHECK(number_in(row, "validation_loss") == doctest::Approx(number_in(row, "validation_token_loss") +
                                                               0.5 * number_in(row, "validation_pair_loss")));
    CHECK(row.at("validation_token_accuracy") == "0.3");  // 0, 1 and 2 of ten
  }
  // Gradients of means: the pair's head takes 0.25 * 0.5 of its way to 1 in each of nine steps.
  CHECK(number_in(rows.back(), "validation_pair_loss") ==
        doctest::Approx(std::pow(1 - 0.125, 18) / 2).epsilon(1e-5));
}

TEST_CASE("a run of several losses goes on with the same bits") {
  const ScratchDirectory whole, resumed;
  const Recipe recipe = two_heads_recipe();
  train_two_heads(recipe, whole.path(), 1000);
  for (const std::int64_t steps : {1, 4, 1000}) train_two_heads(recipe, resumed.path(), steps);
  CHECK(rows_of_log(resumed.path()) == rows_of_log(whole.path()));
}

TEST_CASE("each of several losses has a row of the table that ends the run, and a curve") {
  const ScratchDirectory scratch;
  const Recipe recipe = two_heads_recipe();
  train_two_heads(recipe, scratch.path(), 1000);
  const std::string table = score_table(run_rows(recipe, read_run(scratch.path(), "loss"), 2));
  for (const char* row : {"\nvalidation_token_loss ", "\nvalidation_token_accuracy ",
                          "\nvalidation_pair_loss ", "\ntraining_token_loss ", "\ntraining_pair_loss "})
    CHECK_MESSAGE(table.find(row) != table.npos, row, table);
  CHECK(table.find("reference") == table.npos);
  const LearningCurve curve = parse_learning_curve(read_file(scratch / "log.csv"), "log.csv", "two heads");
  const std::string svg = learning_curves_svg(std::vector{curve}, "t");
  for (const char* heading : {"Validation token loss<", "Validation token accuracy<", "Validation pair loss<",
                              "lowest validation pair loss<", "highest validation macro F1<"})
    CHECK_MESSAGE(svg.find(heading) != svg.npos, heading);
  const Json json = learning_curves_json(std::vector{curve})[0];
  CHECK(json.at("best").at("pair_loss").at("epoch").as_number() == 3);
}
