// generate --fill-mask: the likeliest words in the places of [MASK].
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/lines.hpp"
#include "families/model_directory.hpp"

namespace headwater::generate {

struct FillSettings {
  std::int64_t top_k = 5;       // words of each mask; 0: all
  std::int64_t batch = 64;      // lines that are computed together
  bool allows_unknown = false;  // [UNK] may be one of them
  bool is_json = false;         // an object a line
  bool is_quiet = false;
};

// A line of output for each line of `text`.
void fill_masks(const ModelFolder& folder, const std::vector<std::string>& text,
                const cli::LineReaderSettings& lines, const FillSettings& settings);

}  // namespace headwater::generate
