// An experiment: a recipe, the folders, and what was asked for. And its stages, the commands that make some
// files of others. What is run, what is shown and what a script holds is the same text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "families/family.hpp"
#include "recipe/recipe.hpp"

namespace headwater {

namespace fs = std::filesystem;

// A word of a command line.
struct Word {
  enum class Kind {
    plain,     // an argument, whatever characters it has
    made,      // the same: a file that the command makes, which has another name until it is whole
    of_shell,  // as it stands: |, >, $(...)
  };
  Kind kind = Kind::plain;
  std::string text;
  Word(std::string word) : text(std::move(word)) {}
  Word(const char* word) : text(word) {}
  Word(const fs::path& path) : text(path.string()) {}
  Word(Kind of, std::string word) : kind(of), text(std::move(word)) {}
  bool operator==(const Word&) const = default;
};
using Words = std::vector<Word>;

inline Word made(const fs::path& file) { return {Word::Kind::made, file.string()}; }
inline Word sh(std::string text) { return {Word::Kind::of_shell, std::move(text)}; }

// A command line of words, and of lists of them.
template <class... Parts>
Words line(const Parts&... parts) {
  Words all;
  const auto add = [&all](const auto& part) {
    if constexpr (std::is_convertible_v<decltype(part), const Words&>) {
      all.insert(all.end(), part.begin(), part.end());
    } else {
      all.emplace_back(part);
    }
  };
  (add(parts), ...);
  return all;
}

// How words are written for bash. Paths in the folder of a variable are written with it: "$run"/train.ids.
class Shell {
 public:
  struct Variable {
    std::string name, value;
  };
  // Where a file that is made is written until it is whole.
  using Place = std::function<fs::path(const fs::path&)>;

  explicit Shell(Place place = {}, std::vector<Variable> variables = {})
      : place_(std::move(place)), variables_(std::move(variables)) {}
  std::string quoted(std::string_view word) const;
  std::string text(const Words& command) const;

 private:
  Place place_;
  std::vector<Variable> variables_;
};

struct Stage {
  std::vector<fs::path> outputs;  // the first one names what its programs warn of
  std::vector<fs::path> inputs;   // of the same run
  std::vector<Words> commands;    // one after the other, in one shell
  std::string advice = {};        // what to do where a command refuses
  bool keeps_messages = true;     // whether what its programs warn of is kept
};

// Its commands, a line each.
std::string text_of(const Stage& stage, const Shell& shell);

// What a recipe reads, below the data root. A set that is split anew for each seed has a folder a seed.
struct RecipeFiles {
  std::string train, validation, test, tokenizer_text;
  std::optional<std::uint64_t> split_seed;
  // The names of all of them, sorted, each once.
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
  fs::path teacher;                // of data.teacher
  std::int64_t threads = 0;
  bool is_quiet = false, overwrites = false, allows_empty = false, is_full_scale = true;

  fs::path own_recipe() const { return run / "recipe.yaml"; }
  fs::path model() const { return run / "model"; }
  fs::path plan() const { return run / "plan.txt"; }    // what train --dry-run says
  fs::path table() const { return run / "table.txt"; }  // what train prints
  fs::path hypotheses() const { return run / "test.hypotheses"; }
  bool has_columns() const;
  // The number of the column "source", "target" or "label", from 1; nothing where the examples have no such
  // column.
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
  fs::path part(std::string_view name) const;    // "train": its examples
  fs::path chosen(std::string_view name) const;  // the same, before a teacher has translated them
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
// Checks that the labels of the lines fit the model; has no outputs where there are no labels.
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

// --- Words that the stages have in common, for .cpp files --------------------------------------------------

inline constexpr std::string_view kTextColumns[] = {"source", "target"};

inline Words pipe_to() { return line(sh("|")); }
inline Words written_to(const fs::path& file) { return line(sh(">"), made(file)); }

class StageWords {
 public:
  explicit StageWords(const Experiment& e)
      : e_(e), quiet_(e.is_quiet ? line("--quiet") : Words{}), recipe_(line("--recipe", e.own_recipe())) {}

 protected:
  Word program(const char* name) const { return e_.bin / name; }
  std::string number(std::string_view column) const { return std::to_string(e_.field(column).value_or(0)); }
  Words cut(std::string_view column, const fs::path& file) const {
    return line("cut", "-f" + number(column), file);
  }
  // What makes ids of a column of a file; `of_tokens`: more options where they are those of tokens.
  Words ids(const std::string& column, const fs::path& file, const Words& of_tokens = {}) const;

  const Experiment& e_;
  Words quiet_, recipe_;

 private:
  Words text_lines() const;
};

}  // namespace headwater
