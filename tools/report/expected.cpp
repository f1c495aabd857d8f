// What was expected of the runs of recipes, and what they reached.
#include <algorithm>

#include "cli/result_ending.hpp"
#include "cli/result_file.hpp"
#include "pretrained/model_directory.hpp"
#include "reports/run_table.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "tools/report/report.hpp"

namespace headwater::report {

// The last stage of a recipe writes report.md.
JudgedRun judged_folder(const fs::path& folder) {
  std::string name = name_of_model(folder);
  std::error_code none;
  if (!fs::is_regular_file(folder / "report.md", none))
    return failed_run(std::move(name),
                      fs::is_directory(folder, none) ? files_of_run(folder).messages.failed : std::string());
  std::vector<std::string> tables;
  for (const char* file : {"table.txt", "test.txt"}) {
    constexpr std::uint64_t kMaxBytes = 1 << 24;
    if (!fs::exists(folder / file)) continue;
    cli::run_files().reads(folder / file);
    tables.push_back(read_file(folder / file, kMaxBytes));
  }
  return judged_run(std::move(name), tables);
}

void write_expected(const Options& o) {
  std::vector<JudgedRun> runs;
  for (const std::string& folder : o.expected)
    runs.push_back(judged_folder(fs::is_directory(folder) ? files_of_run(folder).folder : fs::path(folder)));
  cli::check_ending(o.output, "-o", "text");
  cli::write_result_file(o.output, judged_runs_table(runs).text());
  const auto bad =
      std::count_if(runs.begin(), runs.end(), [](const JudgedRun& run) { return !run.is_good(); });
  if (bad > 0)
    throw Error(std::to_string(bad) + " of " + counted(static_cast<std::int64_t>(runs.size()), "run") +
                " failed or missed what was expected");
}

}  // namespace headwater::report
