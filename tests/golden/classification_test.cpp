// Figures of classifiers against scikit-learn's (reference/scores/classification.json).
#include <doctest/doctest.h>

#include <cmath>

#include "metrics/class_metrics.hpp"
#include "reference_folder.hpp"

using namespace headwater;

namespace {

// Equal but for the order of additions.
bool is_equal(double ours, double theirs) {
  return std::abs(ours - theirs) <= 4e-16 * std::abs(theirs) + 1e-300;
}

}  // namespace

TEST_CASE(
    "classification: accuracy, precision, recall, F1, confusion matrix and ROC AUC as scikit-learn has "
    "them") {
  const fs::path path = reference_path("scores/classification.json");
  const Json expected = Json::parse(read_file(path), path.string());
  const auto classes = static_cast<std::int32_t>(expected.at("confusion").as_array().size());
  const Json::Array &labels = expected.at("labels").as_array(),
                    &predicted = expected.at("predicted").as_array();
  REQUIRE(labels.size() == predicted.size());
  REQUIRE(!labels.empty());
  ConfusionMatrix matrix(classes);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    matrix.add(static_cast<std::int32_t>(labels[i].as_integer()),
               static_cast<std::int32_t>(predicted[i].as_integer()));
  }
  CHECK(is_equal(matrix.counts().accuracy(), expected.at("accuracy").as_number()));
  CHECK(is_equal(matrix.counts().macro_f1(), expected.at("macro_f1").as_number()));
  for (std::int32_t c = 0; c < classes; ++c) {
    const std::size_t at = c;
    const ClassScores scores = matrix.counts().scores(c);
    CHECK(is_equal(scores.precision, expected.at("precision").as_array().at(at).as_number()));
    CHECK(is_equal(scores.recall, expected.at("recall").as_array().at(at).as_number()));
    CHECK(is_equal(scores.f1, expected.at("f1").as_array().at(at).as_number()));
    const Json::Array& row = expected.at("confusion").as_array().at(at).as_array();
    for (std::int32_t prediction = 0; prediction < classes; ++prediction) {
      CHECK(matrix.count(c, prediction) == row.at(prediction).as_integer());
    }
  }
  std::vector<std::uint8_t> is_positive;
  std::vector<double> scores;
  for (const Json& label : expected.at("binary_labels").as_array())
    is_positive.push_back(static_cast<std::uint8_t>(label.as_integer()));
  for (const Json& score : expected.at("binary_scores").as_array()) scores.push_back(score.as_number());
  const auto area = roc_auc(is_positive, scores);
  REQUIRE(area.has_value());
  CHECK(is_equal(*area, expected.at("roc_auc").as_number()));
}
