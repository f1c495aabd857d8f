// train: learns a model from a recipe and id columns.
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>

#include <unistd.h>

#include "cli/lines.hpp"
#include "cli/progress.hpp"
#include "cli/ranks.hpp"
#include "cli/result_file.hpp"
#include "cli/tool.hpp"
#include "families/layouts/registry.hpp"
#include "families/recipe_of_model.hpp"
#include "families/registry.hpp"
#include "families/train_first_weights.hpp"
#include "families/train_task.hpp"
#include "ranks/mpi.hpp"
#include "recipe/reference.hpp"
#include "reports/run_report.hpp"
#include "support/bits_version.hpp"
#include "support/enum_names.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/parallel.hpp"
#include "tensor/kernels/isa.hpp"
#include "tools/train/train.hpp"
#include "training/summary.hpp"
#include "training/trainer.hpp"

namespace {

using namespace headwater;

struct Options {
  std::string recipe, scale = "full", output, validation, test, source_tokenizer, target_tokenizer, labels,
                      labels_as, terms, tokenizers_of, isa = "auto";
  std::vector<std::string> data, drop, freeze, changes;
  int threads = 0, ranks = 1;
  std::optional<std::uint64_t> seed;
  std::optional<std::int64_t> epochs, max_steps;
  std::optional<std::string> init_from;
  std::int64_t benchmark_steps = 0;
  bool is_json = false, is_dry_run = false, prints_recipe = false, explains = false, overwrites = false,
       allows_empty = false, is_quiet = false;
};

void describe(cli::CommandLine& line, Options& o) {
  line.group("Input");
  line.add_option(
          "data", o.data,
          "id lines with the columns of the recipe, separated by TABs; - is standard input; of images: "
          "files of vectorize --images")
      .reads_lines("the training data", "--print-recipe");
  line.group("Model");
  line.add_option("-r,--recipe", o.recipe,
                  "the experiment, a YAML file; - is standard input, and DATA are then files")
      .required()
      .reads();
  line.add_option("--set", o.changes,
                  "set a key of the recipe ([below](#keys-on-the-command-line)); may be given again")
      .one_value_each()
      .shown_as("KEY=VALUE");
  line.add_option("--scale", o.scale, "quick: the recipe's section `quick` replaces what it names")
      .one_of({"full", "quick"})
      .with_default();
  line.group("Input");
  line.add_option("--source-tokenizer,--tokenizer", o.source_tokenizer,
                  "the `tokenizer.json` that made the source column, or the one column of text; it becomes "
                  "part of the model")
      .reads_file();
  line.add_option("--target-tokenizer", o.target_tokenizer,
                  "the `tokenizer.json` that made the target column")
      .reads_file();
  line.add_option("--labels", o.labels,
                  "for classifiers: the label set of `vectorize --learn labels`, or a model directory; the "
                  "names become part of the model")
      .reads_file();
  line.add_option("--labels-as", o.labels_as,
                  "what the column of labels has: names, or ids as `vectorize --labels` writes them; needed "
                  "if a name is another label's id")
      .one_of({"names", "ids"})
      .goes_with("--labels");
  line.add_option("--terms", o.terms,
                  "for bags of words: the table of terms that made the bags, from `vectorize --learn ngrams` "
                  "or `tf-idf`")
      .reads_file();
  line.add_option("--validation", o.validation,
                  "examples to validate on after each epoch, in the form of DATA; without it a share of the "
                  "data is held out by seed")
      .reads();
  line.add_option("--test", o.test,
                  "for images: the data set on which the finished model will be measured; its size and "
                  "labels must be those of the training images")
      .reads();
  line.group("Output");
  line.add_option("-o,--output", o.output,
                  "the model directory; one that holds this run is [resumed](#resuming)")
      .shown_as("DIR")
      .writes();
  line.add_flag("--overwrite", o.overwrites,
                "start anew in a directory that holds a run; its checkpoints are removed");
  line.add_flag("--json", o.is_json, "the tables that end the run as JSON, one object a line")
      .goes_without("--dry-run --benchmark-steps");
  line.group("Model");
  line.add_option("--seed", o.seed, "instead of the recipe's");
  line.add_option("--epochs", o.epochs,
                  "instead of the recipe's; a run that is there [continues](#resuming) to them")
      .between(1, 1e6);
  line.add_option("--max-steps", o.max_steps, "instead of the recipe's: end after this many steps")
      .between(1, 1e9);
  line.add_option("--init-from", o.init_from,
                  "begin with the weights of this model directory or checkpoint, ours, in a published layout "
                  "or of another vocabulary ([fine-tuning](#fine-tuning))")
      .shown_as("MODEL")
      .names_files();
  line.add_option(
          "--drop", o.drop,
          "with --init-from: draw the parameters of matching names anew, as 'head.*'; may be given again")
      .one_value_each()
      .shown_as("PATTERN");
  line.add_option("--freeze", o.freeze,
                  "keep the parameters of matching names as they are, in addition to `training.freeze`; may "
                  "be given again")
      .one_value_each()
      .shown_as("PATTERN");
  line.group("Input");
  line.add_flag(
      "--allow-empty", o.allows_empty,
      "accept more than 1 % of examples with an empty column (they are skipped and counted in any case)");
  line.group("Instead of training");
  line.add_flag("-n,--dry-run", o.is_dry_run,
                "check everything, run the largest batch once, print steps, parameters, bytes of memory and "
                "the minutes that all steps will take; write nothing ([below](#what-it-prints))");
  line.add_option("--ranks", o.ranks,
                  "what each of these processes of `mpirun` needs and sends ([below](#several-ranks))")
      .one_of({"1", "2", "4", "8"})
      .goes_with("--dry-run", "mpirun -n starts ranks");
  line.add_flag("--print-recipe", o.prints_recipe, "print the recipe with every default written out");
  line.add_flag("--explain", o.explains,
                "add what each key means, its range, its default and what reads it, as comments; the text is "
                "still a recipe")
      .goes_with("--print-recipe");
  line.add_option("--tokenizers-of", o.tokenizers_of,
                  "the run gets the tokenizers and terms of MODEL: a model directory, or the recipe file of "
                  "a run. Keys that the recipe does not set are those of MODEL; a recipe that sets them "
                  "otherwise is refused")
      .shown_as("MODEL")
      .names_files()
      .goes_with("--print-recipe");
  line.add_option("--benchmark-steps", o.benchmark_steps,
                  "time N steps, print useful tokens a second (read and predicted), milliseconds a step and "
                  "the peak memory; write nothing")
      .between(1, 1e9);
  line.condition("mpirun", [] { return cli::started_ranks().count > 1; });
  line.goes_without("--dry-run --print-recipe", "mpirun", "one process does it; --dry-run has --ranks");
  line.needs_any("--output --dry-run --benchmark-steps --print-recipe",
                 "--output is missing (the model directory to write)");
  cli::add_isa_option(line, o.isa);
  cli::add_threads_option(line, o.threads);
  cli::add_quiet_option(line, o.is_quiet);
}

std::atomic<int> stop_signal{0};

// First signal: say so at once, and let the step end. Second: end now.
void on_signal(int number) {
  if (stop_signal.exchange(number) != 0) {
    cli::end_by_signal(number);
    return;
  }
  if (cli::rank() > 0) return;
  constexpr char kMessage[] = "\ntrain: stopping after this step and saving; once more to end at once\n";
  [[maybe_unused]] const ssize_t ignored = write(STDERR_FILENO, kMessage, sizeof kMessage - 1);
}

// What is trained, and what it needs while it is.
struct Run {
  const Recipe& recipe;
  const Family& family;
  TaskModel& model;
  Objective& objective;
  RunDirectory* directory;  // null where nothing is written
  std::int64_t truncated;   // lines of the data
  std::string examples;     // how many there are
  Ranks ranks;
  bool has_checkpoint;  // in the directory, which the first rank alone has
};

void warn_of_other_bits(const RunDirectory& directory, std::int64_t step, bool is_quiet) {
  const std::optional<std::int64_t> saved = directory.other_bits_version();
  if (!saved) return;
  cli::warn("the run goes on at step " + format_count(step) + " with bits version " +
                std::to_string(kBitsVersion) + " and was begun with " + std::to_string(*saved) +
                ": no version alone gives its figures (--overwrite starts anew)",
            is_quiet);
}

// Trains until done or stopped.
TrainingOutcome train(Trainer& trainer, const Run& run, const Options& o) {
  const bool shows_reference = expects_reference_measure(run.recipe);
  bool is_first = true;
  cli::Progress progress("train", static_cast<double>(trainer.total_steps()), "tokens", o.is_quiet);
  double tokens = 0;
  TrainerCallbacks callbacks;
  callbacks.on_resume = [&](std::int64_t step) {
    if (run.directory != nullptr && !trainer.state().is_finished)
      warn_of_other_bits(*run.directory, step, o.is_quiet);
    if (o.is_quiet) return;
    for (const std::string& change : run.directory->changes())
      cli::note("goes on with another recipe: " + change);
    cli::note("resuming at step " + format_count(step));
  };
  callbacks.after_step = [&](const StepReport& r) {
    tokens += static_cast<double>(r.useful_tokens);
    // At once, whatever a step takes: a run that goes wrong, or learns nothing, is seen early.
    if (is_first && !o.is_quiet)
      cli::note("step " + format_count(r.step) + " of " + format_count(r.total_steps) + ": loss " +
                format_fixed(r.loss, 4));
    is_first = false;
    progress.update(static_cast<double>(r.step), tokens,
                    "loss " + format_fixed(r.loss, 4) + ", epoch " + std::to_string(r.epoch) + "/" +
                        std::to_string(r.epochs));
  };
  bool explains_losses = run.recipe.training.label_smoothing > 0;
  callbacks.after_epoch = [&](const EpochReport& r) {
    progress.clear();
    if (!o.is_quiet) train::note_epoch(r, run.objective, shows_reference);
    if (!explains_losses || r.validation.predicted == 0) return;
    cli::warn("the training loss is taken with label_smoothing " +
                  format_number(run.recipe.training.label_smoothing) +
                  ", the validation loss without: so the first may stay above the second",
              o.is_quiet);
    explains_losses = false;
  };
  callbacks.wants_stop = [] { return stop_signal.load() != 0; };
  return trainer.run(callbacks);
}

Recipe recipe_of(const Options& o) {
  Recipe recipe = o.tokenizers_of.empty()
                      ? read_recipe(o.recipe, o.scale, o.changes)
                      : read_recipe_over_model(o.recipe, o.tokenizers_of, o.scale, o.changes);
  if (o.seed) recipe.seed = *o.seed;
  if (o.epochs) recipe.training.epochs = *o.epochs;
  TrainingSettings& training = recipe.training;
  if (o.max_steps) training.max_steps = *o.max_steps;
  if (o.init_from) training.init_from = *o.init_from;
  training.drop.insert(training.drop.end(), o.drop.begin(), o.drop.end());
  training.freeze.insert(training.freeze.end(), o.freeze.begin(), o.freeze.end());
  if (training.init_from.empty() && !training.drop.empty())
    throw UsageError(std::string(o.drop.empty() ? "training.drop is for training.init_from"
                                                : "--drop goes with --init-from") +
                     " (without it every parameter is drawn)");
  return recipe;
}

// A run must not overwrite the model that it begins with.
void check_init(const Recipe& recipe, const Options& o) {
  if (recipe.training.init_from.empty()) return;
  std::error_code unknown;
  const fs::path from = fs::weakly_canonical(recipe.training.init_from, unknown),
                 to = fs::weakly_canonical(o.output, unknown);
  if (!unknown && std::mismatch(to.begin(), to.end(), from.begin(), from.end()).first == to.end())
    throw UsageError((o.init_from ? "--init-from " : "training.init_from: ") + recipe.training.init_from +
                     ": lies in " + o.output + ", which this run writes (choose another --output)");
}

bool writes(const Options& o) { return !o.is_dry_run && o.benchmark_steps == 0; }

void catch_signals() {
  std::signal(SIGPIPE, SIG_IGN);  // a closed stderr ends messages, not the run
  for (const int number : {SIGINT, SIGTERM, SIGUSR1}) std::signal(number, on_signal);
  if (std::signal(SIGHUP, on_signal) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);  // under nohup
}

// As evaluate writes its own.
void write_figures(const Run& run, const Options& o) {
  RunFigures figures = read_run(o.output, run.recipe.training.best_metric);
  figures.truncated = run.truncated;
  const std::int64_t parameters = run.model.parameters().size();
  cli::LineWriter out;
  out.text(scores_text(run_rows(run.recipe, figures, parameters), o.is_json));
  out.text(expectations_text(judge_expectations(run.recipe, figures, parameters), o.is_json));
  out.flush();
}

void note_first_weights(const Run& run, const Options& o) {
  const TrainingSettings& training = run.recipe.training;
  const FirstWeights first = take_first_weights(training.init_from, training.drop, run.family, run.model);
  cli::note_skipped_checkpoints(first.skipped);
  // What starts anew is learned from these examples alone: the page of the run says it too.
  const bool is_whole = first.new_ones.empty() && first.dropped.empty() && first.left_out.empty();
  const std::string summary = training.init_from + ": " + first.summary();
  if (!is_whole) {
    cli::warn(summary, o.is_quiet);
  } else if (!o.is_quiet) {
    cli::note(summary);
  }
  if (!first.settings.empty())
    cli::warn(first.settings + ": these settings differ from those of " + training.init_from +
                  ", so its weights may not fit",
              o.is_quiet);
  for (const std::string& vocabulary : first.vocabularies)
    cli::warn(vocabulary + " are known to " + training.init_from + ", the others begin anew", o.is_quiet);
}

// Trains, and keeps in the run's directory why it failed where it did. What is refused before a step, as
// other data, says nothing of the run that is there.
TrainingOutcome train_and_keep(Trainer& trainer, const Run& run, const Options& o) {
  if (run.directory == nullptr) return train(trainer, run, o);
  const auto keep = [&](const std::string& failed) {
    train::keep_messages(run.directory->path(), run.examples, run.has_checkpoint, failed);
  };
  const auto keep_reason = [&](const std::string& failed) {
    if (run.has_checkpoint && trainer.state().step == 0) return;
    try {
      keep(failed);
    } catch (const Error&) {  // a full disk: the line on standard error has the reason
    }
  };
  if (!run.has_checkpoint) keep("");
  try {
    const TrainingOutcome outcome = train(trainer, run, o);
    keep(trainer.divergence().value_or(""));
    return outcome;
  } catch (const UsageError&) {
    throw;
  } catch (const std::bad_alloc&) {
    keep_reason("out of memory (use smaller batches or close other programs)");
    throw;
  } catch (const std::exception& error) {
    keep_reason(error.what());
    throw;
  }
}

TrainingOutcome carry_out(const Run& run, const Options& o) {
  const auto after_drawing = [&] {
    run.model.after_drawing();
    if (!run.recipe.training.init_from.empty() && !run.has_checkpoint) note_first_weights(run, o);
  };
  Trainer trainer(run.recipe, run.objective, run.directory, after_drawing, run.ranks);
  const std::size_t arena_bytes = trainer.warm_up();
  if (!run.has_checkpoint)
    train::note_long_warmup(run.recipe.training.schedule, trainer.total_steps(), o.is_quiet);
  if (o.is_dry_run) {
    const std::string sizes = describe_run(run.recipe, run.model.parameters(), trainer, arena_bytes);
    std::string layouts;
    for (const std::string& line : fitting_layouts(run.family, run.recipe.model))
      layouts += "layouts\t" + line + "\n";
    cli::LineWriter().text(sizes + layouts + (run.objective.is_solved() ? "" : time_of_steps(trainer)));
    return TrainingOutcome::finished;
  }
  if (o.benchmark_steps > 0) {
    if (run.objective.is_solved())
      throw UsageError("--benchmark-steps: a linear model is solved without steps");
    const std::string figures = benchmark_steps(trainer, o.benchmark_steps);
    if (run.ranks.rank == 0) cli::LineWriter().text(figures);
    return TrainingOutcome::finished;
  }
  catch_signals();
  if (run.directory != nullptr && run.directory->starts_anew() && !o.is_quiet)
    cli::note(o.output + ": no checkpoint yet, starting anew");
  const TrainingOutcome outcome = train_and_keep(trainer, run, o);
  if (outcome == TrainingOutcome::stopped) return outcome;
  if (run.directory != nullptr) write_figures(run, o);
  if (const auto diverged = trainer.divergence()) throw Error(o.output + ": " + *diverged);
  if (!o.is_quiet)
    cli::note("finished at step " + format_count(trainer.state().step) + "; next: " +
              std::string(tool_of(run.family.offer(run.recipe.model).abilities.front())) + " " + o.output);
  return outcome;
}

// What mpirun started this process for, if it did.
std::unique_ptr<ProcessGroup> join_ranks(Options& o) {
  const cli::StartedRanks started = cli::started_ranks();
  if (started.count == 1) return nullptr;
  if (o.recipe == "-" || o.validation == "-" || cli::reads_input(o.data))
    throw UsageError(
        "mpirun gives standard input to one of the processes alone, and each needs all examples (give "
        "files)");
  std::unique_ptr<ProcessGroup> group = join_mpi(cli::library_folders(), static_cast<int>(kShards));
  o.is_quiet |= group->rank() > 0;
  return group;
}

// Before the ranks wait for each other in a way that depends on these.
void compare_commands(ProcessGroup& group, const Options& o, const Recipe& recipe) {
  compare_ranks(group, "another recipe", print_recipe(recipe));
  compare_ranks(group, "another command",
                std::to_string(o.data.size()) + (o.validation.empty() ? "" : " validation") +
                    (o.overwrites ? " overwrites " : " ") + std::to_string(o.benchmark_steps));
}

void run(const Options& given) {
  Options o = given;
  std::unique_ptr<ProcessGroup> group = join_ranks(o);
  const Ranks ranks{group.get(), group ? group->rank() : 0, group ? group->size() : o.ranks};
  Recipe recipe = recipe_of(o);
  if (group) compare_commands(*group, o, recipe);
  if (o.prints_recipe) {
    cli::LineWriter().text(o.explains ? explain_recipe(recipe, model_kinds()) : print_recipe(recipe));
    return;
  }
  if (writes(o)) {
    check_init(recipe, o);
    for (const std::string_view name : kFilesOfRun)
      cli::run_files().writes_own(fs::path(o.output) / name, "--output");
  }
  if (o.isa != "auto") kernels::set_isa(kernels::isa_of_name(o.isa));
  const Family& family = family_of(recipe.model);
  const TaskFiles files{.source_tokenizer = o.source_tokenizer,
                        .target_tokenizer = o.target_tokenizer,
                        .labels = o.labels,
                        .terms = o.terms,
                        .data = o.data,
                        .labels_as = value_of<LabelsAs>(o.labels_as).value_or(LabelsAs::unsaid)};
  complete(recipe, files);
  const std::unique_ptr<TaskModel> model = prepare(recipe, files);
  if (group) compare_ranks(*group, "other tokenizers or labels", print_recipe(recipe));
  train::Examples examples = train::read_examples({.data = o.data,
                                                   .validation = o.validation,
                                                   .allows_empty = o.allows_empty,
                                                   .is_quiet = o.is_quiet,
                                                   .ranks = group.get()},
                                                  recipe, *model, family.example);
  if (!o.test.empty())
    train::check_test_images(o.test, *model, examples, o.data.empty() ? "-" : o.data.front());
  model->parameters().allocate(true);
  const std::int64_t truncated =
      examples.data->truncated() + (examples.validation_data ? examples.validation_data->truncated() : 0);
  const std::string sizes = examples.sizes;
  const std::unique_ptr<Objective> objective =
      model->objective(std::move(examples.train), std::move(examples.validation));
  std::unique_ptr<RunDirectory> directory;
  if (writes(o) && ranks.rank == 0) {
    directory =
        std::make_unique<RunDirectory>(o.output, recipe, model->files(), log_header(log_columns(*objective)),
                                       o.overwrites ? ExistingRun::overwrite : ExistingRun::resume,
                                       [](const std::string& text) { cli::note(text); });
  }
  bool has_checkpoint = directory != nullptr && directory->has_checkpoint();
  if (group) has_checkpoint = any_of_ranks(*group, has_checkpoint);
  // Nothing of a run that is there can be changed.
  if (!has_checkpoint) {
    for (const std::string& sentence : model->notes()) cli::warn(sentence, o.is_quiet);
    for (const std::string& sentence : unused_rows(family, *model)) cli::warn(sentence, o.is_quiet);
  }
  TrainingOutcome outcome = TrainingOutcome::finished;
  ThreadPool(o.threads).run([&] {
    try {
      outcome = carry_out(
          {recipe, family, *model, *objective, directory.get(), truncated, sizes, ranks, has_checkpoint}, o);
    } catch (const UsageError& error) {
      throw UsageError(train::as_typed(error.what(), {{"drop", o.drop}, {"freeze", o.freeze}}));
    }
  });
  directory.reset();
  group.reset();
  if (outcome != TrainingOutcome::stopped) return;
  if (ranks.rank == 0) cli::note("saved; the same command resumes");
  cli::end_by_signal(stop_signal.load());  // so that who called sees which signal it was
}

}  // namespace

int main(int argc, char** argv) {
  return cli::tool_main<Options>(
      argc, argv,
      {.name = "train",
       .summary = "train, resume or time a model",
       .examples =
           "paste en.ids es.ids | train -r recipes/spa-eng.yaml --source-tokenizer en.json "
           "--target-tokenizer es.json "
           "-o models/spa-eng\n"
           "paste review.ids label.ids | train -r recipes/imdb-encoder.yaml --tokenizer en.json --labels "
           "labels.txt --labels-as ids -o models/imdb-encoder\n"
           "train -r digits.yaml -o models/digits data/cache/mnist/train.safetensors\n"
           "train -r recipes/spa-eng.yaml --set training.optimizer.learning_rate=1e-4 --print-recipe"},
      describe, run);
}
