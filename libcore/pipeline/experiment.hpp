// An experiment as its stages see it: a recipe, the folders, and what was asked for. And its stages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "families/family.hpp"
#include "pipeline/stage.hpp"
#include "recipe/recipe.hpp"

namespace headwater {

// What a recipe reads, below the data root. A set that is split anew for each seed has a folder a seed.
struct RecipeFiles {
  std::string train, validation, test, tokenizer_text;
  std::optional<std::uint64_t> split_seed;
  // Of all of them, sorted, each once.
  std::vector<std::string> all() const;
  // Those of them in the folders of a set.
  std::vector<std::string> of_set(std::string_view set) const;
  bool learns_from_train() const { return tokenizer_text.empty() || tokenizer_text == train; }
};
RecipeFiles files_of_recipe(const Recipe& recipe);

struct Experiment {
  Recipe recipe;
  RecipeFiles files;
  fs::path recipe_file;  // as its user named it
  fs::path house;        // has recipes/ and data/; empty: the current folder
  fs::path bin, data, run;
  fs::path prepared;               // what is made of the data before training
  std::vector<std::string> given;  // names there of what the model gave that the run begins with
  fs::path tokenizer_folder;       // of a published model that gave its tokenizer; empty: there are files
  std::int64_t threads = 0;
  bool is_quiet = false, overwrites = false, allows_empty = false, is_full_scale = true;

  fs::path own_recipe() const { return run / "recipe.yaml"; }
  fs::path model() const { return run / "model"; }
  fs::path plan() const { return run / "plan.txt"; }    // what train --dry-run says
  fs::path table() const { return run / "table.txt"; }  // what train prints
  fs::path hypotheses() const { return run / "test.hypotheses"; }
  bool has_columns() const;
  // Of "source", "target" or "label", from 1; nothing where the examples have no such column.
  std::optional<int> field(std::string_view column) const;
  bool reads_terms() const;
  bool is_stream() const;  // all lines are one text
  bool has_shared_tokenizer() const;
  Task task() const;
  // A file of the test, or lines that are held out.
  bool has_test() const { return !files.test.empty() || holds_out_test(); }
  bool holds_out_test() const { return has_columns() && recipe.data.test_fraction > 0; }
  // Lines with columns, checked, of a file or made of CSV; with held-out lines and without.
  fs::path whole_lines(const std::string& file) const;
  fs::path lines(const std::string& file) const;
  fs::path part(std::string_view name) const;  // "train": its examples
  fs::path tokenizer(std::string_view side) const;
  std::vector<fs::path> train_files() const;  // what train reads: examples, then those of validation
  // Made before training, and linked into the run's folder.
  std::vector<fs::path> prepared_files() const;
  // So many ways in which the texts of a test are written.
  int ways() const;
  Words writer() const;  // the program that writes them
  Words with_threads() const;
};

// Names what is made of the data before training: recipes that need the same lines, tokenizers and ids have
// the same name.
std::string preparation_of(const Recipe& recipe);

// What runs may share, in e.prepared: lines; then tokenizers, examples, ids.
std::vector<Stage> line_stages(const Experiment& e);
std::vector<Stage> prepared_stages(const Experiment& e);
// Of the lines: that their labels fit the model; without outputs where there are none.
Stage label_stage(const Experiment& e);

// The others.
struct RunStages {
  Stage plan;      // the memory and time of training
  Stage training;  // its table is what train prints
  std::vector<Stage> scores;
  Stage report;
  std::vector<const Stage*> all() const;
};
RunStages run_stages(const Experiment& e);

}  // namespace headwater
