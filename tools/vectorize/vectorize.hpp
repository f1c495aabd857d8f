// vectorize is several programs in one. Each is a mode: an option asks for it, and a file has its options and
// its work.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/lines.hpp"
#include "cli/options.hpp"
#include "recipe/recipe.hpp"
#include "support/token_counts.hpp"
#include "text/tokenizer/tokenizer.hpp"
#include "tools/vectorize/images.hpp"

namespace headwater::vectorize {

struct Options;

enum class Mode {
  split,
  pairs,
  csv,
  images,
  learn_labels,
  learn_terms,
  bags,
  label_ids,
  blocks,
  id_file,
  columns,
  ids,
  shortlist
};

struct Command;

// The options that are not of every mode.
class ModeOptions {
 public:
  // Once the line has all options. Those that are not of the command are hidden from --help.
  void find(cli::CommandLine& line, const Command& command);
  bool is_given(std::string_view name) const;
  // Throws UsageError for an option that is not of the command.
  void check_command(const Command& command) const;
  // Throws UsageError "--stride goes with --block only, not with --terms" for an option of another mode of
  // the command; without a mode for any.
  void check_mode(const Command& command, std::optional<Mode> mode) const;

 private:
  struct Entry {
    std::string_view name;
    cli::Option option;
    std::vector<Mode> modes;
    std::string_view why;
    bool has_rule;
  };
  std::vector<Entry> entries_;
};

struct ModeRow {
  Mode mode;
  std::string_view asked_by;  // as messages call it: "--learn labels"
  bool (*is_asked)(const Options&);
  std::string_view needs_output;  // what -o FILE is for, where it must be given; empty: it need not
  // What was not typed is taken from the recipe. Throws UsageError for what is missing or out of range. May
  // be null.
  void (*resolve)(Options&, const ModeOptions&);
  void (*run)(const Options&);
};

// Modes by a word, the first of the command line: `vectorize labels --help` shows their options alone.
struct Command {
  std::string name, summary, operands, examples = {};
  std::vector<Mode> modes = {};
  std::string needs = {};  // an option that asks for one of them, where no other word does
  // The option that it stands for, which may be typed with this value all the same.
  std::string_view implied = {}, implied_value = {};
};
// That of any mode, without a name, where there is none of this name.
const Command& find_command(std::string_view name);
std::string command_list();  // a line each, for --help
std::vector<std::string> command_names();

// Throws UsageError where none is asked for, or two are, and for options of other modes.
const ModeRow& find_mode(const Options& o, const ModeOptions& typed);

enum class TokenOrder { reversed, shuffled };

inline constexpr std::int64_t kMaxLength = 0x7FFFFFFF;  // also of a model that reads any number of ids

struct Options {
  const Command* command = nullptr;  // the word that the command line begins with, or any
  std::vector<std::string> tokens;
  std::optional<Recipe> resolved_recipe;  // what `recipe` names
  std::int64_t split_by = 0;              // column, from 1; 0: the whole line
  fs::path tokenizer, terms, labels, output, recipe, images, image_labels, validation, split;
  double max_ratio = 3;
  std::vector<std::string> scripts;
  fs::path dropped, model;
  ShortlistSettings shortlist{.best = 100};
  std::string learn, form, max_unknown, side = "source", scale = "full", resize;
  std::optional<TokenOrder> order;
  std::vector<std::string> check;
  std::int64_t length = 0, ngrams = 1, size = 20000, block = 0, stride = 0;
  bool length_is_typed = false;  // not that of a recipe
  bool has_start = false, has_end = false, has_header = false, allows_empty = false;
  double validation_fraction = ImageOptions().validation_fraction;
  std::uint64_t seed = 1;
  std::string background = ImageOptions().background;
  bool applies_orientation = false, chooses_reading = false;
  bool is_quiet = false;
  cli::LineReaderSettings reader;
  int threads = 0;
};

// All options; those of one mode are described in its file.
void describe(cli::CommandLine& line, Options& o);
// The heading of options of a mode: in the help of one alone it says nothing.
std::string section(const Options& o, std::string_view title);
void describe_ids(cli::CommandLine& line, Options& o);
void describe_one_text(cli::CommandLine& line, Options& o);
void describe_labels(cli::CommandLine& line, Options& o);
void describe_terms(cli::CommandLine& line, Options& o);
void describe_images(cli::CommandLine& line, Options& o);
void describe_split(cli::CommandLine& line, Options& o);
void describe_pairs(cli::CommandLine& line, Options& o);
void describe_shortlist(cli::CommandLine& line, Options& o);

void resolve_csv(Options& o, const ModeOptions& typed);
void resolve_images(Options& o, const ModeOptions& typed);
void resolve_learn_labels(Options& o, const ModeOptions& typed);
void resolve_learn_terms(Options& o, const ModeOptions& typed);
void resolve_bags(Options& o, const ModeOptions& typed);
void resolve_label_ids(Options& o, const ModeOptions& typed);
void resolve_blocks(Options& o, const ModeOptions& typed);
void resolve_id_file(Options& o, const ModeOptions& typed);
void resolve_columns(Options& o, const ModeOptions& typed);
void resolve_ids(Options& o, const ModeOptions& typed);
void resolve_shortlist(Options& o, const ModeOptions& typed);

// What modes of lines that have a recipe do first: length, start and end, the terms' settings.
void resolve_recipe(Options& o, const ModeOptions& typed);
// Throws UsageError without a --length, which is `what`.
void check_length(const Options& o, const std::string& what);

// The share that --max-unknown gives: "5", "0.5%". Throws Error for what is no percentage.
double percent_of(const std::string& text);

// Each reads the lines of `o`, and writes to standard output, or what was learned to o.output.
void write_ids(const Options& o);
void write_id_stream(const Options& o);
void write_columns(const Options& o);
void learn_labels(const Options& o);
void write_label_ids(const Options& o);
void learn_terms(const Options& o);
void write_terms(const Options& o);
void write_csv_columns(const Options& o);
// Pairs of a source and its translation, without those that teach nothing good.
void filter_pairs(const Options& o);
// The translations that a translator may choose from.
void write_shortlist(const Options& o);
// The lines go to two files.
void split_lines(const Options& o);
// Images to a data set, or to two.
void write_image_set(const Options& o);

// With warnings of the file. Throws Error where --start or --end has no token there.
Tokenizer load_tokenizer(const Options& o);
// What these share: the first line of --header, the digits of a number, and what is said of the lines in the
// end.
std::string header(const std::string& hash, std::int64_t size, std::int64_t pad);
void append_number(std::string& out, std::int64_t number);
void note_truncated(const Options& o, std::uint64_t cut, std::uint64_t all, std::size_t max_length);
// Says how many tokens are unknown. Throws Error where they are more than is allowed.
void report_unknown(const Options& o, const TokenCounts& counts);

}  // namespace headwater::vectorize
