// What the three ways of evaluating share: texts.cpp, labels.cpp, models.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/lines.hpp"
#include "reports/classification_report.hpp"
#include "reports/run_report.hpp"
#include "reports/score_report.hpp"

namespace headwater::evaluate {

using Lines = std::vector<std::string>;

struct Options {
  std::string model, recipe, scale = "full";
  std::vector<std::string> data;
  bool has_ids = false, has_reference_measure = false;
  std::int64_t batch_sequences = 64;

  std::string hypotheses;
  std::vector<std::string> references;

  std::string predictions, labels;

  double temperature = 1;
  bool fits_temperature = false;
  std::string reliability;  // where the picture goes

  std::vector<std::string> metrics;
  std::string tokenization = "13a", smoothing = "exp", isa = "auto";
  bool is_lowercased = false, is_stemmed = false, is_by_sentence = false, is_json = false, is_quiet = false;
  cli::LineReaderSettings reader;
  int threads = 0;
};

// What is measured, checked before any file is read.
struct Metrics {
  std::vector<std::string> of_model;
  TextMetrics text;
};

// One text against another.
void evaluate_texts(const Options& o, const Metrics& metrics);
// Guessed labels against labels.
void evaluate_predictions(const Options& o);
// A model on data.
void evaluate_model(const Options& o, const Metrics& metrics);

void write(const std::vector<ScoreRow>& rows, bool is_json);
void write(const ClassificationReport& report, bool is_json);
// The reliability diagram, where --reliability asks for one. Throws Error where no probabilities are known.
void write_reliability(const ClassificationReport& report, const Options& o, const std::string& title);
void write(const std::vector<JudgedExpectation>& judged, bool is_json);

}  // namespace headwater::evaluate
