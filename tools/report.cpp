// report: how runs went: the page of one, a table of several, a picture of their learning curves. Manual:
// tools/report.md.
#include "tools/report/report.hpp"
#include "cli/result_file.hpp"
#include "cli/tool.hpp"
#include "support/error.hpp"

namespace headwater::report {
namespace {

bool is_html(const Options& o) { return o.is_html || (!o.pages.empty() && o.output.extension() == ".html"); }

void describe(cli::CommandLine& line, Options& o) {
  line.add_option("run", o.pages,
                  "the page of this run, in Markdown, or with --html of all these: a model directory, or the "
                  "folder of a recipe's run")
      .shown_as("[RUN...]");
  line.group("Input");
  line.add_option("--runs", o.runs, "a table with a row a run ([below](#the-table))")
      .values(1, -1)
      .shown_as("RUN...")
      .reads()
      .goes_without("run", "one at a time");
  line.add_option("--expected", o.expected,
                  "a table of what was expected of these runs of recipes and what they reached "
                  "([below](#what-was-expected))")
      .values(1, -1)
      .shown_as("RUN...")
      .reads()
      .goes_without("run --runs", "one at a time");
  line.add_option("--curves", o.curves,
                  "a picture (SVG) of the runs' learning curves ([below](#learning-curves))")
      .values(1, -1)
      .shown_as("RUN...")
      .reads()
      .goes_without("run --runs --expected", "one at a time");
  line.group("Output");
  line.add_option("-o,--output", o.output,
                  "where the page, the table or the picture goes; - is standard output (default). The name "
                  "must not end as another format")
      .writes();
  line.add_flag("--html", o.is_html,
                "a page for browsers instead, one file with pictures, layers, the recipe and hashes; of "
                "several runs one page of all. Also chosen by a FILE that ends in `.html`")
      .goes_with("run");
  line.add_flag("--csv", o.is_csv,
                "records of CSV, numbers with all their digits, keys with their sections (`model.width`)")
      .goes_with("--runs");
  line.add_flag("--json", o.is_json, "one JSON object a run, each with `\"version\": 1`")
      .goes_with("--runs --curves")
      .goes_without("--csv", "one at a time");
  line.condition("FILE.html", [&o] { return is_html(o); });
  line.add_title("--title", o.title, "of the picture, or of a page in HTML")
      .goes_with("--curves --html FILE.html");
}

void run(const Options& given) {
  Options o = given;
  for (std::vector<std::string>* const named : {&o.pages, &o.runs, &o.expected, &o.curves}) {
    *named = runs_among(*named);
    tell_apart(*named);
  }
  if (o.pages.empty() && o.runs.empty() && o.curves.empty() && o.expected.empty())
    throw UsageError("nothing to report (name a run, or several after --runs, --expected or --curves)");
  if (o.pages.size() > 1 && !is_html(o))
    throw UsageError(
        "several runs make a table (report --runs RUN...) or a page (report RUN... --html -o FILE)");
  if (o.output != "-") cli::check_result_file(o.output);
  (is_html(o)            ? write_html
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
