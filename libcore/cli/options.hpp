// Command lines: what the programs say of their options, over CLI11. Only options.cpp, option_files.cpp and
// option_help.cpp read its headers, which take longer to compile than a program.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/completion.hpp"
#include "support/enum_names.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace headwater::cli {

class CommandLine;
class KindOptions;

// One option or operand: a handle, valid as long as its CommandLine.
class Option {
 public:
  Option() = default;
  Option(CLI::Option* option, CommandLine& line, bool is_whole = false)
      : option_(option), line_(&line), is_whole_(is_whole) {}

  Option& required();
  // In --help, instead of the type's name, FILE, MODEL or the words: "FOLDER", "[TEXT...]".
  Option& shown_as(std::string_view text);
  Option& with_default();  // --help shows the value that the variable has now
  Option& one_of(const std::vector<std::string>& words);
  // --help and shells name these words; what else the value may be is checked elsewhere.
  Option& offers(std::vector<std::string> words);
  Option& values(int least, int most);    // most -1: any number
  Option& one_value_each();               // "--name A --name B", never "--name A B"
  Option& list(char delimiter);           // "--name A,B"
  Option& group(std::string_view title);  // in --help, instead of the group that the line has now
  Option& hide() { return group(""); }    // in --help, and from shells
  // The least and the greatest number that is accepted.
  Option& between(double least, double most);
  Option& at_least(double least);
  Option& inside(double above, double below);  // the same without its edges
  // Calls `check` with each value, whose Error says what is wrong with it.
  Option& checked(std::function<void(const std::string&)> check);
  // The values name files that are read, or written, for the rule of RunFiles (cli/result_file.hpp); standard
  // input and output count, and each can be named once.
  Option& reads();
  Option& reads_file();  // the same, and refuses -: standard input is not read here
  // The same of operands, which messages call `what`: standard input is read where there are none, unless one
  // of these options is given, or condition holds.
  Option& reads_lines(std::string_view what, std::string_view unless = {});
  Option& writes();
  Option& writes_beside(std::string_view what);  // the same, and refuses -: standard output has `what`
  // The values name models, whose files no output may be.
  Option& reads_model();
  Option& names_files();  // for shells alone: neither rule is asked for
  // Rules between options, by their names: see CommandLine.
  Option& goes_with(std::string_view others, std::string_view why = {});
  Option& needs(std::string_view others, std::string_view why = {});
  Option& goes_without(std::string_view others, std::string_view why = {});
  // Only models or data of this kind have it, or of one of these between "|": "a classifier|a translator".
  Option& is_of(std::string_view kinds, KindOptions& options);
  // In --help, after what rules say: "only with --terms".
  Option& note(std::string text);

  // Shells offer it after these modes alone, and before one is typed.
  Option& of_modes(std::vector<std::string> words);

  bool is_given() const;
  std::string name() const;        // "--output"
  std::string shown_name() const;  // the same, of an operand as in the usage line: "RUN"
  std::string value() const;       // as it is typed; else the one that --help shows (with_default), or none

 private:
  CLI::Option* option_ = nullptr;
  CommandLine* line_ = nullptr;
  bool is_whole_ = false;  // of a number
};

// Options that go with some kinds of models or data alone, which the command line cannot tell: filled by
// Option::is_of.
class KindOptions {
 public:
  void add(const Option& option, std::vector<std::string> kinds) {
    rows_.push_back({option, std::move(kinds)});
  }
  // Once it is known that `what` is of `kinds`. Throws UsageError
  // "--resize is for a model of images, models/imdb is none".
  void check(std::string_view what, const std::vector<std::string_view>& kinds) const;

 private:
  struct Row {
    Option option;
    std::vector<std::string> kinds;
  };
  std::vector<Row> rows_;
};

// Which numbers an option takes.
struct NumberRange {
  bool is_whole = false, is_open = false;  // open: the edges are outside
  double least = std::numeric_limits<double>::lowest(), most = std::numeric_limits<double>::max();

  std::string text(double edge) const;
  std::string text() const;  // "1 to 256"; nothing where an end is open, or a million
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
  // bits. Numbers are read by the rule of recipes (read_number of support/numbers.hpp). No value may be
  // empty, but of a title. `help` is Markdown, for the manual page: `code` and links, of which --help leaves
  // out those in brackets. Defaults, ranges and rules are added to it.
  template <class Value>
  Option add_option(const std::string& names, Value& value, const std::string& help);
  // One of an enum's names, or none.
  template <Enum Value>
  Option add_option(const std::string& names, Value& value, const std::string& help) {
    const auto set = [&value](std::string_view word) { value = value_of<Value>(word).value(); };
    return add_words(names, value_names<Value>, set, name_of(value), help);
  }
  template <Enum Value>
  Option add_option(const std::string& names, std::optional<Value>& value, const std::string& help) {
    const auto set = [&value](std::string_view word) { value = value_of<Value>(word); };
    return add_words(names, value_names<Value>, set, {}, help);
  }
  Option add_flag(const std::string& names, bool& value, const std::string& help);
  // A text that may be empty, which is to say none.
  Option add_title(const std::string& names, std::string& value, const std::string& help);

  // An option that is another program's now. A line with it is refused with the line to type in its place.
  void moved(std::string_view option, std::string_view program, std::string_view now);

  // Rules, checked in the order in which they are added. Their arguments are lists of names with spaces
  // between: of options, as "--csv" or "model"; of an option's values, typed or shown by with_default(), as
  // "--view=heads,lines"; and of conditions. Each of `options` that is given goes with one of `others`:
  // "--top-k goes with --nearest or --duplicates only (why)",
  void goes_with(std::string_view options, std::string_view others, std::string_view why = {});
  // needs one that is yet to be given: "--learn needs --output (why)",
  void needs(std::string_view options, std::string_view others, std::string_view why = {});
  // goes without any: "--decode and --check do not go together (why)".
  void goes_without(std::string_view options, std::string_view others, std::string_view why = {});
  // One of `options` at least is given, or `fault` is thrown, if all rules hold.
  void needs_any(std::string_view options, std::string_view fault);
  // Each is of these kinds, as Option::is_of has it.
  void is_of(std::string_view options, std::string_view kinds, KindOptions& of_kinds);
  // What rules call `name`, and messages `shown` where it is given.
  void condition(std::string_view name, std::function<bool()> holds, std::string_view shown = {});
  // By one of its names. Throws std::logic_error where there is none.
  Option option(std::string_view name);

  // Called by parse() before the rules are checked. May throw UsageError.
  void before_rules(std::function<void()> check) { before_rules_ = std::move(check); }

  // Called by parse() when the line is understood, in the order of these calls: for options that are read
  // together. May throw UsageError.
  void after_parse(std::function<void()> resolve) { after_parse_.push_back(std::move(resolve)); }

  // The first operand is one of these commands, for shells: what a rule says goes with some alone is offered
  // with these. Called where a script for one is asked for.
  void commands(std::function<std::vector<CommandWords>()> words) { commands_ = std::move(words); }

  // The first word may be one of these, for shells. Where it is `typed`, which the line lacks, messages and
  // --help call the program by both.
  void modes(std::vector<std::string> words, std::string_view typed);

  // The heading in --help of the options that are added from now on. "Input", "Output" and "Model" come first
  // there, in this order; then others, such as "Scores"; then "Speed" and "Other".
  void group(std::string_view title) { group_ = title; }

  // Throws UsageError for a line that does not fit; an unknown option is named before whatever else is wrong.
  Parsed parse(int argc, char** argv);
  const std::string& name() const { return tool_; }  // "train", or with its mode "vectorize labels"
  std::string help();                                // the list of options
  std::string option_tables();                       // the same of the manual page
  // What shells are told of them, by the program's name as it is called.
  Completion completion();

 private:
  friend class Option;
  struct Condition {
    std::string name, shown;
    std::function<bool()> holds;
    bool is_hidden = false;  // of an option that --help does not show: no text names it
  };
  Option add_words(const std::string& names, std::span<const std::string_view> words,
                   std::function<void(std::string_view)> set, std::string_view shown,
                   const std::string& help);
  std::vector<Condition> conditions_of(std::string_view names);
  bool is_hidden(std::string_view name) const;
  std::string description_of(const CLI::Option& option);
  void check_rules();
  void check_files();
  void check_needed();
  // What is wrong with the words that were not understood; "" where they are operands that do not matter yet.
  std::string unexpected_text(bool has_operands) const;
  void check_moved(int argc, char** argv) const;

  struct Rule {
    std::string options;
    const char *verb, *note;  // " goes with ", of --help "only with "
    std::string others, end;
    bool is_exclusion;
  };
  struct Moved {
    std::string option, program, now;
  };

  std::string tool_, group_ = "Other";
  std::unique_ptr<CLI::App> app_;
  struct Lines {
    const CLI::Option* option = nullptr;
    std::string what, unless;
  } lines_;
  std::vector<std::pair<std::string, std::string>> needed_;
  std::vector<const CLI::Option*> inputs_, outputs_, models_, other_files_;
  std::vector<std::pair<const CLI::Option*, std::vector<std::string>>> words_;
  std::map<const CLI::Option*, NumberRange> ranges_;
  std::map<const CLI::Option*, std::string> notes_;
  std::vector<Rule> rules_;
  std::vector<Condition> conditions_;
  std::function<std::vector<CommandWords>()> commands_;
  std::vector<std::string> modes_;
  std::vector<Moved> moved_;
  std::map<const CLI::Option*, std::vector<std::string>> of_modes_;
  std::function<void()> before_rules_;
  std::vector<std::function<void()>> after_parse_;
};

std::string_view option_library();  // name and version

// The name in `known` that `typed` is nearest to, all without leading hyphens: misspelled, cut short (beam:
// num-beams), or with other hyphens (max_length_ratio: max-length-ratio). Empty where none is near.
std::string_view nearest_option(std::string_view typed, const std::vector<std::string>& known);

}  // namespace headwater::cli
