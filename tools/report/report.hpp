// What the ways of reporting share: curves.cpp, table.cpp, expected.cpp; run.cpp finds the files of a run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "recipe/recipe.hpp"
#include "support/files.hpp"

namespace headwater::report {

struct Options {
  std::vector<std::string> curves, runs, expected;
  fs::path output = "-";
  std::string title = "Learning curves";
  bool is_json = false, is_csv = false;
};

// A run is named by its model directory, by the folder that holds that as `model`, or by its log.csv.
struct RunFiles {
  std::string name;
  fs::path log, model, folder;   // folder: of a recipe's run, where the files of its test lie
  std::optional<Recipe> recipe;  // none where there is none that can be read
};
// Says to cli::run_files() that the log is read.
RunFiles files_of_run(const std::string& run);

void draw_curves(const Options& o);
void write_table(const Options& o);
void write_expected(const Options& o);

}  // namespace headwater::report
