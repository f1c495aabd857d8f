// Command lines: what the programs say of their options, over CLI11. Only options.cpp reads its headers,
// which take longer to compile than a program.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace headwater::cli {

// One option or operand: a handle, valid as long as its CommandLine.
class Option {
 public:
  Option() = default;
  explicit Option(CLI::Option* option) : option_(option) {}

  Option& required();
  Option& shown_as(std::string_view text);  // in --help, instead of the type's name: "FILE", "[TEXT...]"
  Option& with_default();                   // --help shows the value that the variable has now
  Option& one_of(std::initializer_list<std::string_view> words);
  Option& values(int least, int most);  // most -1: any number
  Option& one_value_each();             // "--name A --name B", never "--name A B"
  Option& list(char delimiter);         // "--name A,B"
  // The text of what is wrong with a value, or nothing.
  Option& check(std::string (*fault)(const std::string& value));

  bool is_given() const;

 private:
  CLI::Option* option_ = nullptr;
};

enum class Parsed { options, help, version };

class CommandLine {
 public:
  CommandLine(std::string_view tool, std::string_view version);
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;
  ~CommandLine();

  // `names`: "-o,--output", or a word for an operand. Value: std::string, std::filesystem::path, int,
  // std::int64_t, a vector of strings, or an optional integer of 64 bits.
  template <class Value>
  Option add_option(const std::string& names, Value& value, const std::string& help);
  Option add_flag(const std::string& names, bool& value, const std::string& help);

  // Throws UsageError for a line that does not fit.
  Parsed parse(int argc, char** argv);
  std::string help() const;  // the list of options

 private:
  std::string unexpected_text() const;

  std::string tool_;
  std::unique_ptr<CLI::App> app_;
};

std::string_view option_library();  // name and version

}  // namespace headwater::cli
