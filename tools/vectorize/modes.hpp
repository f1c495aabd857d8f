// vectorize is several programs in one. Each is a mode: an option asks for it, and a file has its options and
// its work.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.hpp"

namespace headwater::vectorize {

struct Options;

enum class Mode {
  split,
  csv,
  images,
  learn_labels,
  learn_terms,
  bags,
  label_ids,
  blocks,
  id_file,
  columns,
  ids
};

// The options that are not of every mode.
class ModeOptions {
 public:
  // Once the line has all options.
  void find(cli::CommandLine& line);
  bool is_given(std::string_view name) const;
  // Throws UsageError "--stride goes with --block only, not with --terms" for an option of another mode;
  // without a mode for any.
  void check(std::optional<Mode> mode) const;
  // In --help only the options of these modes are shown.
  void show_only(const std::vector<Mode>& modes);

 private:
  struct Entry {
    std::string_view name;
    cli::Option option;
    std::vector<Mode> modes;
    std::string_view why;
  };
  std::vector<Entry> entries_;
};

struct ModeRow {
  Mode mode;
  std::string_view asked_by;  // as messages call it: "--learn labels"
  bool (*is_asked)(const Options&);
  std::string_view needs_output;  // what -o FILE is for, where it must be given; empty: it need not
  // What was not typed is taken from the recipe. Throws UsageError for what is missing or out of range.
  void (*resolve)(Options&, const ModeOptions&);
  void (*run)(const Options&);
};

// Modes by a word, the first of the command line: `vectorize labels --help` shows their options alone.
struct Command {
  std::string name, summary, examples = {};
  std::vector<Mode> modes = {};
  std::vector<std::string> words = {};  // that it stands for
};
// That of any mode, without a name, where there is none of this name.
const Command& find_command(std::string_view name);
std::string command_list();  // a line each, for --help
std::vector<std::string> command_names();

// Throws UsageError where none is asked for, or two are, and for options of other modes.
const ModeRow& resolve_mode(Options& o, const ModeOptions& typed);

}  // namespace headwater::vectorize
