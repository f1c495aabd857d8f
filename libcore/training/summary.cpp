#include "training/summary.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <string_view>
#include <vector>

#include "support/error.hpp"
#include "support/files.hpp"
#include "support/numbers.hpp"
#include "support/split.hpp"

namespace headwater {

namespace {

double number(std::string_view text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string line(std::string_view name, const std::string& value) {
  return std::string(name) + "\t" + value + "\n";
}

// The column of log.csv that is the greater the better, or nothing: then the validation loss is the lower the
// better.
std::string column_to_raise(const std::string& metric) {
  return metric == "loss" || metric == "perplexity" ? "" : "validation_" + metric;
}

constexpr const char* kTableHeader = "metric\texpected\treached\tstate\n";

std::string line_of(const Expectation& e, double reached) {
  std::string wanted = e.compare == "at_least" ? ">= " : e.compare == "at_most" ? "<= " : "";
  wanted += format_number(e.value);
  if (e.compare == "near" && e.tolerance) wanted += " +- " + format_number(*e.tolerance);
  return e.metric + "\t" + wanted + "\t" + format_number(reached) + "\t" + judge(e, reached) + "\n";
}

}  // namespace

std::string describe_run(const Recipe& recipe, const Parameters& parameters, const Trainer& trainer,
                         std::size_t arena_bytes) {
  const bool is_adam = recipe.training.optimizer.kind == "adam" || recipe.training.optimizer.kind == "adamw";
  const bool is_plain_sgd =
      recipe.training.optimizer.kind == "sgd" && recipe.training.optimizer.momentum == 0;
  const std::int64_t bytes = parameters.size() * static_cast<std::int64_t>(sizeof(Real));
  const std::int64_t gradients = trainer.bytes_of_gradients();
  const std::int64_t average = recipe.training.ema_decay > 0 ? 1 : 0;
  const std::int64_t state = ((is_adam ? 2 : is_plain_sgd ? 0 : 1) + average) * bytes;
  return line("recipe", recipe.name) + line("steps_an_epoch", std::to_string(trainer.steps_per_epoch())) +
         line("steps", std::to_string(trainer.total_steps())) +
         line("parameters", std::to_string(parameters.size())) +
         line("bytes_of_parameters_and_gradients", std::to_string(bytes + gradients)) +
         line("bytes_of_optimizer_state", std::to_string(state)) +
         line("bytes_of_a_step", std::to_string(arena_bytes)) +
         line("bytes", std::to_string(bytes + gradients + state + static_cast<std::int64_t>(arena_bytes)));
}

RunFigures read_run(const std::filesystem::path& directory, const std::string& best_metric) {
  const std::filesystem::path path = directory / "log.csv";
  const std::string text = read_file(path, std::uint64_t{1} << 32);
  const std::vector<std::string_view> lines = split(text, '\n');
  std::map<std::string_view, std::size_t> column;
  const std::vector<std::string_view> header = split(lines.front(), ',');
  for (std::size_t i = 0; i < header.size(); ++i) column[header[i]] = i;
  RunFigures figures;
  const std::string raised = column_to_raise(best_metric);
  double best = 0, seconds = 0, tokens = 0;
  for (std::size_t n = 1; n < lines.size(); ++n) {
    const std::vector<std::string_view> fields = split(lines[n], ',');
    if (fields.size() != header.size()) continue;
    const auto at = [&](std::string_view name) { return fields[column.at(name)]; };
    if (at("validation_loss").empty()) continue;
    ++figures.epochs;
    // The seconds of a resumed epoch are of its last process only; its pace is of the same time.
    const double pace = number(at("tokens_per_second"));
    seconds += pace > 0 ? number(at("tokens")) / pace : number(at("seconds"));
    tokens += number(at("tokens"));
    figures.training_loss = number(at("loss"));
    const double value = raised.empty() ? number(at("validation_loss")) : -number(at(raised));
    if (figures.epochs > 1 && value >= best) continue;
    best = value;
    figures.best_epoch = static_cast<std::int64_t>(number(at("epoch")));
    figures.validation_loss = number(at("validation_loss"));
    figures.validation_accuracy = number(at("validation_accuracy"));
    figures.reference_loss = number(at("reference_loss"));
    figures.reference_accuracy = number(at("reference_accuracy"));
    figures.figures.clear();
    for (const std::string_view name : header) {
      if (!name.starts_with("validation_") || name == "validation_loss" || name == "validation_accuracy")
        continue;
      figures.figures.emplace_back(name,
                                   at(name).empty() ? std::nullopt : std::optional<double>(number(at(name))));
    }
  }
  if (figures.epochs > 0) {
    figures.seconds_an_epoch = seconds / static_cast<double>(figures.epochs);
    figures.tokens_per_second = seconds > 0 ? tokens / seconds : 0;
  }
  return figures;
}

std::string judge(const Expectation& expectation, double reached) {
  if (expectation.compare == "at_least") return reached >= expectation.value ? "ok" : "missed";
  if (expectation.compare == "at_most") return reached <= expectation.value ? "ok" : "missed";
  return std::abs(reached - expectation.value) <= expectation.tolerance.value_or(0) ? "ok" : "missed";
}

std::string table_of_expectations(const Recipe& recipe, const std::filesystem::path& directory,
                                  const Parameters& parameters) {
  const RunFigures run = read_run(directory, recipe.training.best_metric);
  std::map<std::string, double> reached{
      {"parameters", static_cast<double>(parameters.size())}, {"validation_loss", run.validation_loss},
      {"validation_accuracy", run.validation_accuracy},       {"reference_loss", run.reference_loss},
      {"reference_accuracy", run.reference_accuracy},         {"training_loss", run.training_loss},
      {"best_epoch", static_cast<double>(run.best_epoch)}};
  for (const auto& [name, value] : run.figures) reached[name] = value.value_or(NAN);
  std::string text = kTableHeader;
  for (const Expectation& e : recipe.expected) {
    const auto found = reached.find(e.metric);
    if (found == reached.end()) continue;
    text += line_of(e, found->second);
  }
  text += "validation_loss at the best epoch (" + std::to_string(run.best_epoch) + ")\t\t" +
          format_fixed(run.validation_loss, 4) + "\t\n";
  text += "validation_accuracy at the best epoch\t\t" + format_fixed(run.validation_accuracy, 4) + "\t\n";
  for (const auto& [name, value] : run.figures) {
    if (value) text += name + " at the best epoch\t\t" + format_fixed(*value, 4) + "\t\n";
  }
  text += "parameters\t\t" + format_count(parameters.size()) + "\t\n";
  text += "seconds an epoch\t\t" + format_fixed(run.seconds_an_epoch, 1) + "\t\n";
  text += "tokens a second\t\t" + format_count(static_cast<std::int64_t>(run.tokens_per_second)) + "\t\n";
  return text;
}

std::string table_of_expectations(const Recipe& recipe,
                                  std::span<const std::pair<std::string, double>> figures) {
  std::string text;
  for (const Expectation& expectation : recipe.expected) {
    std::string_view wanted = expectation.metric;
    if (wanted.starts_with("test_")) {
      wanted.remove_prefix(std::string_view("test_").size());
    } else if (wanted != "bleu" && wanted != "chrf") {
      continue;
    }
    const auto found = std::find_if(figures.begin(), figures.end(),
                                    [&](const auto& figure) { return figure.first == wanted; });
    if (found != figures.end()) text += line_of(expectation, found->second);
  }
  return text.empty() ? text : kTableHeader + text;
}

}  // namespace headwater
