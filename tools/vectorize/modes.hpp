// vectorize is several programs in one. Each is a mode: an option asks for it, and a file has its options and
// its work.
#pragma once

#include <initializer_list>
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
  // `option`, called `name`, is of these modes alone. `why` is said where it stands in another one.
  void add(std::string_view name, cli::Option option, std::initializer_list<Mode> modes,
           std::string_view why = {});
  bool is_given(std::string_view name) const;
  // Throws UsageError "--stride goes with --block only, not with --terms" for an option of another mode;
  // without a mode for any.
  void check(std::optional<Mode> mode) const;

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
  // What was not typed is taken from the recipe. Throws UsageError for what is missing or out of range.
  void (*resolve)(Options&, const ModeOptions&);
  void (*run)(const Options&);
};

// Throws UsageError where none is asked for, or two are, and for options of other modes.
const ModeRow& resolve_mode(Options& o, const ModeOptions& typed);

}  // namespace headwater::vectorize
