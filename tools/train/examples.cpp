#include "tools/train/train.hpp"

#include <algorithm>
#include <cstdint>

#include "checkpoint/safetensors.hpp"
#include "cli/lines.hpp"
#include "cli/tool.hpp"
#include "data/held_out.hpp"
#include "data/image_dataset.hpp"
#include "data/token_dataset.hpp"
#include "families/train_task.hpp"
#include "support/bytes.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"

namespace headwater::train {

namespace {

std::unique_ptr<Dataset> read_dataset(const std::vector<std::string>& paths, const TaskModel& task,
                                      const ExampleFiles& files) {
  std::unique_ptr<Dataset> dataset = task.new_dataset();
  const bool has_file = std::any_of(paths.begin(), paths.end(),
                                    [](const std::string& path) { return begins_as_safetensors(path); });
  const bool are_lines = dataset->reads_lines() && !(dataset->reads_files() && has_file);
  if (files.ranks != nullptr) compare_ranks(*files.ranks, "other examples", are_lines ? "lines" : "files");
  if (are_lines) {
    for (const std::string& path : paths) {
      if (begins_as_safetensors(path))
        throw Error(shown(path) +
                    ": a safetensors file, where lines of sentences are wanted (vectorize writes them "
                    "without --output "
                    "dataset)");
    }
    cli::LineReader reader(paths);
    reader.show_progress(files.is_quiet, cli::LineReader::Writes::at_the_end);
    for (std::string_view line; reader.next(line);) dataset->add_line(line, reader.place());
    if (!files.is_quiet) reader.note_dropped();
  } else {
    std::string hash;
    if (files.ranks != nullptr && files.ranks->rank() > 0) {
      broadcast_all(*files.ranks, hash);
      dataset->know_hash(hash);
    }
    for (const std::string& path : paths) dataset->add_file(path);
    if (files.ranks != nullptr && files.ranks->rank() == 0) {
      hash = dataset->hash();
      broadcast_all(*files.ranks, hash);
    }
  }
  dataset->advise_on_empty_columns("--allow-empty leaves them out");
  dataset->finish(paths.empty() ? "-" : paths.front(), files.allows_empty);
  return dataset;
}

// One line; the page of the run keeps what was left out or cut of `part`: "training data".
void report(const Dataset& dataset, std::string text, const std::string& part, bool is_quiet) {
  const auto add = [&](const std::string& what) {
    text += "; " + what;
    cli::warn(part + ": " + what, true);
  };
  if (dataset.skipped() > 0) add(format_count(dataset.skipped()) + " with an empty side skipped");
  if (dataset.truncated() > 0) add(counted(dataset.truncated(), "line") + " truncated to the model's length");
  if (const std::string unknown = cli::unknown_tokens(dataset.token_counts()); !unknown.empty()) add(unknown);
  if (!is_quiet) cli::note(text);
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

// So many of the images to learn from, spread evenly; lines are as many as the recipe's stages make them.
void take_some(const Recipe& recipe, Subset& train) {
  const auto wanted = static_cast<std::size_t>(recipe.data.train_examples), count = train.count();
  const bool are_images = dynamic_cast<const ImageDataset*>(train.dataset) != nullptr;
  if (!are_images || wanted == 0 || wanted >= count) return;
  std::vector<std::uint32_t> some;
  for (std::size_t i = 0; i < count; ++i) {
    if ((i + 1) * wanted / count > i * wanted / count)
      some.push_back(static_cast<std::uint32_t>(train.at(static_cast<std::uint32_t>(i))));
  }
  train.indices = std::move(some);
  train.is_all = false;
}

// A translator of so few learns them, and no language.
void warn_of_few(const Subset& train, std::string_view example, bool is_quiet) {
  constexpr std::size_t kFew = 100;
  if (example != "pair" || train.count() >= kFew) return;
  cli::warn("only " + counted(static_cast<std::int64_t>(train.count()), "training pair") +
                ": the model learns them by heart (a translator needs thousands)",
            is_quiet);
}

// Examples of the same ids in the column source go to one side.
std::vector<std::uint32_t> split_by_source(const Dataset& dataset, const Recipe& recipe) {
  const auto* const columns = dynamic_cast<const TokenDataset*>(&dataset);
  if (columns == nullptr) throw UsageError("data.split_by: source is for examples of lines");
  const std::size_t source = columns->column("source");
  std::vector<std::uint64_t> keys;
  for (std::int64_t i = 0; i < columns->examples(); ++i)
    keys.push_back(split_key(raw_bytes(columns->ids(source, i)), recipe.seed));
  const std::vector<std::uint32_t> one_group(keys.size());
  return split_by_text(keys, one_group, recipe.data.validation_fraction);
}

}  // namespace

Examples read_examples(const ExampleFiles& files, const Recipe& recipe, const TaskModel& task,
                       std::string_view example) {
  Examples e;
  e.data = read_dataset(files.data, task, files);
  e.train.dataset = e.validation.dataset = e.data.get();
  if (!files.validation.empty()) {
    e.validation_data = read_dataset({files.validation}, task, files);
    e.validation.dataset = e.validation_data.get();
    take_some(recipe, e.train);
    const std::string learned = counted(static_cast<std::int64_t>(e.train.count()),
                                        "training " + std::string(example)),
                      validated =
                          counted(e.validation_data->examples(), "validation " + std::string(example));
    report(*e.data, learned, "training data", files.is_quiet);
    report(*e.validation_data, validated, "validation data", files.is_quiet);
    e.sizes = learned + ", " + validated;
    warn_of_few(e.train, example, files.is_quiet);
    return e;
  }
  const std::size_t count = e.data->examples();
  const bool is_by_source = recipe.data.split_by == SplitBy::source && recipe.data.validation_fraction > 0;
  e.validation.indices = is_by_source ? split_by_source(*e.data, recipe)
                                      : split_by_seed(count, recipe.data.validation_fraction, recipe.seed);
  e.train.indices = all_but(e.validation.indices, count);
  e.train.is_all = e.validation.is_all = false;
  take_some(recipe, e.train);
  e.sizes = counted(static_cast<std::int64_t>(e.train.indices.size()), "training " + std::string(example)) +
            ", " + format_count(static_cast<std::int64_t>(e.validation.indices.size())) +
            " held out for validation";
  report(*e.data, e.sizes, "data", files.is_quiet);
  warn_of_few(e.train, example, files.is_quiet);
  return e;
}

void check_test_images(const std::string& path, const TaskModel& task, const Examples& examples,
                       const std::string& learned_from) {
  const auto* const learned = dynamic_cast<const ImageDataset*>(examples.data.get());
  if (learned == nullptr)
    throw UsageError(
        "--test is for images (the labels of texts: vectorize --learn labels with --check FILE)");
  const std::unique_ptr<Dataset> test = task.new_dataset();
  test->add_file(path);
  test->finish(path, false);
  const auto& images = dynamic_cast<const ImageDataset&>(*test);
  images.check_reading(learned->reading() ? learned->reading()->reading : ImageReading(), path,
                       "those of " + learned_from);
  if (images.label_names() == learned->label_names()) return;
  throw Error(path + ": its labels are not those of " + learned_from +
              " (make it by vectorize --images with --labels " + learned_from + ")");
}

}  // namespace headwater::train
