// What Marian's own model directories say: the settings that a weight file holds, the options of
// marian-decoder in a YAML file beside it, and the files that belong together.
#pragma once

#include <optional>
#include <string>

#include "checkpoint/marian_file.hpp"
#include "support/directories.hpp"
#include "support/json.hpp"

namespace headwater {

struct MarianFiles {
  std::string weights, source_vocabulary = {}, target_vocabulary = {};
  std::string shortlist = {};  // empty: none
  std::string options = {};    // the YAML file; empty: none
  Json search = {};            // of the options, by the names of generation_config.json
};

// The files of a directory; nothing where none is a weight file of Marian. Throws Error naming the file and
// the option that is not followed here.
std::optional<MarianFiles> find_marian_files(const fs::path& folder);

// Those settings as one object. Throws Error naming the file, and the member that is unknown.
Json marian_settings(const MarianFile& file);

}  // namespace headwater
