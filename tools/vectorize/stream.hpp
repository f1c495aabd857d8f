// One long text of all lines: cut into id lines of one length, or as a file of ids that train maps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/lines.hpp"
#include "support/files.hpp"
#include "support/token_counts.hpp"
#include "text/tokenizer/tokenizer.hpp"

namespace headwater::vectorize {

struct StreamOptions {
  std::vector<std::string> tokens;
  std::int64_t block = 0, stride = 0;  // of id lines; 0: a file of ids
  fs::path output;                     // of a file of ids
  bool has_start = false, has_end = false, is_quiet = false;
  std::string header;  // first line of id lines; empty: none
  cli::LineReaderSettings reader;
};

// The ids of each line that is not empty one after the other, with [START] before and [END] after them where
// that is asked for. Returns how many tokens were unknown.
TokenCounts write_stream(const StreamOptions& o, const Tokenizer& tokenizer);

}  // namespace headwater::vectorize
