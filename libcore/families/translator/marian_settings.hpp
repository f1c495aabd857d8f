// What Marian's own model directories say: the settings that a weight file holds, the options of
// marian-decoder in a YAML file beside it, and the files that belong together.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

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

// The files of a directory; nothing where none is Marian's. Throws Error naming the file that is missing or
// damaged, or the option that is not followed here.
std::optional<MarianFiles> find_marian_files(const fs::path& folder);

// A YAML document as an object: an empty one where the text is cut before its first key.
Json json_of_yaml(std::string_view text, const std::string& where);
// Throws Error naming the `required` members that it lacks.
void check_required(const Json& json, const std::string& where, std::span<const char* const> required);
// Whether a name is one of these, in which * stands for any text.
bool is_in(std::span<const char* const> patterns, const std::string& name);

// Those settings as one object. Throws Error naming the file, and the member that is unknown.
Json marian_settings(const MarianFile& file);

}  // namespace headwater
