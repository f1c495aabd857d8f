// What --help and the manual pages say of an option: its text, and what is declared beside it.
#include "cli/options.hpp"

#include <doctest/doctest.h>

#include <array>
#include <optional>

#include "support/error.hpp"

using namespace headwater::cli;

namespace {

struct Line {
  std::string output, view = "table", text, model;
  std::vector<std::string> files;
  double rate = 0.5;
  std::int64_t count = 1;
  bool is_all = false, is_json = false;
  KindOptions of_kinds;
  CommandLine line{"tool", "1"};

  Line() {
    line.add_option("text", text, "the text").reads();
    line.group("Output");
    line.add_option("-o,--output", output, "where it goes (see --view), in [a form](#forms) of its own")
        .writes();
    line.add_option("--view", view, "what is shown, as `a-b` ([below](#views))")
        .one_of({"table", "page"})
        .with_default()
        .goes_with("--output");
    line.add_flag("--all", is_all, "all [SEP] of `--x`")
        .needs("--output", "why")
        .goes_without("--json")
        .goes_without("--view=page")
        .is_of("a classifier|a translator", of_kinds);
    line.group("Input");
    line.add_option("--files", files, "`,` or `|`").one_value_each().reads();
    line.add_option("--model", model, "the model").reads_model().required();
    line.group("Other");
    line.add_option("--rate", rate, "a share").between(0, 1).with_default();
    line.add_option("--count", count, "how many").at_least(1).shown_as("K").note("not with --terms");
    line.add_flag("--json", is_json, "JSON");
  }

  bool helps(const std::string& words) { return line.help().find(words + "\n") != std::string::npos; }
};

}  // namespace

TEST_CASE("--help has the text without signs of Markdown, then default, range and rules") {
  Line l;
  INFO(l.line.help());
  CHECK(l.helps("  -o,--output FILE                where it goes (see --view), in a form of its own"));
  CHECK(l.helps("  --view table|page               what is shown, as a-b (table); only with --output"));
  CHECK(
      l.helps("  --all                           all [SEP] of --x; needs --output; not with --json or --view "
              "page; only for a classifier or a translator"));
  CHECK(l.helps("  --model MODEL                   the model; required"));
  CHECK(l.helps("  --rate NUMBER                   a share (0.5); 0 to 1"));
  CHECK(l.helps("  --count K                       how many; not with --terms"));
}

TEST_CASE(
    "the manual page has a table for each group, in which options and words are code, and none is hidden") {
  Line l;
  l.line.option("--json").hide();
  CHECK(
      l.line.option_tables() ==
      "\n| Input | |\n|---|---|\n"
      "| `--files FILE` | `,` or `\\|` |\n"
      "| `--model MODEL` | the model; required |\n"
      "\n| Output | |\n|---|---|\n"
      "| `-o`, `--output FILE` | where it goes (see `--view`), in [a form](#forms) of its own |\n"
      "| `--view table\\|page` | what is shown, as `a-b` ([below](#views)) (table); only with `--output` |\n"
      "| `--all` | all [SEP] of `--x`; needs `--output`; not with `--view` page; only for a classifier or a "
      "translator |\n"
      "\n| Other | |\n|---|---|\n"
      "| `-h`, `--help` | print how it is called, with examples |\n"
      "| `--version` | print the version, the commit, the bits version and what the program was built for |\n"
      "| `--rate NUMBER` | a share (0.5); 0 to 1 |\n"
      "| `--count K` | how many; not with `--terms` |\n"
      "\n");
}

namespace {

enum class Shape { round, auto_ };

}  // namespace

TEST_CASE("an option of an enum takes the names of its values") {
  Shape shape = Shape::auto_;
  std::optional<Shape> other;
  CommandLine line("tool", "1");
  line.add_option("--shape", shape, "the form").with_default();
  line.add_option("--other", other, "another");
  CHECK(line.help().find("  --shape round|auto              the form (auto)\n") != std::string::npos);
  CHECK(line.help().find("  --other round|auto              another\n") != std::string::npos);
  const auto parse = [&](std::string typed) {
    std::string tool = "tool";
    std::array words{tool.data(), typed.data()};
    line.parse(2, words.data());
  };
  parse("--shape=round");
  CHECK(shape == Shape::round);
  CHECK(!other);
  parse("--other=auto");
  CHECK(other == Shape::auto_);
  CHECK_THROWS_WITH_AS(parse("--other=rond"),
                       "--other: unknown value \"rond\"; did you mean \"round\"? (see tool --help)",
                       headwater::UsageError);
  CHECK_THROWS_AS(parse("--shape="), headwater::UsageError);
}
