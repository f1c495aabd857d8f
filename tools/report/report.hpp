// What the ways of reporting share: page.cpp, html.cpp, curves.cpp, table.cpp; run.cpp finds the files of
// a run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "families/model_directory.hpp"
#include "pipeline/content.hpp"
#include "recipe/recipe.hpp"
#include "reports/learning_curves.hpp"
#include "reports/run_page.hpp"
#include "reports/run_table.hpp"
#include "support/files.hpp"
#include "support/run_messages.hpp"

namespace headwater::report {

struct Options {
  std::vector<std::string> pages, curves, runs, expected;
  fs::path output = "-";
  std::string title;
  bool is_json = false, is_csv = false, is_html = false;
};

// A run is named by its model directory, by the folder that holds that as `model`, or by its log.csv.
struct RunFiles {
  std::string name;
  fs::path log, model, folder;     // folder: of a recipe's run, where the files of its test lie
  fs::path recipe_path;            // empty: there is none
  std::optional<Recipe> recipe;    // none where there is no file of it
  RunMessages messages;            // of training, and of the programs of a recipe's other stages
  bool may_go_on = true;           // it has not finished, as far as its checkpoints or its log say
  std::optional<KnownFiles> made;  // by its stages; none of a run that has no record of them
};
inline constexpr const char* kMadeAgain = "remove the file, and run the recipe again";
// What the source of its experiment printed, where the run's folder has it (source.csv).
std::vector<LearningCurve> source_curves_of(const RunFiles& run);
// Those of `named` that are runs, where a shell's pattern has named all that lies in a folder of runs:
// without pages in HTML and what `headwater run --array` leaves there, `prepared` and logs (RUN.log). All of
// them where none is left.
std::vector<std::string> runs_among(const std::vector<std::string>& named);
// Where several are named, those that have begun or failed before; says of another folder without a log.csv
// that it is left out.
// Throws Error where all are such.
std::vector<std::string> begun_among(const std::vector<std::string>& named);
// The name of its folder; of runs that tell_apart() was given, as much of the path as tells them apart.
std::string name_of_run(const fs::path& run);
void tell_apart(const std::vector<std::string>& runs);
// A file in the run's folder, as the run was named.
fs::path file_of(const RunFiles& run, const fs::path& name);
// Whether the run has a file that a stage of its recipe makes. One that no stage has made is somebody else's,
// unless the run has no record. Throws Error "file: changed ... (fix)" where somebody has changed it since.
bool has_made(const RunFiles& run, const fs::path& name, const char* fix = kMadeAgain);
// As the run was named: from the current folder, or from the root.
fs::path as_named(const fs::path& path, const std::string& run);
// Throws Error, no UsageError, where the file is damaged or cannot be read.
Recipe recipe_of_run(const fs::path& path);
// Says to cli::run_files() that the log is read. Throws Error where the recipe or the log is damaged or
// cannot be read, and where the log is not that of the newest checkpoint.
RunFiles files_of_run(const std::string& run);
LearningCurve learning_curve_of(const RunFiles& run);
// Whether the run has saved a model, whole or damaged.
bool has_model(const fs::path& model);
// Throws Error where it cannot be read; says which newer checkpoints are passed over.
ModelFolder model_of_run(const fs::path& model);
std::int64_t count_parameters(const ModelFolder& folder);
// What is no text counts as U+FFFD. Throws Error where the last line has no end: the file is cut.
std::vector<std::string> lines_of(const fs::path& path);
// What evaluate said of the test: test.txt, of the texts with their tokens in another order test.ORDER.txt;
// and the table that training ended with, table.txt. Nothing where there is no such file. Throws Error where
// it is damaged, or has other figures than the log and the model. `parameters`: of the model, where that is
// known.
std::optional<std::string> scores_of_run(const RunFiles& run);
std::optional<std::string> scores_of_order(const RunFiles& run, const std::string& order);
std::optional<std::string> table_of_run(const RunFiles& run, std::optional<std::int64_t> parameters);
// "AMD EPYC, 2 processors, 24 GiB", as far as this system says it.
std::string machine();

// The page of a run, without what HTML has beside it; `output`: where it goes. Throws Error.
RunPage page_of_run(const std::string& run, const fs::path& output);
// What evaluate said of the model, and the scores of the texts that it wrote.
NamedFigures test_figures(const RunFiles& run);
// Where runs failed: says that `place`, "the table", says why, with status 1.
void check_failed(std::int64_t failed, std::size_t runs, const std::string& place);
// The row of a run in a table; of one that cannot be read with the reason alone.
RunRow row_of_run(const std::string& run);
// What was expected of a run of a recipe, by what its folder holds.
JudgedRun judged_folder(const RunFiles& run);
// Several curves get the names of what tells their runs apart; those that failed are called so.
void name_curves(std::vector<LearningCurve>& curves, const std::vector<RunFiles>& runs);

void write_page(const Options& o);
void write_html(const Options& o);
void draw_curves(const Options& o);
void write_table(const Options& o);
void write_expected(const Options& o);

}  // namespace headwater::report
