// What the commands of headwater share: their options, and where recipes and programs are.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/options.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

namespace headwater::front {

struct Options {
  std::string command;
  std::vector<std::string> words, arrays;
  std::map<std::string, std::string> places;  // of words that stand in a list: "methods.runs:3: "
  int jobs = 1;
  std::string scale = "full", models = "models", data;
  std::optional<std::uint64_t> seed;
  std::optional<std::int64_t> threads;
  bool overwrites = false, allows_empty = false, is_quiet = false, is_script = false, is_all = false;
  fs::path output;
};

void run_recipe(const Options& o);
void list_recipes(const Options& o);
void write_starter(const Options& o);

std::vector<std::string_view> starter_kinds();

// Where recipes and data scripts lie, and the programs that stages call by their own names.
struct House {
  fs::path root;            // has recipes/ and data/; empty: the current folder
  fs::path programs;        // has tokenize, train, ...
  bool is_of_make = false;  // whether the Makefile of the clone has called
  fs::path recipe(std::string_view name) const { return root / "recipes" / (std::string(name) + ".yaml"); }
  std::vector<std::string> names() const;  // of the recipes, sorted
  fs::path list(std::string_view name) const { return root / "recipes" / (std::string(name) + ".runs"); }
  std::vector<std::string> lists() const;  // of recipes, sorted
};

// By where this program lies: PREFIX/bin of an installation, build/bin of a clone. The Makefile of a clone
// says with the variable HEADWATER_MAKE that it is the current folder. Throws Error where there are no
// recipes beside it.
House find_house();

// What was typed as a recipe: a word without "/" and "." is a name.
bool is_name(std::string_view word);
// Whether it names one: of ours, or a file FILE.yaml.
bool is_recipe(const std::string& word);

// Puts the recipes and keys of a list in place of its name or file, the first word of a command. The number
// of the recipes; 0: it is no list. A key that the command sets as well is the command's.
std::size_t expand_list(const House& house, Options& o);

// What `work` finds wrong with a word of a list begins with its place there.
template <class Work>
auto at_place(const Options& o, const std::string& word, const Work& work) {
  try {
    return work();
  } catch (const UsageError& error) {
    const auto place = o.places.find(word);
    if (place == o.places.end()) throw;
    throw UsageError(place->second + error.what());
  }
}

}  // namespace headwater::front
