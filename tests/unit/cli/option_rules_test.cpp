// Rules between options: which line is refused, and with what words.
#include "cli/options.hpp"
#include "support/error.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

using namespace headwater;

namespace {

struct Line {
  bool a = false, b = false, c = false;
  std::string view = "table", output;
  cli::CommandLine line{"tool", "tool 1"};
  cli::Option option_a, option_b, option_c, option_view, option_output;

  Line() {
    option_a = line.add_flag("-a,--all", a, "all");
    option_b = line.add_flag("--best", b, "best");
    option_c = line.add_flag("--count", c, "count");
    option_view = line.add_option("--view", view, "view").one_of({"table", "page", "book"}).with_default();
    option_output = line.add_option("-o", output, "output");
  }

  // "" for a line that is taken, otherwise why it is not.
  std::string said(std::vector<std::string> words) {
    std::vector<char*> all{const_cast<char*>("tool")};
    for (std::string& word : words) all.push_back(word.data());
    try {
      line.parse(static_cast<int>(all.size()), all.data());
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  }
};

}  // namespace

TEST_CASE("an option goes with any of others, and not without all of them") {
  Line l;
  l.option_a.goes_with("--best --count", "why");
  SUBCASE("neither") { CHECK(l.said({"-a"}) == "--all goes with --best or --count only (why)"); }
  SUBCASE("the first") { CHECK(l.said({"-a", "--best"}).empty()); }
  SUBCASE("the second") { CHECK(l.said({"-a", "--count"}).empty()); }
  SUBCASE("not given") { CHECK(l.said({}).empty()); }
}

TEST_CASE("an option needs what is yet to be given") {
  Line l;
  l.option_a.needs("-o", "for the result");
  SUBCASE("missing") { CHECK(l.said({"-a"}) == "--all needs -o (for the result)"); }
  SUBCASE("given") { CHECK(l.said({"-a", "-o", "x"}).empty()); }
}

TEST_CASE("options go without others, and the first of these that is given is named") {
  Line l;
  l.line.goes_without("--all -o", "--best --count");
  SUBCASE("one") { CHECK(l.said({"-a", "--count"}) == "--all and --count do not go together"); }
  SUBCASE("both") { CHECK(l.said({"-a", "--count", "--best"}) == "--all and --best do not go together"); }
  SUBCASE("another") { CHECK(l.said({"-o", "x", "--best"}) == "-o and --best do not go together"); }
  SUBCASE("alone") { CHECK(l.said({"-a"}).empty()); }
  SUBCASE("the others") { CHECK(l.said({"--best", "--count"}).empty()); }
}

TEST_CASE("a rule names values, also of an option that is not typed") {
  Line l;
  l.option_a.goes_with("--view=page,book");
  l.option_b.goes_without("--view=table");
  SUBCASE("the default is another") { CHECK(l.said({"-a"}) == "--all goes with --view page or book only"); }
  SUBCASE("typed") { CHECK(l.said({"-a", "--view", "page"}).empty()); }
  SUBCASE("the default is it") { CHECK(l.said({"--best"}) == "--best and --view table do not go together"); }
  SUBCASE("another is typed") { CHECK(l.said({"--best", "--view", "page"}).empty()); }
}

TEST_CASE("a rule names what several options come to") {
  Line l;
  l.line.condition(
      "both", [&l] { return l.a && l.b; }, "--all with --best");
  l.option_c.goes_with("both");
  SUBCASE("one of them") { CHECK(l.said({"--count", "-a"}) == "--count goes with --all with --best only"); }
  SUBCASE("both") { CHECK(l.said({"--count", "-a", "--best"}).empty()); }
}

TEST_CASE("one of several options is needed") {
  Line l;
  l.line.needs_any("--all --best", "nothing to do (name --all)");
  l.option_a.goes_with("--count");
  CHECK(l.said({"--count"}) == "nothing to do (name --all)");
  CHECK(l.said({"--best"}).empty());
  CHECK(l.said({"-a"}) == "--all goes with --count only");
}

TEST_CASE("standard input has one reader, and standard output one writer") {
  Line l;
  std::string gold, table, picture;
  std::vector<std::string> texts, keys;
  l.line.add_option("text", texts, "text").reads_lines("the text", "--best");
  l.line.add_option("--gold", gold, "gold").reads();
  l.line.add_option("--key", keys, "keys").one_value_each().reads();
  l.line.add_option("--table", table, "table").writes();
  l.line.add_option("--picture", picture, "picture").writes();
  CHECK(l.said({"--gold", "-"}) == "--gold -: standard input holds the text (name a file)");
  CHECK(l.said({"-", "--gold", "-"}) == "--gold -: standard input holds the text (name a file)");
  CHECK(l.said({"file", "--gold", "-"}).empty());
  CHECK(l.said({"--best", "--gold", "-"}).empty());
  CHECK(l.said({"file", "--gold", "-", "--key", "-"}) ==
        "--gold -: standard input holds --key - (name a file)");
  CHECK(l.said({"file", "--key", "-", "--key", "-"}) ==
        "--key -: standard input is named twice (name a file)");
  CHECK(l.said({"-", "-"}) == "the text: standard input is named twice (name a file)");
  CHECK(l.said({"--table", "-", "--picture", "-"}) ==
        "--table -: standard output holds --picture - (name a file)");
}

TEST_CASE("where a file must be named, - is refused") {
  Line l;
  std::string picture, model;
  l.line.add_option("--picture", picture, "picture").writes_beside("the table");
  l.line.add_option("--model", model, "model").reads_file();
  CHECK(l.said({"--picture", "-"}) ==
        "--picture: - is standard output, which has the table (name a file) (see tool --help)");
  CHECK(l.said({"--model", "-"}) == "--model: - is not read here (name a file) (see tool --help)");
}

TEST_CASE("an option says what is wrong with each of its values") {
  Line l;
  double share = 0.5;
  std::vector<std::string> names;
  l.line.add_option("--share", share, "share").inside(0, 1);
  l.line.add_option("--names", names, "names").list(',').checked([](const std::string& name) {
    if (name.size() > 3) throw Error(name + " is too long");
  });
  CHECK(l.said({"--share", "0.5", "--names", "a,bc"}).empty());
  CHECK(l.said({"--share", "0"}) == "--share: 0 is out of range (above 0 and below 1) (see tool --help)");
  CHECK(l.said({"--share", "1"}) == "--share: 1 is out of range (above 0 and below 1) (see tool --help)");
  CHECK(l.said({"--names", "abc,abcd"}) == "--names: abcd is too long (see tool --help)");
  CHECK(l.line.help().find("share; above 0 and below 1") != std::string::npos);
}

TEST_CASE("a rule of an option that is not there is a mistake of the program, whatever is typed") {
  Line l;
  l.option_a.goes_with("--no-such-option");
  CHECK_THROWS_AS(l.said({}), std::logic_error);
}

TEST_CASE("an option of some kinds of models is refused for others, where it is given") {
  Line l;
  cli::KindOptions of_kinds;
  l.option_a.is_of("a classifier|a translator", of_kinds);
  l.line.is_of("--best --count", "a classifier", of_kinds);
  CHECK(l.said({"-a"}).empty());
  CHECK_NOTHROW(of_kinds.check("m", {"a model of texts", "a translator"}));
  CHECK_THROWS_WITH(of_kinds.check("m", {"a model of texts"}),
                    "--all is for a classifier or a translator, m is none");
}

TEST_CASE("a hidden option works, and --help does not show it") {
  Line l;
  l.option_b.hide();
  CHECK(l.line.help().find("--best") == std::string::npos);
  CHECK(l.line.help().find("--count") != std::string::npos);
  CHECK(l.said({"--best"}).empty());
  CHECK(l.b);
  l.option_b.needs("-o");
  CHECK(l.said({"--best"}) == "--best needs -o");
}
