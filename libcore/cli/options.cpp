#include "cli/options.hpp"

#include <CLI/CLI.hpp>  // IWYU pragma: keep
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

#include "cli/message_text.hpp"
#include "support/error.hpp"
#include "support/name_list.hpp"
#include "support/numbers.hpp"

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

Option& Option::one_of(const std::vector<std::string>& words) {
  return offers(words).checked([words](const std::string& text) {
    if (std::ranges::find(words, text) == words.end())
      throw Error(unknown_word("value", text, {words.begin(), words.end()}));
  });
}

Option& Option::offers(std::vector<std::string> words) {
  option_->type_name(joined(words, "|"));
  line_->words_.emplace_back(option_, std::move(words));
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

Option& Option::group(std::string_view title) {
  option_->group(std::string(title));
  return *this;
}

Option& Option::checked(std::function<void(const std::string&)> check) {
  const auto fault = [check = std::move(check)](const std::string& text) -> std::string {
    try {
      check(text);
      return {};
    } catch (const Error& error) {
      return error.what();
    }
  };
  option_->check(std::function<std::string(const std::string&)>(fault));
  return *this;
}

Option& Option::between(double least, double most) {
  const NumberRange range{is_whole_, false, least, most};
  NumberRange& all = line_->ranges_[option_];
  all = {is_whole_, false, std::max(all.least, least), std::min(all.most, most)};
  return checked([range](const std::string& text) {
    double value = 0;
    if (!read_number(text, value).empty() || (value >= range.least && value <= range.most)) return;
    const bool has_most = range.most < std::numeric_limits<double>::infinity();
    throw Error(visible(text) + " is out of range (from " + range.text(range.least) +
                (has_most ? " to " + range.text(range.most) : " up") + ")");
  });
}

Option& Option::at_least(double least) { return between(least, std::numeric_limits<double>::infinity()); }

Option& Option::inside(double above, double below) {
  const NumberRange range = line_->ranges_[option_] = {is_whole_, true, above, below};
  return checked([range](const std::string& text) {
    double value = 0;
    if (read_number(text, value).empty() && (value <= range.least || value >= range.most))
      throw Error(visible(text) + " is out of range (" + range.text() + ")");
  });
}

Option& Option::note(std::string text) {
  line_->notes_[option_] = std::move(text);
  return *this;
}

Option& Option::of_modes(std::vector<std::string> words) {
  line_->of_modes_[option_] = std::move(words);
  return *this;
}

void CommandLine::modes(std::vector<std::string> words, std::string_view typed) {
  modes_ = std::move(words);
  if (!typed.empty()) app_->name(tool_ += " " + std::string(typed));
}

bool Option::is_given() const { return option_ != nullptr && option_->count() > 0; }

std::string Option::name() const {  // for the library a hidden option has none
  if (!option_->get_lnames().empty()) return "--" + option_->get_lnames().front();
  return option_->get_snames().empty() ? option_->get_name() : "-" + option_->get_snames().front();
}

std::string Option::shown_name() const {
  const std::string& shown = option_->get_option_text();
  if (!option_->get_positional() || shown.empty()) return name();
  const std::size_t begin = shown.front() == '[' ? 1 : 0;
  return shown.substr(begin, shown.find_first_of("|.]") - begin);
}

Option CommandLine::option(std::string_view name) {
  CLI::Option* const found = app_->get_option_no_throw(std::string(name));
  if (found == nullptr) throw std::logic_error("no option is called " + std::string(name));
  return {found, *this};
}

bool CommandLine::is_hidden(std::string_view name) const {
  const CLI::Option* const found = app_->get_option_no_throw(std::string(name));
  return found != nullptr && found->get_group().empty();
}

std::string Option::value() const {
  return option_->count() > 0 ? option_->results().front() : option_->get_default_str();
}

namespace {

template <class Value>
struct NumberOf {
  using Type = Value;
};
template <class Value>
struct NumberOf<std::optional<Value>> {
  using Type = Value;
};
template <>
struct NumberOf<int> {
  using Type = std::int64_t;
};

template <class Value>
constexpr bool kIsNumber = std::is_arithmetic_v<typename NumberOf<Value>::Type>;

std::string empty_fault(const std::string& text) {
  return text.empty() ? "is empty (give a value, or leave the option out)" : "";
}

// As --help shows it.
std::string default_text(double value) { return shortest(value); }
template <std::integral Integer>
std::string default_text(Integer value) {
  return std::to_string(value);
}
template <class Number>
std::string default_text(const std::optional<Number>& /*none*/) {
  return "";
}

// The library reads 010 as 8 and -1 as a large number, so that here texts become numbers.
template <class Value>
CLI::Option* add_number(CLI::App& app, const std::string& names, Value& value, const std::string& help) {
  using Number = typename NumberOf<Value>::Type;
  const auto set = [&value](const CLI::results_t& texts) {
    Number number{};
    if (!read_number(texts.front(), number).empty()) return false;
    value = static_cast<std::conditional_t<std::is_same_v<Value, int>, int, Number>>(number);
    return true;
  };
  const auto shown = [&value] { return default_text(value); };
  CLI::Option* const option = app.add_option(names, set, help, false, shown);
  option->type_name(std::is_same_v<Number, double> ? "NUMBER" : "N");
  option->check(std::function<std::string(const std::string&)>([](const std::string& text) {
    Number number{};
    return read_number(text, number);
  }));
  return option;
}

}  // namespace

template <class Value>
Option CommandLine::add_option(const std::string& names, Value& value, const std::string& help) {
  if constexpr (kIsNumber<Value>) {
    using Number = typename NumberOf<Value>::Type;
    Option option(add_number(*app_, names, value, help), *this, std::is_integral_v<Number>);
    if (std::is_same_v<Value, int>)
      option.between(std::numeric_limits<int>::min(), std::numeric_limits<int>::max());
    return option.group(group_);
  } else {
    CLI::Option* const option = app_->add_option(names, value, help);
    option->check(std::function<std::string(const std::string&)>(empty_fault));
    return Option(option, *this).group(group_);
  }
}

Option CommandLine::add_words(const std::string& names, std::span<const std::string_view> words,
                              std::function<void(std::string_view)> set, std::string_view shown,
                              const std::string& help) {
  const auto take = [set = std::move(set)](const CLI::results_t& texts) {
    set(texts.front());
    return true;
  };
  CLI::Option* const option =
      app_->add_option(names, take, help, false, [shown] { return std::string(shown); });
  option->check(std::function<std::string(const std::string&)>(empty_fault));
  return Option(option, *this).group(group_).one_of({words.begin(), words.end()});
}

Option CommandLine::add_title(const std::string& names, std::string& value, const std::string& help) {
  return Option(app_->add_option(names, value, help), *this).group(group_);
}

template Option CommandLine::add_option(const std::string&, std::string&, const std::string&);
template Option CommandLine::add_option(const std::string&, std::filesystem::path&, const std::string&);
template Option CommandLine::add_option(const std::string&, int&, const std::string&);
template Option CommandLine::add_option(const std::string&, std::int64_t&, const std::string&);
template Option CommandLine::add_option(const std::string&, std::uint64_t&, const std::string&);
template Option CommandLine::add_option(const std::string&, double&, const std::string&);
template Option CommandLine::add_option(const std::string&, std::vector<std::string>&, const std::string&);
template Option CommandLine::add_option(const std::string&, std::optional<std::string>&, const std::string&);
template Option CommandLine::add_option(const std::string&, std::optional<std::int64_t>&, const std::string&);
template Option CommandLine::add_option(const std::string&, std::optional<double>&, const std::string&);
template Option CommandLine::add_option(const std::string&, std::optional<std::uint64_t>&,
                                        const std::string&);

Option CommandLine::add_flag(const std::string& names, bool& value, const std::string& help) {
  return Option(app_->add_flag(names, value, help), *this).group(group_);
}

void CommandLine::moved(std::string_view option, std::string_view program, std::string_view now) {
  moved_.push_back({std::string(option), std::string(program), std::string(now)});
}

namespace {

// As a shell takes it for one word.
std::string shell_word(const std::string& word) {
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80 ||
           std::string_view("._-/+@,:=%").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

std::string fault_text(const CLI::ParseError& error) {
  const std::string text = on_one_line(error.what());
  const std::string name = text.substr(0, text.find(": "));
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    if (text.find("At Most 1 required") != std::string::npos) return name + ": given twice (once is enough)";
    if (text.ends_with(" missing")) return name + ": needs a value";
  }
  return lower_first(text);
}

// Before the library, to which the word after --data is its value, whatever it is. A file of this name is
// ./--help.
bool asks_for_help(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--") return false;
    if (word == "--help" || word == "-h") return true;
  }
  return false;
}

}  // namespace

void CommandLine::check_moved(int argc, char** argv) const {
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  const auto end = std::find(words.begin(), words.end(), "--");  // from here on all words are operands
  // The word with the option's new name; "" where it is another word.
  const auto renamed = [](const std::string& word, const Moved& moved) {
    const bool is_it = word.starts_with(moved.option) &&
                       (word.size() == moved.option.size() || word[moved.option.size()] == '=');
    return is_it ? moved.now + word.substr(moved.option.size()) : std::string();
  };
  for (const Moved& moved : moved_) {
    const auto is_it = [&](const std::string& word) { return !renamed(word, moved).empty(); };
    if (std::none_of(words.begin(), end, is_it)) continue;
    std::string line = moved.program;
    for (auto word = words.begin(); word != words.end(); ++word) {
      const std::string now = word < end ? renamed(*word, moved) : std::string();
      line += " " + shell_word(now.empty() ? *word : now);
    }
    throw UsageError(moved.option + " is an option of " + moved.program + ", not of " + tool_ + "; use " +
                     line);
  }
}

Parsed CommandLine::parse(int argc, char** argv) {
  if (asks_for_help(argc, argv)) return Parsed::help;
  check_moved(argc, argv);
  const std::string see_help = " (see " + tool_ + " --help)";
  try {
    app_->parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return Parsed::help;
  } catch (const CLI::CallForVersion&) {
    return Parsed::version;
  } catch (const CLI::ParseError& error) {
    const std::string unexpected = unexpected_text(dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr);
    if (!unexpected.empty()) throw UsageError(unexpected + see_help);
    throw UsageError(fault_text(error) + see_help);
  }
  if (before_rules_) before_rules_();
  check_rules();
  check_files();
  check_needed();
  for (const std::function<void()>& resolve : after_parse_) resolve();
  return Parsed::options;
}

std::string CommandLine::unexpected_text(bool has_operands) const {
  const std::vector<std::string> rest = app_->remaining(true);
  const auto operands = std::find(rest.begin(), rest.end(), "--");  // from here on all words are
  const auto found = std::find_if(rest.begin(), operands,
                                  [](const std::string& word) { return word.size() > 1 && word[0] == '-'; });
  if (found == operands) {
    const auto operand =
        std::find_if(rest.begin(), rest.end(), [](const auto& word) { return word != "--"; });
    return has_operands && operand != rest.end() ? "unexpected operand " + quote(*operand) : std::string();
  }
  const std::string& word = *found;
  std::vector<std::string> known;
  for (const CLI::Option* option : app_->get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back(name);
  }
  const std::string_view typed = std::string_view(word).substr(0, word.find('='));
  const std::string_view name = typed.substr(std::min(typed.find_first_not_of('-'), typed.size()));
  const std::string_view nearest = nearest_option(name, known);
  std::string out = "unknown option " + quote(typed);
  if (!nearest.empty()) out += "; did you mean " + quote("--" + std::string(nearest)) + "?";
  return out;
}

std::string_view option_library() { return "CLI11 " CLI11_VERSION; }

}  // namespace headwater::cli
