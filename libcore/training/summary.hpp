// What a run says about itself: before it starts, and when it has ended.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "recipe/recipe.hpp"
#include "training/trainer.hpp"

namespace headwater {

// Lines "name<TAB>value": examples, steps, parameters, bytes of parameters, optimizer state and of a step's
// arena.
std::string describe_run(const Recipe& recipe, const Parameters& parameters, const Trainer& trainer,
                         std::size_t arena_bytes);

// The best epoch of a run, read from its log.csv (the row whose validation is best by the recipe's metric)
// and times of all epochs.
struct RunFigures {
  std::int64_t best_epoch = 0, epochs = 0;
  double validation_loss = 0, validation_accuracy = 0, reference_loss = 0, reference_accuracy = 0;
  // The other columns "validation_..." of log.csv, in their order: "validation_macro_f1".
  std::vector<std::pair<std::string, std::optional<double>>> figures;
  double training_loss = 0;      // of the last epoch
  double seconds_an_epoch = 0;   // mean
  double tokens_per_second = 0;  // mean
};
RunFigures read_run(const std::filesystem::path& directory, const std::string& best_metric);

// The table that ends a run: a line for each expectation of the recipe that training can judge,
// "metric<TAB>expected<TAB>reached<TAB>state", and the run's speed. state: ok, missed; expectations about
// other metrics (bleu, ...) are left to evaluate.
std::string table_of_expectations(const Recipe& recipe, const std::filesystem::path& directory,
                                  const Parameters& parameters);

// The same for expectations about test data ("test_accuracy", "bleu", ...): `figures` are what was measured,
// by metric without "test_"; of several of one name the first counts. Empty where nothing was expected of
// them.
std::string table_of_expectations(const Recipe& recipe,
                                  std::span<const std::pair<std::string, double>> figures);

// "ok" or "missed".
std::string judge(const Expectation& expectation, double reached);

}  // namespace headwater
