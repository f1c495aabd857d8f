// Commands as text for bash.
#include <doctest/doctest.h>

#include <array>
#include <cstdio>
#include <string>

#include "pipeline/experiment.hpp"

using namespace headwater;

namespace {

// What bash makes of a text.
std::string said_by_bash(const std::string& text) {
  const std::string command = "bash -c " + Shell().quoted("printf '[%s]' " + text);
  FILE* const pipe = ::popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string said;
  std::array<char, 256> piece;
  while (std::fgets(piece.data(), piece.size(), pipe) != nullptr) said += piece.data();
  CHECK(::pclose(pipe) == 0);
  return said;
}

}  // namespace

TEST_CASE("a word that a shell would take apart is quoted, and only such a one") {
  CHECK(Shell().quoted("models/recipes/r/train.ids") == "models/recipes/r/train.ids");
  CHECK(Shell().quoted("--length=3") == "--length=3");
  CHECK(Shell().quoted("") == "''");
  CHECK(Shell().quoted("my \"data\" $HOME/t.tsv") == "'my \"data\" $HOME'/t.tsv");
  CHECK(Shell().quoted("it's") == "'it'\\''s'");
}

TEST_CASE("bash reads every word as it was") {
  for (const std::string word : {"my \"data\" $HOME/t.tsv",
                                 "it's",
                                 "a\\b/c d",
                                 "*",
                                 "~",
                                 "~/x",
                                 "$(id)",
                                 "`id`",
                                 "a;b",
                                 "a\tb",
                                 "#c",
                                 "!x",
                                 "{a,b}",
                                 "-n",
                                 "a=b c",
                                 "ä ö",
                                 "'",
                                 "x/'y'/z",
                                 "a/",
                                 "/"})
    CHECK(said_by_bash(Shell().quoted(word)) == "[" + word + "]");
}

TEST_CASE("paths in the folder of a variable are written with it") {
  const Shell shell({}, {{"run", "models/r"}, {"bin", "/opt/my bin"}});
  CHECK(shell.quoted("models/r") == "\"$run\"");
  CHECK(shell.quoted("models/r/train.ids") == "\"$run\"/train.ids");
  CHECK(shell.quoted("models/r/a b") == "\"$run\"'/a b'");
  CHECK(shell.quoted("models/r2/x") == "models/r2/x");
  CHECK(shell.quoted("/opt/my bin/train") == "\"$bin\"/train");
}

TEST_CASE("a file that is made has another name until it is whole") {
  const Words command = line("cut", "-f1", "in.tsv", sh("|"), "sort", sh(">"), made("out"));
  CHECK(Shell().text(command) == "cut -f1 in.tsv | sort > out");
  const Shell shell([](const fs::path& file) { return "draft-" + file.string(); });
  CHECK(shell.text(command) == "cut -f1 in.tsv | sort > draft-out");
  CHECK(text_of({{"out"}, {}, {command, line("ls")}}, Shell()) == "cut -f1 in.tsv | sort > out\nls\n");
}
