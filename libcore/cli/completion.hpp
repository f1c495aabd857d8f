// Scripts by which shells complete a program's command line, made of the options that it declares.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headwater::cli {

enum class Shell { bash, zsh, fish };

struct CompletedOption {
  std::vector<std::string> names;  // "-o", "--output"
  std::string help;
  std::string value_name;          // "FILE"; empty: a flag
  std::vector<std::string> words;  // that the value may be
  bool is_file = false;            // the value; where it is neither, nothing is known of it
  bool is_repeated = false;
  // The commands or modes that have it; none: all.
  std::vector<std::string> commands = {};
};

// What follows the first operand where that is a command: these words, or files.
struct CommandWords {
  std::string command;
  std::vector<std::string> words;
  bool has_files = false;
};

struct Completion {
  std::string program;  // as it is called
  std::vector<CompletedOption> options;
  std::vector<CommandWords> commands;  // none: all operands are files
  std::vector<std::string> modes;      // that the first word of the line may be beside these
};

std::string joined(const std::vector<std::string>& words, std::string_view between);

// The shell that `--print-completion SHELL`, the first words of a line, asks for. Throws UsageError for
// another one.
std::optional<Shell> shell_to_complete(int argc, char** argv);

// What is installed as share/bash-completion/completions/PROGRAM, share/zsh/site-functions/_PROGRAM or
// share/fish/vendor_completions.d/PROGRAM.fish.
std::string completion_script(const Completion& completion, Shell shell);

}  // namespace headwater::cli
