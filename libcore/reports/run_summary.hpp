// The paragraph that the page of a run begins with: what was run, what came out, what to try next.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "recipe/recipe.hpp"
#include "reports/learning_curves.hpp"
#include "reports/page_parts.hpp"
#include "reports/run_report.hpp"
#include "reports/run_table.hpp"
#include "support/run_messages.hpp"

namespace headwater {

struct SummarizedRun {
  const Recipe& recipe;
  std::string name;
  std::string what;       // "a translator"
  std::string next_tool;  // "translate"
  const RunFigures& figures;
  std::optional<std::int64_t> parameters;
  NamedFigures test;                         // of the test data
  std::vector<LearningCurve::Point> epochs;  // that were validated
  JudgedRun judged;
  RunMessages messages;
};

// Plain sentences, each from a fact of the run.
std::string run_summary(const SummarizedRun& run);
// That paragraph, and below it the warnings where there are some.
PageParts summary_parts(const SummarizedRun& run);

// The same of several, of which those in `rows` could be read: how many failed, and which are the best.
std::string runs_summary(const std::vector<RunRow>& rows, std::size_t runs);

}  // namespace headwater
