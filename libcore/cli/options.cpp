#include "cli/options.hpp"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "cli/message_text.hpp"
#include "support/error.hpp"

namespace headwater::cli {

Option& Option::required() {
  option_->required();
  return *this;
}

Option& Option::shown_as(std::string_view text) {
  option_->option_text(std::string(text));
  return *this;
}

Option& Option::with_default() {
  option_->capture_default_str();
  return *this;
}

Option& Option::one_of(std::initializer_list<std::string_view> words) {
  option_->check(CLI::IsMember(std::vector<std::string>(words.begin(), words.end())));
  return *this;
}

Option& Option::values(int least, int most) {
  option_->expected(least, most);
  return *this;
}

Option& Option::one_value_each() {
  option_->allow_extra_args(false);
  return *this;
}

Option& Option::list(char delimiter) {
  option_->delimiter(delimiter);
  return one_value_each();
}

Option& Option::check(std::string (*fault)(const std::string& value)) {
  option_->check(std::function<std::string(const std::string&)>(fault));
  return *this;
}

bool Option::is_given() const { return option_->count() > 0; }

CommandLine::CommandLine(std::string_view tool, std::string_view version)
    : tool_(tool), app_(std::make_unique<CLI::App>("", tool_)) {
  app_->set_help_flag("-h,--help", "print this help");
  app_->set_version_flag("--version", std::string(version), "print the version");
  app_->get_formatter()->column_width(34);
}

CommandLine::~CommandLine() = default;

template <class Value>
Option CommandLine::add_option(const std::string& names, Value& value, const std::string& help) {
  return Option(app_->add_option(names, value, help));
}

template Option CommandLine::add_option(const std::string&, std::string&, const std::string&);
template Option CommandLine::add_option(const std::string&, std::filesystem::path&, const std::string&);
template Option CommandLine::add_option(const std::string&, int&, const std::string&);
template Option CommandLine::add_option(const std::string&, std::int64_t&, const std::string&);
template Option CommandLine::add_option(const std::string&, std::vector<std::string>&, const std::string&);
template Option CommandLine::add_option(const std::string&, std::optional<std::int64_t>&, const std::string&);
template Option CommandLine::add_option(const std::string&, std::optional<std::uint64_t>&,
                                        const std::string&);

Option CommandLine::add_flag(const std::string& names, bool& value, const std::string& help) {
  return Option(app_->add_flag(names, value, help));
}

Parsed CommandLine::parse(int argc, char** argv) {
  const std::string see_help = " (see " + tool_ + " --help)";
  try {
    app_->parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return Parsed::help;
  } catch (const CLI::CallForVersion&) {
    return Parsed::version;
  } catch (const CLI::ExtrasError&) {
    throw UsageError(unexpected_text() + see_help);
  } catch (const CLI::ParseError& error) {
    throw UsageError(lower_first(on_one_line(error.what())) + see_help);
  }
  return Parsed::options;
}

std::string CommandLine::help() const { return app_->help(); }

std::string CommandLine::unexpected_text() const {
  const std::vector<std::string> rest = app_->remaining(true);
  const std::string word = rest.empty() ? "" : rest.front();
  if (word.size() < 2 || word[0] != '-') return "unexpected operand " + quote(word);
  std::vector<std::string> known;
  for (const CLI::Option* option : app_->get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  const std::string_view typed = std::string_view(word).substr(0, word.find('='));
  const std::string_view nearest = nearest_word(typed, known);
  std::string out = "unknown option " + quote(typed);
  if (!nearest.empty()) out += "; did you mean " + quote(nearest) + "?";
  return out;
}

std::string_view option_library() { return "CLI11 " CLI11_VERSION; }

}  // namespace headwater::cli
