// What --help, the shells and the manual pages say of the options that are declared.
#include <CLI/CLI.hpp>  // IWYU pragma: keep
#include <algorithm>
#include <array>

#include "cli/options.hpp"
#include "support/name_list.hpp"
#include "support/numbers.hpp"
#include "support/split.hpp"

namespace headwater::cli {
namespace {

int rank_of_group(std::string_view title) {
  constexpr std::array<std::string_view, 3> kFirst = {"Input", "Output", "Model"};
  const auto* const found = std::find(kFirst.begin(), kFirst.end(), title);
  if (found != kFirst.end()) return static_cast<int>(found - kFirst.begin());
  return title == "Other" ? 5 : title == "Speed" ? 4 : 3;
}

// The library has groups in the order in which options were added, --help first.
std::vector<std::string> groups_of(const CLI::App& app) {
  std::vector<std::string> groups = app.get_groups();
  std::erase(groups, "");  // hidden
  std::ranges::stable_sort(groups, {}, rank_of_group);
  return groups;
}

std::vector<const CLI::Option*> options_of(const CLI::App& app, const std::string& group) {
  return app.get_options(
      [&](const CLI::Option* option) { return option->get_group() == group && option->nonpositional(); });
}

// "FILE", "full|quick"; nothing of a flag.
std::string value_of(const CLI::Option& option) {
  if (option.get_expected_max() == 0) return {};
  if (!option.get_option_text().empty()) return option.get_option_text();
  return option.get_type_name() +
         (option.get_allow_extra_args() && option.get_items_expected_max() > 1 ? "..." : "");
}

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

// Names of options are code, and | is no border of a table.
std::string in_markdown(std::string_view text) {
  std::string out;
  bool is_code = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    const std::size_t hyphens = rest.starts_with("--") ? 2 : rest.starts_with("-") ? 1 : 0;
    const bool is_name = !is_code && hyphens > 0 && (at == 0 || text[at - 1] == ' ' || text[at - 1] == '(') &&
                         rest.size() > hyphens && is_letter(rest[hyphens]);
    if (is_name) {
      const auto* const end = std::ranges::find_if(rest, [](char c) { return !is_letter(c) && c != '-'; });
      out.append("`").append(rest.begin(), end).append("`");
      at += static_cast<std::size_t>(end - rest.begin());
      continue;
    }
    is_code = is_code != (rest[0] == '`');
    if (rest[0] == '|') out += '\\';
    out += text[at++];
  }
  return out;
}

// Without the signs of code. A link in brackets is left out, of another its text stays.
std::string in_plain_text(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t middle = text[at] == '[' ? text.find("](", at) : text.npos;
    if (middle != text.npos && middle == text.find(']', at)) {
      const bool is_in_brackets = out.ends_with(" (");
      if (is_in_brackets)
        out.resize(out.size() - 2);
      else
        out += text.substr(at + 1, middle - at - 1);
      at = text.find(')', middle) + (is_in_brackets ? 1 : 0);
    } else if (text[at] != '`') {
      out += text[at];
    }
  }
  return out;
}

class GroupedHelp : public CLI::Formatter {
 public:
  using Description = std::function<std::string(const CLI::Option&)>;
  explicit GroupedHelp(Description description) : description_(std::move(description)) {}

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode) const override {
    std::string out = make_usage(app, std::move(name)) + make_positionals(app);
    for (const std::string& group : groups_of(*app)) {
      const std::vector<const CLI::Option*> options = options_of(*app, group);
      if (!options.empty()) out += make_group(group, false, options);
    }
    return out;
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string value = value_of(*option);
    return value.empty() ? value : " " + value;
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    return in_plain_text(description_(*option));
  }

 private:
  Description description_;
};

}  // namespace

std::string NumberRange::text(double edge) const {
  return is_whole ? std::to_string(static_cast<std::int64_t>(edge)) : shortest(edge);
}

std::string NumberRange::text() const {
  constexpr double kOpen = 1e6;
  if (is_open) return "above " + text(least) + " and below " + text(most);
  return least <= -kOpen || most >= kOpen ? "" : text(least) + " to " + text(most);
}

CommandLine::CommandLine(std::string_view tool, std::string_view version)
    : tool_(tool), app_(std::make_unique<CLI::App>("", tool_)) {
  app_->set_help_flag("-h,--help", "print how it is called, with examples")->group(group_);
  app_->set_version_flag("--version", std::string(version),
                         "print the version, the commit, the bits version and what the program was built for")
      ->group(group_);
  app_->formatter(
      std::make_shared<GroupedHelp>([this](const CLI::Option& option) { return description_of(option); }));
  app_->get_formatter()->column_width(34);
  app_->get_formatter()->label("Positionals", "Operands");
}

CommandLine::~CommandLine() = default;

std::string CommandLine::description_of(const CLI::Option& option) {
  std::string text = option.get_description();
  if (!option.get_default_str().empty()) text += " (" + option.get_default_str() + ")";
  if (option.get_required() && option.nonpositional()) text += "; required";
  if (const std::string range = ranges_[&option].text(); !range.empty()) text += "; " + range;
  std::vector<std::string> excluded;
  for (const Rule& rule : rules_) {
    const auto is_it = [&](std::string_view name) {
      return app_->get_option_no_throw(std::string(name)) == &option;
    };
    if (std::ranges::none_of(split(rule.options, ' '), is_it)) continue;
    std::vector<std::string> names;
    for (const Condition& other : conditions_of(rule.others)) {
      if (!other.is_hidden) (rule.is_exclusion ? excluded : names).push_back(other.shown);
    }
    if (!names.empty()) text += std::string("; ") + rule.note + alternatives({names.begin(), names.end()});
  }
  if (!excluded.empty()) text += "; not with " + alternatives({excluded.begin(), excluded.end()});
  if (const auto note = notes_.find(&option); note != notes_.end()) text += "; " + note->second;
  return text;
}

std::string CommandLine::help() { return app_->help(); }

std::string CommandLine::option_tables() {
  std::string out;
  for (const std::string& group : groups_of(*app_)) {
    out += "\n| " + in_markdown(group) + " | |\n|---|---|\n";
    for (const CLI::Option* option : options_of(*app_, group)) {
      std::string names;
      for (const std::string& name : names_of(*option)) names += (names.empty() ? "`" : "`, `") + name;
      const std::string value = value_of(*option);
      out += "| " + in_markdown(names + (value.empty() ? "" : " ") + value + "`") + " | " +
             in_markdown(description_of(*option)) + " |\n";
    }
  }
  return out + "\n";
}

Completion CommandLine::completion() {
  Completion out;
  out.program = tool_;
  if (commands_) out.commands = commands_();
  out.modes = modes_;
  const auto is_command = [&](std::string_view name) {
    return std::ranges::count(out.commands, name, &CommandWords::command) > 0;
  };
  std::map<const CLI::Option*, std::vector<std::string>> of_commands = of_modes_;
  for (const Rule& rule : rules_) {
    const std::vector<std::string_view> others = split(rule.others, ' ');
    if (rule.is_exclusion || !std::ranges::all_of(others, is_command)) continue;
    for (const std::string_view name : split(rule.options, ' '))
      of_commands[app_->get_option_no_throw(std::string(name))] = {others.begin(), others.end()};
  }
  for (const CLI::Option* option : app_->get_options()) {
    if (!option->nonpositional() || option->get_group().empty()) continue;
    CompletedOption& completed = out.options.emplace_back();
    completed.names = names_of(*option);
    completed.help = in_plain_text(description_of(*option));
    completed.value_name = value_of(*option);
    completed.is_repeated = option->get_items_expected_max() > 1;
    completed.commands = of_commands[option];
    const auto is_of = [&](const std::vector<const CLI::Option*>& files) {
      return std::find(files.begin(), files.end(), option) != files.end();
    };
    completed.is_file = is_of(inputs_) || is_of(outputs_) || is_of(models_) || is_of(other_files_);
    for (const auto& [with_words, words] : words_) {
      if (with_words == option) completed.words = words;
    }
  }
  return out;
}

}  // namespace headwater::cli
