// What a command of run names: recipes, keys and their values.
#include <algorithm>
#include <set>

#include "families/registry.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/split.hpp"
#include "tools/headwater/runs.hpp"

namespace headwater::front {

namespace {

constexpr std::size_t kMostRuns = 1000;

// What no folder should have in its name.
void check_characters(std::string_view what, std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7F')
      throw UsageError(std::string(what) + " " + quote(text) +
                       " has a control character (write it into a recipe)");
  }
}

std::uint64_t seed_of(std::string_view text) {
  std::uint64_t seed = 0;
  const std::string fault = read_number(text, seed);
  if (!fault.empty()) throw UsageError("seed: " + fault);
  return seed;
}

// A variable of make, which has another name here: "--scale quick" of SCALE=quick. "": it is none.
std::string option_of_variable(std::string_view name, std::string_view value) {
  constexpr std::string_view kWithValue[] = {"--scale", "--seed", "--threads", "--models", "--data"},
                             kWithout[] = {"--overwrite", "--allow-empty"};
  const auto is_named = [name](std::string_view option) {
    std::string variable;
    for (const char c : option.substr(2)) variable += c == '-' ? '_' : static_cast<char>(c - 'a' + 'A');
    return name == variable;
  };
  for (const std::string_view option : kWithValue) {
    if (is_named(option)) return std::string(option) + " " + std::string(value);
  }
  for (const std::string_view option : kWithout) {
    if (is_named(option)) return std::string(option);
  }
  return name == "SET" ? std::string(value) : "";
}

Setting setting_of(std::string_view word, std::string_view form) {
  const std::size_t equals = word.find('=');
  if (equals != word.npos) {
    const std::string option = option_of_variable(word.substr(0, equals), word.substr(equals + 1));
    if (!option.empty())
      throw UsageError(quote(word) + " sets a variable of make, not a key of a recipe (write " + option +
                       ")");
  }
  const bool is_one = form == "KEY=VALUE";  // whose value may be empty: training.init_from=
  if (equals == word.npos || equals == 0 || (!is_one && equals + 1 == word.size()))
    throw UsageError(quote(word) + " is no " + std::string(form) +
                     " (training.epochs=" + (is_one ? "3" : "3,5,10") + ", without spaces)");
  check_characters("the setting", word);
  return {std::string(word.substr(0, equals)), std::string(word.substr(equals + 1))};
}

// The seed that the recipe names, 1 where it names none.
std::uint64_t own_seed(const fs::path& recipe) {
  constexpr std::string_view kKey = "seed:";
  const std::string text = read_any_file(recipe, 1 << 20);
  for (std::string_view line : split(text, '\n')) {
    if (!line.starts_with(kKey)) continue;
    line.remove_prefix(std::min(line.find_first_not_of(' ', kKey.size()), line.size()));
    std::uint64_t seed = 0;
    if (read_number(std::string(line.substr(0, line.find_first_not_of("0123456789"))), seed).empty())
      return seed;
  }
  return 1;
}

// Which recipe was meant: the one that is misspelled or cut short, or those of which it is a part.
std::string near_names(const std::string& typed, const std::vector<std::string>& names) {
  std::string_view nearest = nearest_word(typed, names);
  std::string longer;
  int found = 0;
  for (const std::string& name : names) {
    if (!nearest.empty() || typed.size() < 3 || name.find(typed) == std::string::npos) continue;
    longer += (found++ == 0 ? "" : ", ") + name;
  }
  if (found == 1) nearest = longer;
  if (!nearest.empty()) return "; did you mean " + quote(nearest) + "?";
  return found > 1 ? "; there are " + longer
                   : std::string(" (headwater recipes lists them; a file is ./FILE or FILE.yaml)");
}

// The recipe's file, where it may be read from here.
fs::path file_of(const House& house, const std::string& recipe) {
  if (!is_name(recipe)) {
    std::error_code none;
    // As read_recipe has it: which recipe to run is part of the call.
    if (!fs::exists(recipe, none)) throw UsageError(recipe + ": no such file");
    if (fs::is_directory(recipe, none)) throw UsageError(recipe + ": a folder, not a file");
    return recipe;
  }
  const std::vector<std::string> names = house.names();
  if (std::find(names.begin(), names.end(), recipe) != names.end()) return house.recipe(recipe);
  std::error_code none;
  if (fs::exists(recipe, none))
    throw UsageError("no recipe is called " + quote(recipe) + " (a file of that name is ./" + recipe + ")");
  std::vector<std::string> known = house.lists();
  known.insert(known.end(), names.begin(), names.end());
  throw UsageError("no recipe is called " + quote(recipe) + near_names(recipe, known));
}

}  // namespace

std::vector<Run> runs_of(const Options& o, const Meant& meant, std::size_t first_setting) {
  std::vector<Run> runs{{&meant, {}, o.seed}};
  std::set<std::string> keys;
  const auto take = [&](const std::string& key) {
    if (!keys.insert(key).second) throw UsageError("the key " + key + " is set twice (once is enough)");
    if (key == "seed" && o.seed) throw UsageError("both --seed and seed= (one of them)");
  };
  const auto add = [](Run& run, const Setting& setting) {
    if (setting.key == "seed") {
      run.seed = seed_of(setting.value);
    } else {
      run.settings.push_back(setting);
    }
  };
  for (std::size_t i = first_setting; i < o.words.size(); ++i) {
    at_place(o, o.words[i], [&] {
      const Setting setting = setting_of(o.words[i], "KEY=VALUE");
      take(setting.key);
      add(runs.front(), setting);
    });
  }
  for (const std::string& array : o.arrays) {
    const Setting all = setting_of(array, "KEY=VALUES");
    take(all.key);
    const std::vector<std::string_view> values = split(all.value, ',');
    for (auto value = values.begin(); value != values.end(); ++value) {
      if (value->empty())
        throw UsageError("--array: " + array + ": an empty value (values stand between commas)");
      if (std::find(values.begin(), value, *value) != value)
        throw UsageError("--array: " + array + ": " + quote(*value) + " stands twice (remove one)");
    }
    if (runs.size() * values.size() > kMostRuns)
      throw UsageError("--array: more than " + std::to_string(kMostRuns) + " runs (leave out some values)");
    std::vector<Run> next;
    for (const Run& run : runs) {
      for (const std::string_view value : values) add(next.emplace_back(run), {all.key, std::string(value)});
    }
    runs = std::move(next);
  }
  return runs;
}

Recipe recipe_of(const Options& o, const Run& run) {
  std::vector<std::string> changes;
  if (run.seed) changes.push_back("seed=" + std::to_string(*run.seed));
  for (const Setting& setting : run.settings) changes.push_back(setting.text());
  const auto as_typed = [&o](const std::string& line) {
    constexpr std::string_view kOption = "--set ";
    if (!line.starts_with(kOption)) return line;
    const std::string typed = line.substr(kOption.size());
    const auto is_of = [&typed](const auto& word) { return typed.starts_with(word.first + ":"); };
    const auto listed = std::ranges::find_if(o.places, is_of);
    return (listed == o.places.end() ? "" : listed->second) + typed;
  };
  try {
    return read_recipe(run.meant->file, o.scale, changes);
  } catch (const SeveralErrors& errors) {
    std::vector<std::string> lines;
    for (const std::string& line : errors.lines()) lines.push_back(as_typed(line));
    throw SeveralErrors(std::move(lines));
  } catch (const UsageError& error) {
    throw UsageError(as_typed(error.what()));
  }
}

Meant meant_by(const House& house, const std::string& word) {
  const fs::path file = file_of(house, word);
  return {word, file, own_seed(file)};
}

}  // namespace headwater::front
