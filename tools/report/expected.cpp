// What was expected of the runs of recipes, and what they reached.
#include <algorithm>

#include "cli/result_file.hpp"
#include "cli/tool.hpp"
#include "families/model_directory.hpp"
#include "reports/run_table.hpp"
#include "support/directories.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "tools/report/report.hpp"

namespace headwater::report {

// The last stage of a recipe writes report.md.
JudgedRun judged_folder(const RunFiles& run) {
  if (!is_there(run.folder / "report.md")) return failed_run(run.name, run.messages.failed);
  std::vector<std::string> tables;
  for (std::optional<std::string> table : {table_of_run(run, std::nullopt), scores_of_run(run)}) {
    if (table) tables.push_back(std::move(*table));
  }
  return judged_run(run.name, tables);
}

void write_expected(const Options& o) {
  std::vector<JudgedRun> runs;
  for (const std::string& folder : o.expected) {
    try {
      const bool is_run = is_there(folder) && fs::is_directory(folder);
      runs.push_back(is_run ? judged_folder(files_of_run(folder)) : failed_run(name_of_run(folder)));
    } catch (const UsageError&) {
      throw;
    } catch (const Error& error) {
      cli::note(error.what());
      runs.push_back(failed_run(name_of_run(folder)));
    }
  }
  cli::check_ending(o.output, "-o", "text");
  cli::write_result_file(o.output, judged_runs_table(runs).text());
  const auto bad =
      std::count_if(runs.begin(), runs.end(), [](const JudgedRun& run) { return !run.is_good(); });
  if (bad > 0)
    throw Error(std::to_string(bad) + " of " + counted(static_cast<std::int64_t>(runs.size()), "run") +
                " failed or missed what was expected");
}

}  // namespace headwater::report
