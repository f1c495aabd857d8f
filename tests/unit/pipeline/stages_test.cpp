// Which stages a recipe has, by its task: what they make, and of what.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "error_text.hpp"
#include "families/registry.hpp"
#include "pipeline/experiment.hpp"

using namespace headwater;

namespace {

Experiment experiment_of(const std::string& recipe) {
  Experiment e;
  e.recipe = parse_recipe(recipe, "r.yaml", model_kinds(), "full");
  e.files = files_of_recipe(e.recipe);
  e.recipe_file = "r.yaml";
  e.bin = "bin";
  e.data = "data";
  e.run = "run";
  e.prepared = "prep";
  return e;
}

std::string names_of(const std::vector<Stage>& stages) {
  std::string names;
  for (const Stage& stage : stages) {
    for (const fs::path& output : stage.outputs) names += (names.empty() ? "" : " ") + output.string();
  }
  return names;
}

std::string text_of_stage(const std::vector<Stage>& stages, const std::string& output) {
  const auto at =
      std::ranges::find_if(stages, [&](const Stage& stage) { return stage.outputs.front() == output; });
  REQUIRE(at != stages.end());
  return text_of(*at, Shell());
}

// Every input of a stage is made by one before it.
void check_order(const Experiment& e) {
  std::vector<fs::path> made;
  std::vector<Stage> all = line_stages(e);
  for (const Stage& stage : prepared_stages(e)) all.push_back(stage);
  const RunStages of_run = run_stages(e);
  for (const Stage* const stage : of_run.all()) all.push_back(*stage);
  for (const Stage& stage : all) {
    for (const fs::path& input : stage.inputs) {
      CAPTURE(input.string());
      CHECK(std::ranges::find(made, input) != made.end());
    }
    made.insert(made.end(), stage.outputs.begin(), stage.outputs.end());
  }
}

}  // namespace

TEST_CASE("the stages of a translator") {
  const Experiment e = experiment_of(
      "data: {train: a/train.tsv, validation: a/val.tsv, test: a/test.tsv, columns: [source, target]}\n"
      "decoding: {num_beams: 4}\ntraining: {checkpoint: {keep: 3}}\n");
  check_order(e);
  CHECK(names_of(line_stages(e)) == "prep/lines/a/test.tsv prep/lines/a/train.tsv prep/lines/a/val.tsv");
  CHECK(names_of(prepared_stages(e)) ==
        "prep/source.json prep/target.json prep/train.tsv prep/validation.tsv prep/test.tsv "
        "prep/train.source.ids prep/train.target.ids prep/train.ids prep/validation.source.ids "
        "prep/validation.target.ids prep/validation.ids");
  CHECK(names_of(run_stages(e).scores) ==
        "run/test.sources run/test.references run/test.hypotheses run/test.standardized run/test.greedy "
        "run/test.mean-greedy run/test.mean-beam run/test.txt");
  CHECK(label_stage(e).outputs.empty());
  CHECK(e.ways() == 3);
  CHECK(text_of_stage(prepared_stages(e), "prep/train.target.ids") ==
        "bin/tokenize --tokenizer prep/target.json --column 2 prep/train.tsv | bin/vectorize --tokenizer "
        "prep/target.json --recipe run/recipe.yaml --side target > prep/train.target.ids\n");
  CHECK(Shell().text(run_stages(e).training.commands.front()) ==
        "bin/train --recipe run/recipe.yaml --source-tokenizer prep/source.json --target-tokenizer "
        "prep/target.json --validation prep/validation.ids -o run/model prep/train.ids > run/table.txt");
}

TEST_CASE("options go to the programs that they are of") {
  Experiment e = experiment_of("data: {train: t.tsv, test: u.tsv, columns: [source, target]}\n");
  e.threads = 3;
  e.is_quiet = e.overwrites = e.allows_empty = true;
  const RunStages stages = run_stages(e);
  CHECK(Shell().text(stages.training.commands.front()) ==
        "bin/train --quiet --recipe run/recipe.yaml --source-tokenizer prep/source.json --target-tokenizer "
        "prep/target.json -o run/model --overwrite --allow-empty --threads 3 prep/train.ids > run/table.txt");
  CHECK(Shell().text(stages.plan.commands.front()).find("--overwrite") == std::string::npos);
  CHECK(text_of_stage(stages.scores, "run/test.hypotheses") ==
        "bin/translate --quiet run/model --threads 3 run/test.sources > run/test.hypotheses\n");
}

TEST_CASE("the stages of a classifier that holds out its test and reads it in other orders") {
  const Experiment e = experiment_of(
      "data: {train: t.tsv, columns: [label, source], test_fraction: 0.1, validation_fraction: 0.1, "
      "test_orders: [reversed], train_examples: 50}\nmodel: {kind: classifier}\n");
  check_order(e);
  CHECK(names_of(line_stages(e)) == "prep/lines/t.tsv prep/split/train.tsv prep/split/test.tsv");
  CHECK(text_of_stage(line_stages(e), "prep/split/train.tsv") ==
        "bin/vectorize --split prep/split/test.tsv --column 1 --validation-fraction 0.1 -o "
        "prep/split/train.tsv prep/lines/t.tsv\n");
  CHECK(names_of({label_stage(e)}) == "run/labels.checked");
  CHECK(names_of(prepared_stages(e)) ==
        "prep/source.json prep/labels.txt prep/train.tsv prep/test.tsv prep/train.label.ids "
        "prep/train.source.ids prep/train.ids");
  CHECK(text_of_stage(prepared_stages(e), "prep/train.tsv").starts_with("awk -v wanted=50 "));
  CHECK(names_of(run_stages(e).scores) == "run/test.txt run/test.reversed.txt");
}

TEST_CASE("the stages of a bag of words, of CSV and with a text of its own for the tokenizer") {
  const Experiment e = experiment_of(
      "data: {train: t.csv, columns: [source, label], csv_columns: [a, b], tokenizer_text: w.csv}\n"
      "model: {kind: bag_of_words}\n");
  check_order(e);
  CHECK(names_of(line_stages(e)) == "prep/csv/t.csv.tsv prep/csv/w.csv.tsv");
  CHECK(line_stages(e).front().advice.starts_with("to read it with other options make the lines yourself "));
  CHECK(
      text_of_stage(prepared_stages(e), "prep/terms.tsv") ==
      "cut -f1 prep/csv/w.csv.tsv | bin/tokenize --tokenizer prep/source.json | bin/vectorize --learn ngrams "
      "--recipe run/recipe.yaml -o prep/terms.tsv\n");
  CHECK(text_of_stage(prepared_stages(e), "prep/train.source.ids") ==
        "bin/tokenize --tokenizer prep/source.json --column 1 prep/train.tsv | bin/vectorize --terms "
        "prep/terms.tsv --recipe run/recipe.yaml > prep/train.source.ids\n");
}

TEST_CASE("the stages of language models") {
  const Experiment blocks = experiment_of(
      "data: {train: t.txt, test: u.txt, columns: [source], examples: blocks}\nmodel: {kind: "
      "language_model}\n");
  check_order(blocks);
  CHECK(names_of(prepared_stages(blocks)) ==
        "prep/source.json prep/train.tsv prep/test.tsv prep/train.safetensors");
  CHECK(names_of(run_stages(blocks).scores) == "run/test.txt");
  const Experiment summaries = experiment_of(
      "data: {train: t.tsv, test: u.tsv, columns: [source, target], summaries: true}\n"
      "model: {kind: language_model, delimiter: \"[SEP]\"}\n");
  check_order(summaries);
  CHECK(names_of(prepared_stages(summaries)).starts_with("prep/tokenizer.json "));  // one for both columns
  CHECK(names_of(run_stages(summaries).scores) ==
        "run/test.sources run/test.references run/test.hypotheses run/test.beam run/test.txt");
}

TEST_CASE("the stages of a model of images: train reads its files as they are") {
  const Experiment e = experiment_of(
      "data: {train: a.safetensors, test: b.safetensors}\n"
      "model: {kind: vision, image_height: 4, image_width: 4, patch_size: 2}\n");
  check_order(e);
  CHECK(line_stages(e).empty());
  CHECK(prepared_stages(e).empty());
  CHECK(e.prepared_files().empty());
  CHECK(Shell().text(run_stages(e).training.commands.front()) ==
        "bin/train --recipe run/recipe.yaml --test data/b.safetensors -o run/model data/a.safetensors > "
        "run/table.txt");
  CHECK(names_of(run_stages(e).scores) == "run/test.txt");
}

TEST_CASE("a run that begins with a model has its tokenizers, a file or the folder of a published one") {
  Experiment e = experiment_of("data: {train: t.tsv, columns: [source, label]}\nmodel: {kind: classifier}\n");
  e.given = {"source.json"};
  CHECK(names_of(prepared_stages(e)).starts_with("prep/labels.txt "));
  e.given = {"model"};
  e.tokenizer_folder = "prep/model";
  CHECK(text_of_stage(prepared_stages(e), "prep/train.source.ids").find("--tokenizer prep/model ") !=
        std::string::npos);
}

TEST_CASE("a set that is split anew for each seed has a folder a seed") {
  Recipe recipe = parse_recipe(
      "seed: 3\ndata: {set: imdb, split: seed, train: imdb/train.tsv, tokenizer_text: other/t.tsv}\n",
      "r.yaml", model_kinds(), "full");
  const RecipeFiles files = files_of_recipe(recipe);
  CHECK(files.train == "imdb-seed-3/train.tsv");
  CHECK(files.tokenizer_text == "other/t.tsv");
  CHECK(files.of_set("imdb") == std::vector<std::string>{"imdb-seed-3/train.tsv"});
  CHECK(files.split_seed == 3);
  recipe.data.train.clear();
  CHECK(error_text([&] { (void)files_of_recipe(recipe); }) ==
        "data.train: the recipe names no training examples (write train: FILE)");
}

TEST_CASE("the name of what is prepared follows from what is prepared alone") {
  const std::string data = "data: {train: t.tsv, columns: [source, label], train_examples: ";
  const auto name = [&](const std::string& more) {
    return preparation_of(parse_recipe(data + more, "r.yaml", model_kinds(), "full"));
  };
  const std::string first = name("9}\nmodel: {kind: classifier, length: 8}\n");
  CHECK(name("9, validation_fraction: 0.3}\nmodel: {kind: classifier, length: 8, width: 8, heads: 2}\n"
             "training: {epochs: 2}\n") == first);
  CHECK(name("8}\nmodel: {kind: classifier, length: 8}\n") != first);
  CHECK(name("9}\nmodel: {kind: classifier, length: 9}\n") != first);
  CHECK(name("9}\nmodel: {kind: classifier, length: 8}\nsource_tokenizer: {size: 9}\n") != first);
  CHECK(name("9}\nmodel: {kind: bag_of_words}\n") != first);
}
