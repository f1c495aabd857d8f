#include "training/state.hpp"

#include <doctest/doctest.h>

#include "error_text.hpp"

using namespace headwater;

namespace {

TrainingState state() {
  TrainingState s;
  s.step = 12;
  s.epoch = 1;
  s.position = 64;
  s.epoch_totals = {.loss = 0.1 + 0.2,
                    .correct = 5,
                    .predicted = 9,
                    .useful = 20,
                    .sequences = 3,
                    .positions = 60,
                    .padded = 2};
  s.has_best = true;
  s.best_value = 1.0 / 3;
  s.best_step = 10;
  s.first_loss = 2.0 / 3;
  s.last_loss = 0.1 + 0.7;
  s.changes = {"step 12: training.epochs: 5, was 3"};
  s.data_hash = "00112233445566778899aabbccddeeff";
  return s;
}

std::string problem(const Json& json) {
  return error_text([&] { TrainingState::from_json(json, "state.json"); });
}

}  // namespace

TEST_CASE("a state is read back as it was written, to the last bit") {
  const std::string text = state().to_json().dump(2);
  const TrainingState read = TrainingState::from_json(Json::parse(text, "state.json"), "state.json");
  CHECK(read.step == 12);
  CHECK(read.epoch == 1);
  CHECK(read.position == 64);
  CHECK(read.epoch_totals.loss == 0.1 + 0.2);
  CHECK(read.epoch_totals.padded == 2);
  CHECK(read.best_value == 1.0 / 3);
  CHECK(read.first_loss == 2.0 / 3);
  CHECK(read.changes == state().changes);
  CHECK(read.last_loss == 0.1 + 0.7);
  CHECK(read.to_json().dump(2) == text);
}

TEST_CASE("a state without early stopping and losses, as older programs wrote it") {
  const Json whole = state().to_json();
  Json older = Json::Object{};
  for (const auto& [name, value] : whole.as_object()) {
    if (!name.starts_with("stopping_") && !name.ends_with("t_loss")) older.set(name, value);
  }
  const TrainingState read = TrainingState::from_json(older, "state.json");
  CHECK(read.stopping_epoch == 0);
  CHECK(read.best_step == 10);
  CHECK_FALSE(read.first_loss.has_value());
  CHECK_FALSE(read.last_loss.has_value());
}

TEST_CASE("a state that no run could have written is refused") {
  const Json whole = state().to_json();
  for (const auto& member : whole.as_object()) {
    const std::string& name = member.first;
    INFO(name);
    Json without = Json::Object{};
    for (const auto& [other, kept] : whole.as_object()) {
      if (other != name) without.set(other, kept);
    }
    // Runs of an older program had no early stopping, and no losses here; few have changes.
    if (name != "stopping_epoch" && name != "first_loss" && name != "last_loss" && name != "changes")
      CHECK(problem(without).find(name) != std::string::npos);
    Json of_other_type = state().to_json();
    of_other_type.set(name, Json::Array{});
    if (name != "changes") CHECK(problem(of_other_type).starts_with("state.json: "));
  }
  for (const char* name : {"step", "epoch", "position", "best_step", "stopping_epoch"}) {
    CHECK(problem(state().to_json().set(name, -1)) ==
          "state.json: \"" + std::string(name) + "\" is -1, expected a count");
    CHECK(problem(state().to_json().set(name, 1.5)) != "(no error)");
    CHECK(problem(state().to_json().set(name, "1")) != "(no error)");
  }
  CHECK(problem(state().to_json().set("format_version", 2)) ==
        "state.json: format_version is 2, this program reads 1");
  Json totals = state().to_json().at("epoch_totals");
  CHECK(problem(state().to_json().set("epoch_totals", totals.set("predicted", -3)))
            .find("\"predicted\" is -3") != std::string::npos);
  CHECK(problem(state().to_json().set("changes", Json::Array{1})).starts_with("state.json: "));
  CHECK(problem(Json::Array{}) != "(no error)");
  CHECK(problem(Json()) != "(no error)");
}

TEST_CASE("the measures of a run over real and over padded positions") {
  // Two sentences of 3 and 1 predicted tokens in a model of 5 positions: both have a pad after their end.
  const LossTotals totals{
      .loss = 6, .correct = 2, .predicted = 4, .useful = 9, .sequences = 2, .positions = 10, .padded = 2};
  CHECK(totals.mean_loss() == 1.5);
  CHECK(totals.accuracy() == 0.5);
  CHECK(totals.reference_loss() == 0.6);
  CHECK(totals.reference_accuracy() == doctest::Approx(4.0 / 6));
  const LossTotals none;
  CHECK(none.mean_loss() == 0);
  CHECK(none.accuracy() == 0);
  CHECK(none.reference_loss() == 0);
  CHECK(none.reference_accuracy() == 0);
}

namespace {

// Two batches of a run of two losses, of which the second predicts in the first batch alone.
LossTotals of_two_losses() {
  LossTotals sum, first, second;
  first.set_part(0, {.weight = 1, .loss = 6, .correct = 1, .predicted = 3});
  first.set_part(1, {.weight = 0.5, .loss = 4, .correct = 0, .predicted = 1});
  second.set_part(0, {.weight = 1, .loss = 1, .correct = 1, .predicted = 1});
  second.set_part(1, {.weight = 0.5});
  sum.add(first);
  sum.add(second);
  return sum;
}

}  // namespace

TEST_CASE("of several losses the mean is the weighted sum of means over their own predictions") {
  const LossTotals totals = of_two_losses();
  CHECK(totals.parts[0].mean_loss() == 7.0 / 4);
  CHECK(totals.parts[1].mean_loss() == 4);
  CHECK(totals.mean_loss() == 7.0 / 4 + 0.5 * 4);
  CHECK(totals.accuracy() == 0.5);  // of the first
  CHECK(totals.parts[1].accuracy() == 0);
  CHECK(LossPart().mean_loss() == 0);
}

TEST_CASE("the totals of several losses are read back, and refused where no run has such") {
  TrainingState s = state();
  s.epoch_totals = of_two_losses();
  const Json json = s.to_json();
  const TrainingState read = TrainingState::from_json(json, "state.json");
  CHECK(read.to_json().dump() == json.dump());
  CHECK(read.epoch_totals.mean_loss() == s.epoch_totals.mean_loss());
  const auto with_parts = [&](Json parts) {
    Json totals = json.at("epoch_totals");
    totals.set("parts", std::move(parts));
    return problem(state().to_json().set("epoch_totals", std::move(totals)));
  };
  const Json::Array parts = json.at("epoch_totals").at("parts").as_array();
  REQUIRE(parts.size() == 2);
  CHECK(with_parts(parts) == "(no error)");
  CHECK(with_parts(Json::Array(kMaxLosses + 1, parts[0])).find("more losses") != std::string::npos);
  CHECK(with_parts(Json::Array{Json(parts[0]).set("weight", 0.0)}).find("\"weight\"") != std::string::npos);
  CHECK(with_parts(Json::Array{Json(parts[0]).set("predicted", -1)}).find("\"predicted\" is -1") !=
        std::string::npos);
  CHECK(with_parts(Json::Array{1}).starts_with("state.json: "));
}
