// train: learns a model from a recipe and id columns.
#include <CLI/CLI.hpp>
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
#include "data/pairs.hpp"
#include "models/model_directory.hpp"
#include "recipe/recipe.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/parallel.hpp"
#include "training/benchmark.hpp"
#include "training/summary.hpp"
#include "training/trainer.hpp"
#include "training/translation_objective.hpp"

namespace {

using namespace headwater;

struct Options {
  std::string recipe, scale = "full", output, validation, source_tokenizer, target_tokenizer, isa = "auto";
  std::vector<std::string> data;
  int threads = 0;
  std::optional<std::uint64_t> seed;
  std::optional<std::int64_t> epochs;
  std::int64_t benchmark_steps = 0;
  bool is_dry_run = false, prints_recipe = false, overwrites = false, allows_empty = false, is_quiet = false;
};

void describe(CLI::App& app, Options& o) {
  app.add_option("data", o.data, "id lines: source, TAB, target; - is standard input");
  app.add_option("-r,--recipe", o.recipe, "the experiment, a YAML file")->required();
  app.add_option("--scale", o.scale, "full, or quick: the recipe's cut-down version")
      ->check(CLI::IsMember({"full", "quick"}))
      ->capture_default_str();
  app.add_option("--source-tokenizer", o.source_tokenizer, "tokenizer.json that made the source column");
  app.add_option("--target-tokenizer", o.target_tokenizer, "tokenizer.json that made the target column");
  app.add_option("--validation", o.validation,
                 "id lines to validate on; without it a share of the data is held out by seed");
  app.add_option("-o,--output", o.output, "model directory; one that holds this run is resumed");
  app.add_flag("--overwrite", o.overwrites, "start anew in a directory that holds a run");
  app.add_option("--seed", o.seed, "instead of the recipe's");
  app.add_option("--epochs", o.epochs, "instead of the recipe's");
  app.add_flag("--allow-empty", o.allows_empty, "accept more than 1 % of pairs with an empty side");
  app.add_flag("-n,--dry-run", o.is_dry_run,
               "check everything, print sizes and the memory of a step, train nothing");
  app.add_flag("--print-recipe", o.prints_recipe, "print the resolved recipe and end");
  app.add_option("--benchmark-steps", o.benchmark_steps,
                 "time this many steps, print tokens a second, write nothing");
  cli::add_isa_option(app, o.isa);
  cli::add_threads_option(app, o.threads);
  cli::add_quiet_option(app, o.is_quiet);
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

Tokenizer load_side(const std::string& path, const char* option) {
  if (path.empty())
    throw UsageError(std::string(option) + " is missing (the tokenizer.json that made this column of ids)");
  return Tokenizer::load(path);
}

// The recipe's size is that of the tables; a small text may have fewer words.
void check_size(const Tokenizer& tokenizer, std::int64_t size, const std::string& path) {
  if (tokenizer.vocabulary_size() <= size) return;
  throw UsageError(path + ": " + std::to_string(tokenizer.vocabulary_size()) +
                   " tokens, the recipe has room for " + std::to_string(size) + " (learn it with --size " +
                   std::to_string(size) + ")");
}

IdColumns read_columns(const std::vector<std::string>& paths, const Recipe& recipe, const Tokenizer& source,
                       const Tokenizer& target, bool allows_empty) {
  const IdColumnSettings of_source{.name = "source",
                                   .vocabulary = source.vocabulary_size(),
                                   .most_ids = recipe.model.length,
                                   .vocabulary_hash = source.hash()},
      of_target{.name = "target",
                .vocabulary = target.vocabulary_size(),
                .most_ids = recipe.model.length + 1,
                .least_ids = 2,
                .first_id = target.start_id(),
                .vocabulary_hash = target.hash()};
  const bool is_source_first = recipe.data.columns.front() == of_source.name;
  IdColumns columns(is_source_first ? std::vector{of_source, of_target} : std::vector{of_target, of_source});
  cli::LineReader reader(paths);
  std::string_view line;
  while (reader.next(line)) columns.add_line(line, reader.place());
  columns.finish(paths.empty() ? "-" : paths.front(), allows_empty);
  return columns;
}

void report(const IdColumns& columns, const char* what, bool is_quiet) {
  if (is_quiet) return;
  std::string text = format_count(columns.examples()) + " " + what + " pairs";
  if (columns.skipped() > 0) text += "; " + format_count(columns.skipped()) + " with an empty side skipped";
  const std::int64_t cut = columns.cut(0) + columns.cut(1);
  if (cut > 0) text += "; " + format_count(cut) + " lines cut to the model's length";
  cli::note(text);
}

std::string validated(const LossTotals& v) {
  if (v.predicted == 0) return "nothing to validate on";
  return "validation loss " + format_fixed(v.mean_loss(), 4) + " accuracy " + format_fixed(v.accuracy(), 4) +
         " (over padded positions " + format_fixed(v.reference_loss(), 4) + ", " +
         format_fixed(v.reference_accuracy(), 4) + ")";
}

void note_epoch(const EpochReport& r) {
  cli::note("epoch " + std::to_string(r.epoch) + "/" + std::to_string(r.epochs) + ": loss " +
            format_fixed(r.training.mean_loss(), 4) + ", " + validated(r.validation) + ", " +
            format_fixed(r.seconds, 1) + " s, " +
            format_count(static_cast<std::int64_t>(r.tokens_per_second)) + " tokens/s" +
            (r.is_best ? ", best so far" : ""));
}

// Trains until done or stopped.
TrainingOutcome train(Trainer& trainer, const Options& o) {
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
    if (!o.is_quiet) note_epoch(r);
  };
  callbacks.wants_stop = [] { return stop_signal.load() != 0; };
  return trainer.run(callbacks);
}

void run(const Options& o) {
  Recipe recipe = read_recipe(o.recipe, o.scale);
  if (o.seed) recipe.seed = *o.seed;
  if (o.epochs) {
    if (*o.epochs < 1) throw UsageError("--epochs is " + std::to_string(*o.epochs) + ", expected 1 or more");
    recipe.training.epochs = *o.epochs;
  }
  if (o.prints_recipe) {
    cli::LineWriter().text(print_recipe(recipe));
    return;
  }
  if (o.validation == "-" && (o.data.empty() || std::count(o.data.begin(), o.data.end(), "-") > 0))
    throw UsageError("--validation -: standard input holds the training data (name a file)");
  const bool writes = !o.is_dry_run && o.benchmark_steps == 0;
  if (writes && o.output.empty()) throw UsageError("--output is missing (the model directory to write)");
  if (o.isa != "auto") kernels::set_isa(kernels::isa_of_name(o.isa));
  const Tokenizer source = load_side(o.source_tokenizer, "--source-tokenizer");
  const Tokenizer target = load_side(o.target_tokenizer, "--target-tokenizer");
  if (target.start_id() < 0 || target.end_id() < 0) {
    throw UsageError(o.target_tokenizer +
                     ": has no [START] and [END] (learn it with tokenize --learn ... --start-end)");
  }
  check_size(source, recipe.source_tokenizer.size, o.source_tokenizer);
  check_size(target, recipe.target_tokenizer.size, o.target_tokenizer);
  EncoderDecoder model(recipe.model, recipe.source_tokenizer.size, recipe.target_tokenizer.size);

  const IdColumns data = read_columns(o.data, recipe, source, target, o.allows_empty);
  TranslationObjective::Examples train_examples{.columns = &data, .indices = {}, .is_all = true},
      validation_examples;
  std::optional<IdColumns> validation;
  if (!o.validation.empty()) {
    validation.emplace(read_columns({o.validation}, recipe, source, target, o.allows_empty));
    validation_examples.columns = &*validation;
    report(data, "training", o.is_quiet);
    report(*validation, "validation", o.is_quiet);
  } else {
    train_examples.is_all = validation_examples.is_all = false;
    validation_examples.columns = &data;
    const auto count = static_cast<std::size_t>(data.examples());
    validation_examples.indices = split_by_seed(count, recipe.data.validation_fraction, recipe.seed);
    train_examples.indices.reserve(count - validation_examples.indices.size());
    std::size_t at = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (at < validation_examples.indices.size() && validation_examples.indices[at] == i) {
        ++at;
      } else {
        train_examples.indices.push_back(i);
      }
    }
    report(data,
           ("training and " + std::to_string(validation_examples.indices.size()) +
            " of them held-out validation")
               .c_str(),
           o.is_quiet);
  }

  model.parameters().allocate(true);
  TranslationObjective objective(model, train_examples, validation_examples, recipe.training.label_smoothing);
  std::unique_ptr<RunDirectory> directory;
  if (writes) {
    RunDirectory::Files files{
        {"config.json", config_of(model, source, target).dump(2) + "\n"},
        {"generation_config.json",
         generation_config_of(target, recipe.decoding.most_tokens > 0
                                          ? std::min(recipe.decoding.most_tokens, recipe.model.length)
                                          : recipe.model.length)
                 .dump(2) +
             "\n"},
        {"source-tokenizer.json", source.to_json()},
        {"target-tokenizer.json", target.to_json()}};
    directory = std::make_unique<RunDirectory>(o.output, recipe, std::move(files),
                                               o.overwrites ? ExistingRun::overwrite : ExistingRun::resume,
                                               [](const std::string& text) { cli::note(text); });
  }
  TrainingOutcome outcome = TrainingOutcome::finished;
  ThreadPool pool(o.threads);
  pool.run([&] {
    Trainer trainer(recipe, objective, directory.get());
    const std::size_t arena_bytes = trainer.warm_up();
    if (o.is_dry_run) {
      cli::LineWriter().text(describe_run(recipe, model.parameters(), trainer, arena_bytes));
      return;
    }
    if (o.benchmark_steps > 0) {
      cli::LineWriter().text(benchmark_steps(trainer, o.benchmark_steps));
      return;
    }
    std::signal(SIGPIPE, SIG_IGN);  // a closed stderr ends messages, not the run
    std::signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes is an error like a full disk
    for (const int number : {SIGINT, SIGTERM}) std::signal(number, on_signal);
    if (std::signal(SIGHUP, on_signal) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);  // under nohup
    outcome = train(trainer, o);
    if (outcome == TrainingOutcome::stopped) return;
    cli::LineWriter().text(table_of_expectations(recipe, o.output, model.parameters()));
    if (!o.is_quiet)
      cli::note("finished at step " + format_count(trainer.state().step) + "; next: translate " + o.output);
  });
  directory.reset();
  if (outcome == TrainingOutcome::stopped) {
    cli::note("saved; the same command resumes");
    const int number = stop_signal.load();
    std::signal(number, SIG_DFL);
    std::raise(number);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  return cli::tool_main(
      argc, argv,
      {.name = "train",
       .summary = "train, resume or time a model",
       .examples = "paste en.ids es.ids | train -r recipes/spa-eng.yaml --source-tokenizer en.json "
                   "--target-tokenizer es.json "
                   "-o models/spa-eng\n"
                   "train -r recipes/spa-eng.yaml --print-recipe"},
      [&o](CLI::App& app) { describe(app, o); }, [&o] { run(o); });
}
