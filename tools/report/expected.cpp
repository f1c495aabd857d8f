// What was expected of the runs of recipes, and what they reached.
#include <algorithm>

#include "cli/result_ending.hpp"
#include "cli/result_file.hpp"
#include "cli/tool.hpp"
#include "pretrained/model_directory.hpp"
#include "reports/run_table.hpp"
#include "support/directories.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "tools/report/report.hpp"

namespace headwater::report {

// The last stage of a recipe writes report.md.
JudgedRun judged_folder(const fs::path& folder) {
  std::string name = name_of_model(folder);
  if (!is_there(folder / "report.md"))
    return failed_run(std::move(name),
                      fs::is_directory(folder) ? files_of_run(folder).messages.failed : std::string());
  std::vector<std::string> tables;
  for (const char* file : {"table.txt", "test.txt"}) {
    constexpr std::uint64_t kMaxBytes = 1 << 24;
    if (!is_there(folder / file)) continue;
    cli::run_files().reads(folder / file);
    tables.push_back(read_file(folder / file, kMaxBytes));
  }
  return judged_run(std::move(name), tables);
}

void write_expected(const Options& o) {
  std::vector<JudgedRun> runs;
  for (const std::string& folder : o.expected) {
    try {
      const bool is_run = is_there(folder) && fs::is_directory(folder);
      runs.push_back(judged_folder(is_run ? files_of_run(folder).folder : fs::path(folder)));
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
