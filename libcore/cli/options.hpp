// Command lines: what the programs say of their options, over CLI11. Only options.cpp reads its headers,
// which take longer to compile than a program.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/completion.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace headwater::cli {

// One option or operand: a handle, valid as long as its CommandLine.
class CommandLine;

class Option {
 public:
  Option() = default;
  Option(CLI::Option* option, CommandLine& line, bool is_whole = false)
      : option_(option), line_(&line), is_whole_(is_whole) {}

  Option& required();
  Option& shown_as(std::string_view text);  // in --help, instead of the type's name: "FILE", "[TEXT...]"
  Option& with_default();                   // --help shows the value that the variable has now
  Option& one_of(const std::vector<std::string>& words);
  // Shells complete the value to these words; what else it may be is checked elsewhere.
  Option& offers(std::vector<std::string> words);
  Option& values(int least, int most);    // most -1: any number
  Option& one_value_each();               // "--name A --name B", never "--name A B"
  Option& list(char delimiter);           // "--name A,B"
  Option& group(std::string_view title);  // in --help, instead of the group that the line has now
  // The least and the greatest number that is accepted.
  Option& between(double least, double most);
  Option& at_least(double least);
  // The values name files that are read, or written, for the rule of RunFiles (cli/result_file.hpp); standard
  // input and output count.
  Option& reads();
  Option& reads_file();  // the same, and refuses -: standard input is not read here
  Option& writes();
  // The values name models, whose files no output may be.
  Option& reads_model();
  Option& names_files();  // for shells alone: neither rule is asked for
  // Without `other` it says nothing: "--top-k goes with --nearest only".
  Option& goes_with(const Option& other);

  bool is_given() const;

 private:
  CLI::Option* option_ = nullptr;
  CommandLine* line_ = nullptr;
  bool is_whole_ = false;  // of a number
};

enum class Parsed { options, help, version };

class CommandLine {
 public:
  CommandLine(std::string_view tool, std::string_view version);
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;
  ~CommandLine();

  // `names`: "-o,--output", or a word for an operand. Value: std::string, std::filesystem::path, int,
  // std::int64_t, std::uint64_t, double, a vector of strings, or an optional text, number or integer of 64
  // bits. Numbers are read by the rule of recipes (read_number of support/decimal.hpp). No value may be
  // empty, but of a title.
  template <class Value>
  Option add_option(const std::string& names, Value& value, const std::string& help);
  Option add_flag(const std::string& names, bool& value, const std::string& help);
  // A text that may be empty, which is to say none.
  Option add_title(const std::string& names, std::string& value, const std::string& help);

  // An option that is another program's now. A line with it is refused with the line to type in its place.
  void moved(std::string_view option, std::string_view program, std::string_view now);

  // Called by parse() when the line is understood, in the order of these calls: for options that are read
  // together. May throw UsageError.
  void after_parse(std::function<void()> resolve) { after_parse_.push_back(std::move(resolve)); }

  // The first operand is one of these commands, for shells. Called where a script for one is asked for.
  void commands(std::function<std::vector<CommandWords>()> words) { commands_ = std::move(words); }

  // The heading in --help of the options that are added from now on. "Input", "Output" and "Model" come first
  // there, in this order; then others, such as "Scores"; then "Speed" and "Other".
  void group(std::string_view title) { group_ = title; }

  // Throws UsageError for a line that does not fit; an unknown option is named before whatever else is wrong.
  Parsed parse(int argc, char** argv);
  std::string help() const;  // the list of options
  // What shells are told of them, by the program's name as it is called.
  Completion completion() const;

 private:
  friend class Option;
  void check_partners() const;
  void check_files() const;
  // What is wrong with the words that were not understood; "" where they are operands that do not matter yet.
  std::string unexpected_text(bool has_operands) const;
  void check_moved(int argc, char** argv) const;

  struct Moved {
    std::string option, program, now;
  };

  std::string tool_, group_ = "Other";
  std::unique_ptr<CLI::App> app_;
  std::vector<const CLI::Option*> inputs_, outputs_, models_, other_files_;
  std::vector<std::pair<const CLI::Option*, std::vector<std::string>>> words_;
  std::vector<std::pair<const CLI::Option*, const CLI::Option*>> partners_;  // which goes with which
  std::function<std::vector<CommandWords>()> commands_;
  std::vector<Moved> moved_;
  std::vector<std::function<void()>> after_parse_;
};

std::string_view option_library();  // name and version

}  // namespace headwater::cli
