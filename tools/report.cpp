// report: how runs went: the page of one, a table of several, a picture of their learning curves. Manual:
// tools/report.md.
#include "tools/report/report.hpp"
#include "cli/result_file.hpp"
#include "cli/tool.hpp"
#include "support/error.hpp"

namespace headwater::report {
namespace {

void describe(cli::CommandLine& line, Options& o) {
  line.add_option("run", o.pages,
                  "the page of this run, in Markdown, or with --html of all these: a model directory, or the "
                  "folder of a recipe's run")
      .shown_as("[RUN...]");
  line.group("Input");
  line.add_option(
          "--runs", o.runs,
          "a table of these runs: model directories, folders that hold a model, or their log.csv: the "
          "keys in which their recipes differ, what each reached, its seconds and parameters, and why one "
          "failed, with status 1")
      .values(1, -1)
      .shown_as("RUN...")
      .reads();
  line.add_option(
          "--expected", o.expected,
          "a table of what was expected of these runs of recipes and what they reached; status 1 where "
          "one failed or missed it")
      .values(1, -1)
      .shown_as("RUN...")
      .reads();
  line.add_option("--curves", o.curves, "a picture (SVG) of the learning curves of these runs")
      .values(1, -1)
      .shown_as("RUN...")
      .reads();
  line.group("Output");
  line.add_option("-o,--output", o.output,
                  "where the page, the table or the picture goes; - is standard output")
      .shown_as("FILE")
      .writes();
  line.add_flag(
      "--html", o.is_html,
      "of RUN: a page for browsers, with curves, attention, layers, recipe and hashes; also where FILE "
      "ends in .html");
  line.add_flag("--csv", o.is_csv, "of --runs: records of CSV with all digits");
  line.add_flag("--json", o.is_json, "one JSON object a run");
  line.add_title("--title", o.title, "of the picture, or of a page in HTML");
}

void run(const Options& given) {
  Options o = given;
  for (std::vector<std::string>* const named : {&o.pages, &o.runs, &o.expected, &o.curves})
    *named = runs_among(*named);
  const int ways =
      int{!o.pages.empty()} + int{!o.runs.empty()} + int{!o.curves.empty()} + int{!o.expected.empty()};
  if (ways == 0)
    throw UsageError("nothing to report (name a run, or several after --runs, --expected or --curves)");
  if (ways > 1) throw UsageError("two of RUN, --runs, --expected and --curves (one at a time)");
  const bool has_json = !o.runs.empty() || !o.curves.empty();
  if (o.is_json && !has_json) throw UsageError("--json goes with --runs and --curves only");
  if (o.is_csv && o.runs.empty()) throw UsageError("--csv goes with --runs only");
  if (o.is_csv && o.is_json) throw UsageError("both --csv and --json (one at a time)");
  if (o.is_html && o.pages.empty()) throw UsageError("--html goes with RUN only");
  const bool is_html = o.is_html || (!o.pages.empty() && o.output.extension() == ".html");
  if (!o.title.empty() && o.curves.empty() && !is_html)
    throw UsageError("--title goes with --curves and --html only");
  if (o.pages.size() > 1 && !is_html)
    throw UsageError(
        "several runs make a table (report --runs RUN...) or a page (report RUN... --html -o FILE)");
  if (o.output != "-") cli::check_result_file(o.output);
  (is_html               ? write_html
   : !o.pages.empty()    ? write_page
   : !o.runs.empty()     ? write_table
   : !o.expected.empty() ? write_expected
                         : draw_curves)(o);
}

}  // namespace
}  // namespace headwater::report

int main(int argc, char** argv) {
  using namespace headwater;
  using namespace headwater::report;
  const cli::ToolDescription tool{
      "report",
      "show how runs went: the page of one, a table of what several differ in and reached, or their learning "
      "curves",
      "report models/recipes/imdb-encoder\n"
      "report models/recipes/imdb-* --html -o imdb.html\n"
      "report --runs models/recipes/imdb-*\n"
      "report --runs models/one models/two --csv -o runs.csv\n"
      "report --expected models/recipes/imdb-*\n"
      "report --curves models/one models/two -o curves.svg"};
  return cli::tool_main<Options>(argc, argv, tool, describe, run);
}
