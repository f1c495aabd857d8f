#include "tools/train/train.hpp"

#include <span>
#include <string>

#include "cli/tool.hpp"
#include "support/directories.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/run_messages.hpp"

namespace headwater::train {
namespace {

// " (next_sentence 0.6931 accuracy 0.5000)": each of several losses; nothing of one.
std::string each_loss(const LossTotals& totals, std::span<const Loss> losses) {
  std::string text;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const LossPart& part = totals.parts[i];
    text += (i == 0 ? " (" : ", ") + std::string(losses[i].name) + " " + format_fixed(part.mean_loss(), 4);
    if (losses[i].has_accuracy) text += " accuracy " + format_fixed(part.accuracy(), 4);
  }
  return losses.empty() ? text : text + ")";
}

std::string validated(const ValidationFigures& v, const Objective& objective, bool shows_reference) {
  if (v.predicted == 0) return "nothing to validate on";
  std::string text = "validation loss " + format_fixed(v.mean_loss(), 4) + each_loss(v, objective.losses()) +
                     " accuracy " + format_fixed(v.accuracy(), 4);
  for (std::size_t i = 0; i < v.figures.size(); ++i) {
    const Metric& metric = *objective.metrics()[i];
    if (v.figures[i])
      text += " " + std::string(metric.name) + " " + format_fixed(*v.figures[i], metric.digits);
  }
  if (!shows_reference) return text;
  return text + " (over padded positions " + format_fixed(v.reference_loss(), 4) + ", " +
         format_fixed(v.reference_accuracy(), 4) + ")";
}

constexpr double kMentionedWait = 0.005;  // of an epoch: less is no news

}  // namespace

void note_epoch(const EpochReport& r, const Objective& objective, bool shows_reference) {
  cli::note(
      "epoch " + std::to_string(r.epoch) + "/" + std::to_string(r.epochs) + ": loss " +
      format_fixed(r.training.mean_loss(), 4) + each_loss(r.training, objective.losses()) + " accuracy " +
      format_fixed(r.training.accuracy(), 4) +
      (shows_reference ? " (over padded positions " + format_fixed(r.training.reference_loss(), 4) + ")"
                       : "") +
      ", " + validated(r.validation, objective, shows_reference) + ", " + format_fixed(r.seconds, 1) +
      " s, " + format_count(static_cast<std::int64_t>(r.tokens_per_second)) + " tokens/s" +
      (r.waiting_share >= kMentionedWait
           ? ", " + format_fixed(100 * r.waiting_share, 1) + " % of it waiting for batches"
           : "") +
      (r.is_best ? ", best so far" : "") +
      (r.stops_early ? "; stopping early: no better value for as many epochs as the recipe allows" : ""));
  for (const std::string& sample : r.samples)
    cli::note("epoch " + std::to_string(r.epoch) + " wrote: " + sample);
}

void note_long_warmup(const ScheduleSettings& schedule, std::int64_t steps, bool is_quiet) {
  if (schedule.warmup_steps <= steps) return;
  cli::warn("training.schedule.warmup_steps is " + format_count(schedule.warmup_steps) + ", the run has " +
                counted(steps, "step") + ": the learning rate does not reach its peak",
            is_quiet);
}

std::string as_typed(const std::string& error, std::initializer_list<TypedPatterns> typed) {
  for (const auto& [key, patterns] : typed) {
    for (const std::string& pattern : patterns) {
      const std::string of_recipe = "training." + key + ": " + quote(pattern);
      if (error.starts_with(of_recipe))
        return "--" + key + " " + quote(pattern) + error.substr(of_recipe.size());
    }
  }
  return error;
}

void keep_messages(const fs::path& directory, const std::string& examples, bool goes_on,
                   const std::string& failed) {
  const fs::path file = directory / kMessagesFile;
  RunMessages messages;
  try {
    if (goes_on && is_there(file)) messages.warnings = read_messages(file).warnings;
  } catch (const Error& error) {
    cli::note(std::string(error.what()) + "; it is written anew");
  }
  RunMessages now{.examples = examples, .failed = without_places(failed, directory)};
  for (const std::string& warning : cli::warnings())
    now.warnings.push_back(without_places(warning, directory));
  messages.add(now);
  write_file(file, messages.json());
}

}  // namespace headwater::train
