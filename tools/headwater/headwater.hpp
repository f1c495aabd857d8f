// What the commands of headwater share: their options, where recipes and programs are, and the runs of make.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/options.hpp"
#include "support/files.hpp"

namespace headwater::front {

struct Options {
  std::string command;
  std::vector<std::string> words, arrays;
  int jobs = 1;
  std::string scale = "full", models = "models", data;
  std::optional<std::uint64_t> seed;
  std::optional<std::int64_t> threads;
  bool overwrites = false, allows_empty = false, is_quiet = false;
  fs::path output;
};

void run_recipe(const Options& o);
void list_recipes(const Options& o);
void write_starter(const Options& o);

std::vector<std::string_view> starter_kinds();

// Where recipes, data scripts and stages.mk lie, and the programs that they call by their own names.
struct House {
  fs::path root;      // has recipes/ and data/
  fs::path programs;  // has tokenize, train, ...
  fs::path stages() const { return root / "recipes" / "stages.mk"; }
  fs::path recipe(std::string_view name) const { return root / "recipes" / (std::string(name) + ".yaml"); }
  std::vector<std::string> names() const;  // of the recipes, sorted
  fs::path list(std::string_view name) const { return root / "recipes" / (std::string(name) + ".runs"); }
  std::vector<std::string> lists() const;  // of recipes, sorted
};

// By where this program lies: PREFIX/bin of an installation, build/bin of a clone.
// Throws Error where there are no recipes beside it.
House find_house();

// What was typed as a recipe: a word without "/" and "." is a name.
bool is_name(std::string_view word);
// Whether it names one: of ours, or a file FILE.yaml.
bool is_recipe(const std::string& word);

// Puts the recipes and keys of a list in place of its name or file, the first word of a command; false: it is
// none. A key that the command sets as well is the command's.
bool expand_list(const House& house, Options& o);

// How a child process ended.
struct Ended {
  int status = 0, signal = 0;  // one of the two
  bool is_good() const { return status == 0 && signal == 0; }
};

// Programs that run beside this one. A signal that should end this program goes to all of them and all that
// they have started; it ends when they have. Those of a terminal do not reach them in another way: each is a
// group of its own.
class Children {
 public:
  Children();
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;
  ~Children() = default;
  // Without a shell. Its standard input is empty; standard output and error go to `log` where there is one.
  // The number of the child. Throws Error where it cannot be started.
  int start(const std::vector<std::string>& arguments, const fs::path& log = {});
  // The next one that ends, and its number.
  std::pair<int, Ended> wait();
  // Ends this program by the signal that came, if one did.
  static void end_if_told();
  static bool is_told();
};

}  // namespace headwater::front
