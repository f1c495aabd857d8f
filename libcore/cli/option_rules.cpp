// Which options go together, and which one a mistyped one was meant to be.
#include <algorithm>
#include <cstddef>

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

void CommandLine::needs_any(std::string_view options, std::string_view fault) {
  needed_.emplace_back(options, fault);
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
    if (name.empty()) continue;
    const auto known = std::ranges::find(conditions_, name, &Condition::name);
    const std::size_t equals = name.find('=');
    const Option option = known == conditions_.end() ? this->option(name.substr(0, equals)) : Option();
    const bool is_hidden = this->is_hidden(name.substr(0, equals));
    if (known != conditions_.end()) {
      all.push_back(*known);
      all.back().is_hidden = is_hidden;
    } else if (equals == name.npos) {
      all.push_back({"", option.shown_name(), [option] { return option.is_given(); }, is_hidden});
    } else {
      const std::vector<std::string_view> values = split(name.substr(equals + 1), ',');
      all.push_back({"", option.shown_name() + " " + alternatives(values),
                     [option, values] { return std::ranges::count(values, option.value()) > 0; }, is_hidden});
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
        if (rule.is_exclusion ? is_it && !holds : !other.is_hidden) names.push_back(other.shown);
        holds = holds || is_it;
      }
      if (option.holds() && holds == rule.is_exclusion)
        throw UsageError(option.shown + rule.verb + alternatives(names) + rule.end);
    }
  }
}

void CommandLine::check_needed() {
  for (const auto& [options, fault] : needed_) {
    const std::vector<Condition> any = conditions_of(options);
    if (std::ranges::none_of(any, [](const Condition& each) { return each.holds(); }))
      throw UsageError(fault);
  }
}

void KindOptions::check(std::string_view what, const std::vector<std::string_view>& kinds) const {
  for (const Row& row : rows_) {
    const auto is_it = [&](const std::string& kind) {
      return std::ranges::count(kinds, std::string_view(kind)) > 0;
    };
    if (row.option.is_given() && std::ranges::none_of(row.kinds, is_it))
      throw UsageError(row.option.name() + " is for " + alternatives({row.kinds.begin(), row.kinds.end()}) +
                       ", " + std::string(what) + " is none");
  }
}

namespace {

std::vector<std::string_view> words_of_name(std::string_view name) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t end = std::min(name.find('-', at), name.size());
    words.push_back(name.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

// The one name that has all words of `typed`, in singular or plural, and some more, as few as there are:
// num-beams of beam. Empty where there is none, or two.
std::string_view longer_name(std::string_view typed, const std::vector<std::string>& known) {
  const std::vector<std::string_view> wanted = words_of_name(typed);
  const auto is_same = [](std::string_view a, std::string_view b) {
    const std::string_view shorter = a.size() < b.size() ? a : b, longer = a.size() < b.size() ? b : a;
    return shorter.size() >= 3 && longer.starts_with(shorter) &&
           (longer.size() == shorter.size() || longer.substr(shorter.size()) == "s");
  };
  std::string_view found;
  std::size_t fewest = 0;
  for (const std::string& name : known) {
    const std::vector<std::string_view> words = words_of_name(name);
    const bool has_all = std::all_of(wanted.begin(), wanted.end(), [&](std::string_view word) {
      return std::any_of(words.begin(), words.end(), [&](std::string_view w) { return is_same(word, w); });
    });
    if (!has_all || (fewest > 0 && words.size() > fewest)) continue;
    found = words.size() == fewest ? std::string_view() : std::string_view(name);
    fewest = words.size();
  }
  return found;
}

// The nearest one where hyphens do not count: num-beams of nbeams, max-length-ratio of max_length_ratio.
std::string_view nearest_unhyphenated(std::string_view typed, const std::vector<std::string>& known) {
  const auto bare = [](std::string_view name) {
    std::string out;
    for (const char c : name) {
      if (c != '-' && c != '_') out += c;
    }
    return out;
  };
  std::vector<std::string> names;
  for (const std::string& name : known) names.push_back(bare(name));
  const std::string_view nearest = nearest_word(bare(typed), names);
  const auto found = std::find(names.begin(), names.end(), nearest);
  return found == names.end() ? std::string_view() : known[found - names.begin()];
}

}  // namespace

std::string_view nearest_option(std::string_view typed, const std::vector<std::string>& known) {
  std::string_view nearest = nearest_word(typed, known);
  if (nearest.empty()) nearest = longer_name(typed, known);
  return nearest.empty() ? nearest_unhyphenated(typed, known) : nearest;
}

}  // namespace headwater::cli
