// Which options go together.
#include <algorithm>

#include "cli/options.hpp"
#include "support/error.hpp"
#include "support/name_list.hpp"
#include "support/split.hpp"

namespace headwater::cli {
namespace {

std::string in_brackets(std::string_view why) { return why.empty() ? "" : " (" + std::string(why) + ")"; }

}  // namespace

Option& Option::goes_with(std::string_view others, std::string_view why) {
  line_->goes_with(name(), others, why);
  return *this;
}

Option& Option::needs(std::string_view others, std::string_view why) {
  line_->needs(name(), others, why);
  return *this;
}

Option& Option::goes_without(std::string_view others, std::string_view why) {
  line_->goes_without(name(), others, why);
  return *this;
}

Option& Option::is_of(std::string_view kinds, KindOptions& options) {
  const std::vector<std::string_view> all = split(kinds, '|');
  options.add(*this, {all.begin(), all.end()});
  return note("only for " + alternatives(all));
}

void CommandLine::goes_with(std::string_view options, std::string_view others, std::string_view why) {
  rules_.push_back({std::string(options), " goes with ", "only with ", std::string(others),
                    " only" + in_brackets(why), false});
}

void CommandLine::needs(std::string_view options, std::string_view others, std::string_view why) {
  rules_.push_back({std::string(options), " needs ", "needs ", std::string(others), in_brackets(why), false});
}

void CommandLine::goes_without(std::string_view options, std::string_view others, std::string_view why) {
  rules_.push_back({std::string(options), " and ", "", std::string(others),
                    " do not go together" + in_brackets(why), true});
}

void CommandLine::is_of(std::string_view options, std::string_view kinds, KindOptions& of_kinds) {
  for (const std::string_view name : split(options, ' ')) option(name).is_of(kinds, of_kinds);
}

void CommandLine::condition(std::string_view name, std::function<bool()> holds, std::string_view shown) {
  conditions_.push_back({std::string(name), std::string(shown.empty() ? name : shown), std::move(holds)});
}

std::vector<CommandLine::Condition> CommandLine::conditions_of(std::string_view names) {
  std::vector<Condition> all;
  for (const std::string_view name : split(names, ' ')) {
    const auto known = std::ranges::find(conditions_, name, &Condition::name);
    const std::size_t equals = name.find('=');
    const Option option = known == conditions_.end() ? this->option(name.substr(0, equals)) : Option();
    if (known != conditions_.end()) {
      all.push_back(*known);
    } else if (equals == name.npos) {
      all.push_back({"", option.shown_name(), [option] { return option.is_given(); }});
    } else {
      const std::vector<std::string_view> values = split(name.substr(equals + 1), ',');
      all.push_back({"", option.shown_name() + " " + alternatives(values),
                     [option, values] { return std::ranges::count(values, option.value()) > 0; }});
    }
  }
  return all;
}

void CommandLine::check_rules() {
  for (const Rule& rule : rules_) {
    const std::vector<Condition> options = conditions_of(rule.options), others = conditions_of(rule.others);
    for (const Condition& option : options) {
      std::vector<std::string_view> names;
      bool holds = false;
      for (const Condition& other : others) {
        const bool is_it = other.holds();
        if (!rule.is_exclusion || (is_it && !holds)) names.push_back(other.shown);
        holds = holds || is_it;
      }
      if (option.holds() && holds == rule.is_exclusion)
        throw UsageError(option.shown + rule.verb + alternatives(names) + rule.end);
    }
  }
}

void KindOptions::check(std::string_view what, std::initializer_list<std::string_view> kinds) const {
  for (const Row& row : rows_) {
    const auto is_it = [&](const std::string& kind) {
      return std::ranges::count(kinds, std::string_view(kind)) > 0;
    };
    if (row.option.is_given() && std::ranges::none_of(row.kinds, is_it))
      throw UsageError(row.option.name() + " is for " + alternatives({row.kinds.begin(), row.kinds.end()}) +
                       ", " + std::string(what) + " is none");
  }
}

}  // namespace headwater::cli
