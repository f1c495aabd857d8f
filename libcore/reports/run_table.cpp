#include "reports/run_table.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <type_traits>

#include "families/registry.hpp"
#include "metrics/registry.hpp"
#include "recipe/key_values.hpp"
#include "support/csv.hpp"
#include "support/enum_names.hpp"
#include "support/numbers.hpp"
#include "support/split.hpp"

namespace headwater {

namespace {

// The figures of the best epoch: "loss", "accuracy", the others that its log has, and perplexity of models
// that have one.
NamedFigures validation_figures(const RunRow& row) {
  const RunFigures& run = row.figures;
  if (!run.has_validation()) return {};
  NamedFigures all{{"loss", run.validation_loss}, {"accuracy", run.validation_accuracy}};
  constexpr std::string_view kPrefix = "validation_";
  for (const auto& [name, value] : run.figures) {
    if (value) all.emplace_back(name.substr(kPrefix.size()), *value);
  }
  constexpr std::string_view kPerplexity = "perplexity";
  if (row.recipe && std::ranges::count(row.recipe->model.kind().metrics, kPerplexity) > 0)
    all.emplace_back(kPerplexity, std::exp(run.validation_loss));
  return all;
}

std::optional<double> figure_of(const NamedFigures& figures, std::string_view name) {
  const auto found =
      std::find_if(figures.begin(), figures.end(), [&](const auto& figure) { return figure.first == name; });
  return found == figures.end() ? std::nullopt : std::optional<double>(found->second);
}

void add_name(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

// The loss, and what a run was chosen by.
std::vector<std::string> validation_names(const std::vector<RunRow>& rows) {
  std::vector<std::string> names{"loss"};
  for (const RunRow& row : rows) {
    if (row.recipe) add_name(names, row.recipe->training.best_metric);
  }
  return names;
}

std::vector<std::string> test_names(const std::vector<RunRow>& rows) {
  std::vector<std::string> names;
  for (const RunRow& row : rows) {
    for (const auto& [name, value] : row.test) add_name(names, name);
  }
  return names;
}

int digits_of(std::string_view name) {
  const Metric* const metric = find_metric(name);
  return metric == nullptr ? 4 : metric->digits;
}

bool any_failed(const std::vector<RunRow>& rows) {
  return std::ranges::any_of(rows, [](const RunRow& row) { return !row.failed.empty(); });
}

double seconds_of(const RunFigures& run) { return run.seconds_an_epoch * static_cast<double>(run.epochs); }

bool has_errors(const std::vector<RunRow>& rows) {
  return std::ranges::any_of(rows, [](const RunRow& row) { return !row.error.empty(); });
}

std::vector<std::string> figure_headings(const std::vector<RunRow>& rows) {
  std::vector<std::string> names{"epochs", "best_epoch"};
  for (const std::string& name : validation_names(rows)) names.push_back("validation_" + name);
  for (const std::string& name : test_names(rows)) names.push_back("test_" + name);
  names.insert(names.end(), {"seconds", "parameters"});
  if (any_failed(rows)) names.emplace_back("failed");
  if (has_errors(rows)) names.emplace_back("error");
  return names;
}

// The table with its numbers as `fixed(value, digits)` and `count(value)` write them.
template <class Fixed, class Count>
std::vector<std::vector<std::string>> cells_of(const std::vector<RunRow>& rows, const DifferingKeys& keys,
                                               const Fixed& fixed, const Count& count) {
  const std::vector<std::string> validation = validation_names(rows), test = test_names(rows);
  const bool has_failed = any_failed(rows);
  std::vector<std::vector<std::string>> cells;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const RunRow& row = rows[i];
    std::vector<std::string>& line = cells.emplace_back();
    line.push_back(row.name);
    for (const std::optional<std::string>& value : keys.values[i]) line.push_back(value.value_or(""));
    if (!row.error.empty()) {
      line.resize(1 + keys.keys.size() + figure_headings(rows).size() - 1);
      line.push_back(row.error);
      continue;
    }
    const bool has_epochs = row.figures.epochs > 0;
    line.push_back(count(row.figures.epochs));
    line.push_back(row.figures.has_validation() ? count(row.figures.best_epoch) : "");
    const auto add = [&](const NamedFigures& figures, const std::vector<std::string>& names) {
      for (const std::string& name : names) {
        const std::optional<double> value = figure_of(figures, name);
        line.push_back(value ? fixed(*value, digits_of(name)) : "");
      }
    };
    add(validation_figures(row), validation);
    add(row.test, test);
    line.push_back(has_epochs ? fixed(seconds_of(row.figures), 1) : "");
    line.push_back(row.parameters ? count(*row.parameters) : "");
    if (has_failed) line.push_back(row.failed);
    if (has_errors(rows)) line.emplace_back();
  }
  return cells;
}

DifferingKeys keys_of(const std::vector<RunRow>& rows) {
  std::vector<std::optional<Recipe>> recipes;
  for (const RunRow& row : rows) recipes.push_back(row.recipe);
  return differing_keys(recipes);
}

Json json_of(const NamedFigures& figures) {
  Json json{Json::Object()};
  for (const auto& [name, value] : figures) json.set(name, std::isfinite(value) ? Json(value) : Json());
  return json;
}

// Columns stand two spaces or more apart.
std::vector<std::string_view> table_cells(std::string_view line) {
  std::vector<std::string_view> cells;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find("  "), line.size());
    if (end > 0) cells.push_back(line.substr(0, end));
    line.remove_prefix(std::min(line.find_first_not_of(' ', end), line.size()));
  }
  return cells;
}

}  // namespace

std::string DifferingKeys::short_name(std::size_t key) const {
  const auto last_word = [](const std::string& path) { return path.substr(path.rfind('.') + 1); };
  const std::string word = last_word(keys[key]);
  const bool is_alone = std::count_if(keys.begin(), keys.end(),
                                      [&](const auto& other) { return last_word(other) == word; }) == 1;
  return is_alone ? word : keys[key];
}

DifferingKeys differing_keys(const std::vector<std::optional<Recipe>>& recipes) {
  std::vector<std::map<std::string, std::string>> known(recipes.size());
  DifferingKeys all;
  for (std::size_t i = 0; i < recipes.size(); ++i) {
    if (!recipes[i]) continue;
    for (const auto& [key, value] : key_values(filled_in(*recipes[i]), WhichKeys::read))
      known[i][key] = value;
    // What one run chose may follow from others in another.
    for (const auto& [key, value] : chosen_values(*recipes[i])) {
      const bool is_of_run =
          key != "name" && !key.starts_with("expected") && !key.starts_with("training.checkpoint");
      if (is_of_run) add_name(all.keys, key);
    }
  }
  const auto value_of = [&](std::size_t run, const std::string& key) {
    const auto found = known[run].find(key);
    return found == known[run].end() ? std::nullopt : std::optional<std::string>(found->second);
  };
  std::erase_if(all.keys, [&](const std::string& key) {
    std::optional<std::size_t> first;
    for (std::size_t run = 0; run < recipes.size(); ++run) {
      if (!recipes[run]) continue;
      if (!first) first = run;
      if (value_of(run, key) != value_of(*first, key)) return false;
    }
    return true;
  });
  for (std::size_t run = 0; run < recipes.size(); ++run) {
    auto& values = all.values.emplace_back();
    for (const std::string& key : all.keys) values.push_back(value_of(run, key));
  }
  return all;
}

std::optional<double> validation_figure(const RunRow& row, std::string_view metric) {
  return figure_of(validation_figures(row), metric);
}

namespace {

// What chooses the best epoch of a run; empty of a linear model, which is solved in one.
std::string choosing_metric(const Recipe& recipe) {
  return &family_of(recipe.model) == &linear_family() ? std::string() : recipe.training.best_metric;
}

}  // namespace

std::vector<bool> best_runs(const std::vector<RunRow>& rows) {
  using Group = std::map<std::string, std::vector<std::size_t>>;  // by the metric that chooses
  std::map<std::vector<std::string>, Group> groups;               // of one task and data
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const RunRow& row = rows[i];
    if (!row.recipe || !row.failed.empty()) continue;
    const DataSettings& data = row.recipe->data;
    groups[{std::string(name_of(family_of(row.recipe->model).task)), data.set, data.train, data.validation}]
          [choosing_metric(*row.recipe)]
              .push_back(i);
  }
  std::vector<bool> best(rows.size());
  const auto mark = [&](const std::string& metric, const std::vector<std::size_t>& runs) {
    const Metric* const known = find_metric(metric);
    std::vector<std::pair<double, std::size_t>> badness;
    for (const std::size_t i : runs) {
      const std::optional<double> value = validation_figure(rows[i], metric);
      if (value && std::isfinite(*value))
        badness.emplace_back(known == nullptr ? -*value : known->badness(*value), i);
    }
    if (badness.size() < 2) return;
    const double least = std::ranges::min(badness).first;
    for (const auto& [of_run, i] : badness) best[i] = of_run == least;
  };
  for (auto& [what, group] : groups) {
    // Solved runs are compared by the metric of the others, if those have one.
    if (const auto solved = group.find(""); solved != group.end()) {
      auto runs = group.extract(solved);
      std::vector<std::size_t>& others = group.size() == 1 ? group.begin()->second : group["loss"];
      others.insert(others.end(), runs.mapped().begin(), runs.mapped().end());
    }
    for (const auto& [metric, runs] : group) mark(metric, runs);
  }
  return best;
}

ReadableRunTable readable_run_table(const std::vector<RunRow>& rows) {
  constexpr std::size_t kMostKeys = 8;  // that a person can read beside each other
  DifferingKeys keys = keys_of(rows);
  const std::size_t count = keys.keys.size();
  if (count > kMostKeys) keys = {{}, std::vector<std::vector<std::optional<std::string>>>(rows.size())};
  const std::vector<std::string> headings = figure_headings(rows);
  std::vector<Table::Column> columns{{"run"}};
  for (std::size_t key = 0; key < keys.keys.size(); ++key) {
    const std::string name = keys.short_name(key);
    const bool is_taken = std::find(headings.begin(), headings.end(), name) != headings.end();
    columns.push_back({is_taken ? keys.keys[key] : name});
  }
  for (const std::string& name : headings)
    columns.push_back({name, name == "failed" || name == "error" ? Table::Align::left : Table::Align::right});
  Table table(std::move(columns));
  const std::vector<bool> best = best_runs(rows);
  std::vector<std::vector<std::string>> cells =
      cells_of(rows, keys, format_fixed, [](std::int64_t number) { return format_count(number); });
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (best[i]) cells[i][0] += " *";
    table.add_row(std::move(cells[i]));
  }
  std::string note;
  if (std::ranges::count(best, true) > 0) note = "* The best of its task and data by training.best_metric.";
  if (count > kMostKeys)
    note += (note.empty() ? "" : " ") + std::string("The recipes differ in ") + std::to_string(count) +
            " keys: --csv and --json have them.";
  return {std::move(table), std::move(note)};
}

std::string run_table_text(const std::vector<RunRow>& rows) {
  const ReadableRunTable readable = readable_run_table(rows);
  return readable.table.text() + readable.note + (readable.note.empty() ? "" : "\n");
}

std::string run_table_csv(const std::vector<RunRow>& rows) {
  const DifferingKeys keys = keys_of(rows);
  std::vector<std::string> names{"run"};
  for (const std::vector<std::string>& more : {keys.keys, figure_headings(rows)})
    names.insert(names.end(), more.begin(), more.end());
  std::vector<std::vector<std::string>> lines = cells_of(
      rows, keys, [](double value, int) { return format_number(value); },
      [](std::int64_t count) { return std::to_string(count); });
  lines.insert(lines.begin(), std::move(names));
  std::string text;
  for (const std::vector<std::string>& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) text += (i == 0 ? "" : ",") + csv_field(line[i]);
    text += "\n";
  }
  return text;
}

std::vector<Json> run_table_json(const std::vector<RunRow>& rows) {
  const DifferingKeys keys = keys_of(rows);
  const std::vector<bool> best = best_runs(rows);
  std::vector<Json> all;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const RunRow& row = rows[i];
    Json& json = all.emplace_back();
    json.set("version", 1).set("run", row.name);
    if (!row.error.empty()) {
      json.set("error", row.error);
      continue;
    }
    Json differing{Json::Object()};
    for (std::size_t key = 0; key < keys.keys.size(); ++key) {
      if (keys.values[i][key]) differing.set(keys.keys[key], *keys.values[i][key]);
    }
    json.set("recipe", std::move(differing));
    if (row.recipe) json.set("best_metric", row.recipe->training.best_metric);
    json.set("epochs", row.figures.epochs);
    if (row.figures.epochs > 0) {
      if (row.figures.has_validation()) {
        json.set("best_epoch", row.figures.best_epoch);
        json.set("validation", json_of(validation_figures(row)));
      }
      json.set("training_loss",
               std::isfinite(row.figures.training_loss) ? Json(row.figures.training_loss) : Json());
      json.set("seconds", seconds_of(row.figures));
    }
    if (!row.test.empty()) json.set("test", json_of(row.test));
    if (row.parameters) json.set("parameters", *row.parameters);
    if (best[i]) json.set("is_best", true);
    if (!row.failed.empty()) json.set("failed", row.failed);
  }
  return all;
}

bool JudgedRun::is_good() const {
  return !has_failed &&
         std::none_of(lines.begin(), lines.end(), [](const Line& line) { return line.state == "missed"; });
}

JudgedRun failed_run(std::string name, const std::string& reason) {
  JudgedRun run;
  run.name = std::move(name);
  run.lines.push_back({"", "", reason.empty() ? "failed" : "failed: " + reason});
  run.has_failed = true;
  return run;
}

JudgedRun judged_run(std::string name, const std::vector<std::string>& tables) {
  JudgedRun run;
  run.name = std::move(name);
  std::map<std::string, std::string, std::less<>> figures;
  std::string right_size;  // what is expected of the size is said where nothing else is
  for (const std::string& text : tables) {
    bool is_judged = false;
    for (const std::string_view line : split(text, '\n')) {
      const std::vector<std::string_view> cells = table_cells(line);
      if (cells.empty() || cells[0] == "metric") is_judged = cells.size() > 1 && cells[1] == "expected";
      if (cells.size() < 2 || cells[0] == "metric" || cells[0].starts_with('-')) continue;
      if (!is_judged) {
        figures.try_emplace(std::string(cells[0]), cells[1]);
      } else if (cells.size() == 4 && cells[0] == "parameters" && cells[3] == "ok") {
        right_size = "parameters";
      } else if (cells.size() == 4) {
        run.lines.push_back({std::string(cells[0]) + " " + std::string(cells[1]), std::string(cells[2]),
                             std::string(cells[3])});
      }
    }
  }
  const auto figure = [&](std::string_view metric) {
    const auto found = figures.find(metric);
    return found == figures.end() ? std::string() : found->second;
  };
  run.parameters = figure("parameters");
  run.seconds_an_epoch = figure("seconds_an_epoch");
  run.tokens_a_second = figure("tokens_a_second");
  if (run.lines.empty())
    run.lines.push_back(
        {right_size, right_size.empty() ? "" : run.parameters, right_size.empty() ? "ran" : "ok"});
  return run;
}

Table judged_runs_table(const std::vector<JudgedRun>& runs) {
  using Align = Table::Align;
  const std::vector<Table::Column> headings{{"recipe"},
                                            {"expected"},
                                            {"reached", Align::right},
                                            {"parameters", Align::right},
                                            {"s/epoch", Align::right},
                                            {"tokens/s", Align::right},
                                            {"state"}};
  std::vector<std::vector<std::string>> rows;
  for (const JudgedRun& run : runs) {
    for (const JudgedRun::Line& line : run.lines) {
      if (&line == &run.lines.front())
        rows.push_back({run.name, line.wanted, line.reached, run.parameters, run.seconds_an_epoch,
                        run.tokens_a_second, line.state});
      else
        rows.push_back({"", line.wanted, line.reached, "", "", "", line.state});
    }
  }
  std::vector<std::size_t> shown;
  for (std::size_t c = 0; c < headings.size(); ++c) {
    if (std::any_of(rows.begin(), rows.end(), [&](const auto& row) { return !row[c].empty(); }))
      shown.push_back(c);
  }
  const auto only_shown = [&](const auto& cells) {
    std::decay_t<decltype(cells)> chosen;
    for (const std::size_t c : shown) chosen.push_back(cells[c]);
    return chosen;
  };
  Table table(only_shown(headings));
  for (const std::vector<std::string>& row : rows) table.add_row(only_shown(row));
  return table;
}

NamedFigures figures_of_score_table(std::string_view text) {
  NamedFigures figures;
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty()) break;
    const std::vector<std::string_view> cells = table_cells(line);
    if (line.front() == ' ' || cells.size() < 2 || cells[0].starts_with("unknown")) continue;
    std::string digits(cells[1]);
    std::erase(digits, ',');
    double value = 0;
    if (read_number(digits, value).empty()) figures.emplace_back(cells[0], value);
  }
  return figures;
}

}  // namespace headwater
