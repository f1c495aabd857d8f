// What shells are told of a program's options. tests/cli/completion_test.sh has the shells complete with it.
#include "cli/completion.hpp"

#include <doctest/doctest.h>

#include "cli/options.hpp"
#include "support/error.hpp"

using namespace headwater::cli;

namespace {

struct Typed {
  std::string output, isa, shown, text;
  std::vector<std::string> changes;
  int threads = 0;
  bool is_quiet = false;
};

Completion completion_of(Typed& typed, bool has_commands = false) {
  CommandLine line("hw-train", "1");
  line.add_option("text", typed.text, "the text").shown_as("[TEXT]").reads();
  line.add_option("-o,--output", typed.output, "where it goes; - is standard output")
      .shown_as("FILE")
      .writes();
  line.add_option("--isa", typed.isa, "code path: [any] of 'them'").one_of({"auto", "avx2"});
  line.add_option("--show", typed.shown, "what is shown").shown_as("FORM").offers({"tokens", "text"});
  line.add_option("--set", typed.changes, "a key").one_value_each().shown_as("KEY=VALUE");
  line.add_option("--threads", typed.threads, "worker threads");
  line.add_flag("-q,--quiet", typed.is_quiet, "no messages");
  if (has_commands) {
    line.commands([] {
      return std::vector<CommandWords>{{"run", {"phrasebook", "mnist-vit"}, true}, {"recipes", {}, false}};
    });
    line.condition("run", [] { return true; });
    line.goes_with("--set --threads", "run");
  }
  return line.completion();
}

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

}  // namespace

TEST_CASE("options are told with what their values may be") {
  Typed typed;
  const Completion told = completion_of(typed);
  CHECK(told.program == "hw-train");
  CHECK(told.commands.empty());
  std::string all;
  for (const CompletedOption& option : told.options) {
    for (const std::string& name : option.names) all += name + " ";
    all += option.value_name + (option.is_file ? " file" : "") + (option.is_repeated ? " repeated" : "");
    for (const std::string& word : option.words) all += " " + word;
    all += "\n";
  }
  CHECK(all ==
        "-h --help \n"
        "--version \n"
        "-o --output FILE file\n"
        "--isa auto|avx2 auto avx2\n"
        "--show FORM tokens text\n"
        "--set KEY=VALUE repeated\n"
        "--threads N\n"
        "-q --quiet \n");
}

TEST_CASE("bash completes values by their options, options by their names and operands to files") {
  Typed typed;
  const std::string script = completion_script(completion_of(typed), Shell::bash);
  for (const char* const line :
       {"# Completion of hw-train for bash, written by hw-train --print-completion bash.",
        "_headwater_hw_train() {",
        "    --isa) mapfile -t COMPREPLY < <(compgen -W 'auto avx2' -- \"$word\"); return ;;",
        "    --show) mapfile -t COMPREPLY < <(compgen -W 'tokens text' -- \"$word\"); return ;;",
        "    -o | --output) return ;;", "    --set | --threads) compopt +o default 2>/dev/null; return ;;",
        "    mapfile -t COMPREPLY < <(compgen -W '-h --help --version -o --output --isa --show --set "
        "--threads -q "
        "--quiet' -- \"$word\")",
        "complete -o default -F _headwater_hw_train hw-train"}) {
    CAPTURE(line);
    CHECK(has_line(script, line));
  }
}

TEST_CASE("zsh has a line an option, of which nothing is taken for its own signs") {
  Typed typed;
  const std::string script = completion_script(completion_of(typed), Shell::zsh);
  CHECK(script.starts_with("#compdef hw-train\n"));
  for (const char* const line :
       {"  '(- *)'{-h,--help}'[print how it is called, with examples]' \\",
        "  '(-o --output)'{-o+,--output=}'[where it goes]:FILE:_files' \\",
        "  '--isa=[code path: \\[any\\] of '\\''them'\\'']:auto|avx2:(auto avx2)' \\",
        "  '*''--set=[a key]:KEY=VALUE: ' \\", "  '--threads=[worker threads]:N: ' \\",
        "  '(-q --quiet)'{-q,--quiet}'[no messages]' \\", "  '*:file:_files'"}) {
    CAPTURE(line);
    CHECK(has_line(script, line));
  }
}

TEST_CASE("fish has a line an option") {
  Typed typed;
  const std::string script = completion_script(completion_of(typed), Shell::fish);
  for (const char* const line :
       {"complete -c hw-train -s o -l output -r -F -d 'where it goes'",
        "complete -c hw-train -l isa -x -a 'auto avx2' -d 'code path: [any] of \\'them\\''",
        "complete -c hw-train -l set -x -d 'a key'", "complete -c hw-train -s q -l quiet -d 'no messages'"}) {
    CAPTURE(line);
    CHECK(has_line(script, line));
  }
}

TEST_CASE("commands have words of their own") {
  Typed typed;
  const Completion told = completion_of(typed, true);
  const std::string bash = completion_script(told, Shell::bash), zsh = completion_script(told, Shell::zsh),
                    fish = completion_script(told, Shell::fish);
  CHECK(has_line(bash, "    '') mapfile -t COMPREPLY < <(compgen -W 'run recipes' -- \"$word\") ;;"));
  CHECK(has_line(bash, "    recipes) mapfile -t COMPREPLY < <(compgen -W '' -- \"$word\") ;;"));
  CHECK(has_line(zsh, "  '1:command:(run recipes)' \\"));
  CHECK(has_line(zsh, "  run) _alternative 'words:word:(phrasebook mnist-vit)' 'files:file:_files' ;;"));
  CHECK(has_line(fish,
                 "complete -c hw-train -n '__fish_seen_subcommand_from run' -F -a 'phrasebook mnist-vit'"));
  CHECK(has_line(fish, "complete -c hw-train -n '__fish_seen_subcommand_from recipes' -f"));
}

TEST_CASE("what goes with some commands alone is offered with these") {
  Typed typed;
  const Completion told = completion_of(typed, true);
  CHECK(has_line(
      completion_script(told, Shell::bash),
      "      recipes) mapfile -t COMPREPLY < <(compgen -W '-h --help --version -o --output --isa --show "
      "-q --quiet' -- \"$word\"); return ;;"));
  const std::string zsh = completion_script(told, Shell::zsh);
  CHECK(has_line(zsh, "_arguments -C -s -S $known \\"));
  const std::string recipes = zsh.substr(zsh.find("\nrecipes) known=("));
  CHECK(recipes.substr(0, recipes.find(";;")).find("--threads") == std::string::npos);
  CHECK(has_line(completion_script(told, Shell::fish),
                 "complete -c hw-train -n 'not __fish_seen_subcommand_from recipes' -l threads -x -d 'worker "
                 "threads'"));
}

TEST_CASE("modes are the first word of the line, beside files") {
  Typed typed;
  Completion told = completion_of(typed);
  told.modes = {"ids", "labels"};
  told.options.back().commands = {"labels"};
  const std::string bash = completion_script(told, Shell::bash);
  CHECK(has_line(bash,
                 "  [[ $COMP_CWORD != 1 ]] || { mapfile -t COMPREPLY < <({ compgen -W 'ids labels' -- "
                 "\"$word\"; compgen -f -- \"$word\"; } | sort -u); compopt -o filenames 2>/dev/null; }"));
  CHECK(has_line(completion_script(told, Shell::zsh),
                 "[[ $CURRENT != 2 || $words[2] == -* ]] || { _alternative 'modes:mode:(ids labels)' "
                 "'files:file:_files'; return }"));
  CHECK(has_line(completion_script(told, Shell::fish),
                 "complete -c hw-train -n 'test (count (commandline -opc)) -eq 1' -a 'ids labels'"));
  CHECK(has_line(bash, "  local command=${COMP_WORDS[1]}"));
  CHECK(bash.find("\n      ids) ") != std::string::npos);
  CHECK(bash.find("\n      labels) ") == std::string::npos);
}

TEST_CASE("a script is asked for by the first words alone") {
  const auto asked = [](std::vector<std::string> words) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    return shell_to_complete(static_cast<int>(arguments.size()), arguments.data());
  };
  CHECK(asked({"train", "--print-completion", "zsh"}) == Shell::zsh);
  CHECK(asked({"train", "--print-completion", "fish"}) == Shell::fish);
  CHECK(!asked({"train"}));
  CHECK(!asked({"train", "--", "--print-completion"}));
  for (const std::vector<std::string>& words : {std::vector<std::string>{"train", "--print-completion"},
                                                {"train", "--print-completion", "tcsh"},
                                                {"train", "--print-completion", "zsh", "x"}})
    CHECK_THROWS_AS(asked(words), headwater::UsageError);
}
