// What the ways of reporting share: page.cpp, curves.cpp, table.cpp, expected.cpp; run.cpp finds the files of
// a run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "recipe/recipe.hpp"
#include "reports/learning_curves.hpp"
#include "support/files.hpp"

namespace headwater::report {

struct Options {
  std::string run;
  std::vector<std::string> curves, runs, expected;
  fs::path output = "-";
  std::string title = "Learning curves";
  bool is_json = false, is_csv = false;
};

// A run is named by its model directory, by the folder that holds that as `model`, or by its log.csv.
struct RunFiles {
  std::string name;
  fs::path log, model, folder;   // folder: of a recipe's run, where the files of its test lie
  fs::path recipe_path;          // empty: there is none
  std::optional<Recipe> recipe;  // none where there is none that can be read
};
// Says to cli::run_files() that the log is read.
RunFiles files_of_run(const std::string& run);
LearningCurve learning_curve_of(const RunFiles& run);
// How many the model has, as it is. Throws Error where the run has not saved one yet.
std::int64_t count_parameters(const fs::path& model);
// The same, or nothing.
std::optional<std::int64_t> parameters_of(const fs::path& model);
// What is no text counts as U+FFFD.
std::vector<std::string> lines_of(const fs::path& path);
// "AMD EPYC, 2 processors, 24 GiB", as far as this system says it.
std::string machine();

void write_page(const Options& o);
void draw_curves(const Options& o);
void write_table(const Options& o);
void write_expected(const Options& o);

}  // namespace headwater::report
