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
#include "cli/tool.hpp"
#include "data/token_dataset.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/parallel.hpp"
#include "tasks/registry.hpp"
#include "tensor/kernels/isa.hpp"
#include "training/benchmark.hpp"
#include "training/summary.hpp"
#include "training/trainer.hpp"

namespace {

using namespace headwater;

struct Options {
  std::string recipe, scale = "full", output, validation, source_tokenizer, target_tokenizer, labels, terms,
                      isa = "auto";
  std::vector<std::string> data;
  int threads = 0;
  std::optional<std::uint64_t> seed;
  std::optional<std::int64_t> epochs;
  std::int64_t benchmark_steps = 0;
  bool is_dry_run = false, prints_recipe = false, overwrites = false, allows_empty = false, is_quiet = false;
};

void describe(cli::CommandLine& line, Options& o) {
  line.add_option(
      "data", o.data,
      "id lines with the columns of the recipe, separated by TABs; - is standard input; of images: "
      "files of vectorize --images");
  line.add_option("-r,--recipe", o.recipe, "the experiment, a YAML file").required();
  line.add_option("--scale", o.scale, "full, or quick: the recipe's cut-down version")
      .one_of({"full", "quick"})
      .with_default();
  line.add_option("--source-tokenizer,--tokenizer", o.source_tokenizer,
                  "tokenizer.json that made the source column");
  line.add_option("--target-tokenizer", o.target_tokenizer, "tokenizer.json that made the target column");
  line.add_option("--labels", o.labels, "of a classifier: the label set, from vectorize --learn labels");
  line.add_option("--terms", o.terms,
                  "of a bag of words: the terms, from vectorize --learn ngrams or tf-idf");
  line.add_option("--validation", o.validation,
                  "examples to validate on; without it a share of the data is held out by seed");
  line.add_option("-o,--output", o.output, "model directory; one that holds this run is resumed");
  line.add_flag("--overwrite", o.overwrites, "start anew in a directory that holds a run");
  line.add_option("--seed", o.seed, "instead of the recipe's");
  line.add_option("--epochs", o.epochs, "instead of the recipe's");
  line.add_flag("--allow-empty", o.allows_empty, "accept more than 1 % of examples with an empty column");
  line.add_flag("-n,--dry-run", o.is_dry_run,
                "check everything, print sizes and the memory of a step, train nothing");
  line.add_flag("--print-recipe", o.prints_recipe, "print the resolved recipe and end");
  line.add_option("--benchmark-steps", o.benchmark_steps,
                  "time this many steps, print tokens a second, write nothing");
  cli::add_isa_option(line, o.isa);
  cli::add_threads_option(line, o.threads);
  cli::add_quiet_option(line, o.is_quiet);
}

std::atomic<int> stop_signal{0};

// First signal: say so at once, and let the step end. Second: end now.
void on_signal(int number) {
  if (stop_signal.exchange(number) != 0) {
    std::signal(number, SIG_DFL);
    std::raise(number);
    return;
  }
  constexpr char kMessage[] = "\ntrain: stopping after this step and saving; once more to end at once\n";
  [[maybe_unused]] const ssize_t ignored = write(STDERR_FILENO, kMessage, sizeof kMessage - 1);
}

std::unique_ptr<Dataset> read_dataset(const std::vector<std::string>& paths, const TaskModel& task,
                                      bool allows_empty) {
  std::unique_ptr<Dataset> dataset = task.new_dataset();
  if (dataset->reads_lines()) {
    cli::LineReader reader(paths);
    for (std::string_view line; reader.next(line);) dataset->add_line(line, reader.place());
  } else {
    for (const std::string& path : paths) dataset->add_file(path);
  }
  dataset->finish(paths.empty() ? "-" : paths.front(), allows_empty);
  return dataset;
}

void report(const Dataset& dataset, const std::string& what, bool is_quiet) {
  if (is_quiet) return;
  std::string text = format_count(dataset.examples()) + " " + what;
  if (dataset.skipped() > 0) text += "; " + format_count(dataset.skipped()) + " with an empty side skipped";
  if (dataset.truncated() > 0)
    text += "; " + format_count(dataset.truncated()) + " lines truncated to the model's length";
  cli::note(text);
}

// The rest of `count` examples, ascending.
std::vector<std::uint32_t> all_but(const std::vector<std::uint32_t>& held_out, std::size_t count) {
  std::vector<std::uint32_t> rest;
  rest.reserve(count - held_out.size());
  std::size_t at = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (at < held_out.size() && held_out[at] == i) {
      ++at;
    } else {
      rest.push_back(i);
    }
  }
  return rest;
}

// What is trained on and what is validated on: two data sets, or one of which a share is held out by seed.
struct Examples {
  std::unique_ptr<Dataset> data, validation_data;
  Subset train, validation;
};

Examples read_examples(const Options& o, const Recipe& recipe, const TaskModel& task, std::string_view what) {
  Examples e;
  e.data = read_dataset(o.data, task, o.allows_empty);
  e.train.dataset = e.validation.dataset = e.data.get();
  if (!o.validation.empty()) {
    e.validation_data = read_dataset({o.validation}, task, o.allows_empty);
    e.validation.dataset = e.validation_data.get();
    report(*e.data, "training " + std::string(what), o.is_quiet);
    report(*e.validation_data, "validation " + std::string(what), o.is_quiet);
    return e;
  }
  const auto count = static_cast<std::size_t>(e.data->examples());
  e.validation.indices = split_by_seed(count, recipe.data.validation_fraction, recipe.seed);
  e.train.indices = all_but(e.validation.indices, count);
  e.train.is_all = e.validation.is_all = false;
  report(*e.data,
         "training and " + std::to_string(e.validation.indices.size()) + " of them held-out validation " +
             std::string(what),
         o.is_quiet);
  return e;
}

std::string validated(const ValidationFigures& v, std::span<const std::string_view> figure_names) {
  if (v.predicted == 0) return "nothing to validate on";
  std::string text =
      "validation loss " + format_fixed(v.mean_loss(), 4) + " accuracy " + format_fixed(v.accuracy(), 4);
  for (std::size_t i = 0; i < v.figures.size(); ++i) {
    if (v.figures[i]) text += " " + std::string(figure_names[i]) + " " + format_fixed(*v.figures[i], 4);
  }
  if (v.positions == v.predicted) return text;
  return text + " (over padded positions " + format_fixed(v.reference_loss(), 4) + ", " +
         format_fixed(v.reference_accuracy(), 4) + ")";
}

void note_epoch(const EpochReport& r, std::span<const std::string_view> figure_names) {
  cli::note(
      "epoch " + std::to_string(r.epoch) + "/" + std::to_string(r.epochs) + ": loss " +
      format_fixed(r.training.mean_loss(), 4) + ", " + validated(r.validation, figure_names) + ", " +
      format_fixed(r.seconds, 1) + " s, " + format_count(static_cast<std::int64_t>(r.tokens_per_second)) +
      " tokens/s" + (r.is_best ? ", best so far" : "") +
      (r.stops_early ? "; stopping early: no better value for as many epochs as the recipe allows" : ""));
}

// Trains until done or stopped.
TrainingOutcome train(Trainer& trainer, std::span<const std::string_view> figure_names, const Options& o) {
  cli::Progress progress("train", static_cast<double>(trainer.total_steps()), "tokens", o.is_quiet);
  double tokens = 0;
  TrainerCallbacks callbacks;
  callbacks.on_resume = [&](std::int64_t step) {
    if (!o.is_quiet) cli::note("resuming at step " + format_count(step));
  };
  callbacks.after_step = [&](const StepReport& r) {
    tokens += static_cast<double>(r.useful_tokens);
    progress.update(static_cast<double>(r.step), tokens,
                    "epoch " + std::to_string(r.epoch) + "/" + std::to_string(r.epochs) + " loss " +
                        format_fixed(r.loss, 4));
  };
  callbacks.after_epoch = [&](const EpochReport& r) {
    progress.clear();
    if (!o.is_quiet) note_epoch(r, figure_names);
  };
  callbacks.wants_stop = [] { return stop_signal.load() != 0; };
  return trainer.run(callbacks);
}

Recipe recipe_of(const Options& o) {
  Recipe recipe = read_recipe(o.recipe, o.scale);
  if (o.seed) recipe.seed = *o.seed;
  if (o.epochs) {
    if (*o.epochs < 1) throw UsageError("--epochs is " + std::to_string(*o.epochs) + ", expected 1 or more");
    recipe.training.epochs = *o.epochs;
  }
  return recipe;
}

bool writes(const Options& o) { return !o.is_dry_run && o.benchmark_steps == 0; }

void catch_signals() {
  std::signal(SIGPIPE, SIG_IGN);  // a closed stderr ends messages, not the run
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes is an error like a full disk
  for (const int number : {SIGINT, SIGTERM}) std::signal(number, on_signal);
  if (std::signal(SIGHUP, on_signal) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);  // under nohup
}

// The default handler ends the program, so that who called it sees which signal it was.
void end_by_signal() {
  cli::note("saved; the same command resumes");
  const int number = stop_signal.load();
  std::signal(number, SIG_DFL);
  std::raise(number);
}

// What is trained, and what it needs while it is.
struct Run {
  const Recipe& recipe;
  const Task& kind;
  TaskModel& model;
  Objective& objective;
  RunDirectory* directory;  // null where nothing is written
};

TrainingOutcome carry_out(const Run& run, const Options& o) {
  Trainer trainer(run.recipe, run.objective, run.directory);
  const std::size_t arena_bytes = trainer.warm_up();
  if (o.is_dry_run) {
    cli::LineWriter().text(describe_run(run.recipe, run.model.parameters(), trainer, arena_bytes));
    return TrainingOutcome::finished;
  }
  if (o.benchmark_steps > 0) {
    cli::LineWriter().text(benchmark_steps(trainer, o.benchmark_steps));
    return TrainingOutcome::finished;
  }
  catch_signals();
  const TrainingOutcome outcome = train(trainer, run.objective.figure_names(), o);
  if (outcome == TrainingOutcome::stopped) return outcome;
  cli::LineWriter().text(table_of_expectations(run.recipe, o.output, run.model.parameters()));
  if (!o.is_quiet)
    cli::note("finished at step " + format_count(trainer.state().step) +
              "; next: " + std::string(run.kind.next_tool()) + " " + o.output);
  return outcome;
}

void run(const Options& o) {
  const Recipe recipe = recipe_of(o);
  if (o.prints_recipe) {
    cli::LineWriter().text(print_recipe(recipe));
    return;
  }
  if (o.validation == "-" && (o.data.empty() || std::count(o.data.begin(), o.data.end(), "-") > 0))
    throw UsageError("--validation -: standard input holds the training data (name a file)");
  if (writes(o) && o.output.empty()) throw UsageError("--output is missing (the model directory to write)");
  if (o.isa != "auto") kernels::set_isa(kernels::isa_of_name(o.isa));
  const Task& kind = task_of(recipe.model);
  const std::unique_ptr<TaskModel> model = kind.prepare(recipe, {.source_tokenizer = o.source_tokenizer,
                                                                 .target_tokenizer = o.target_tokenizer,
                                                                 .labels = o.labels,
                                                                 .terms = o.terms});
  Examples examples = read_examples(o, recipe, *model, kind.examples());
  model->parameters().allocate(true);
  const std::unique_ptr<Objective> objective =
      model->objective(std::move(examples.train), std::move(examples.validation));
  std::unique_ptr<RunDirectory> directory;
  if (writes(o)) {
    directory = std::make_unique<RunDirectory>(o.output, recipe, model->files(), objective->figure_names(),
                                               o.overwrites ? ExistingRun::overwrite : ExistingRun::resume,
                                               [](const std::string& text) { cli::note(text); });
  }
  TrainingOutcome outcome = TrainingOutcome::finished;
  ThreadPool(o.threads).run([&] {
    outcome = carry_out({recipe, kind, *model, *objective, directory.get()}, o);
  });
  directory.reset();
  if (outcome == TrainingOutcome::stopped) end_by_signal();
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
           "labels.txt -o models/imdb-encoder\n"
           "train -r digits.yaml -o models/digits data/cache/mnist/train.safetensors\n"
           "train -r recipes/spa-eng.yaml --print-recipe"},
      describe, run);
}
