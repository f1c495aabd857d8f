// What programs said while a run was made, kept beside its files for the run's page: messages.json.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/files.hpp"

namespace headwater {

inline constexpr std::string_view kMessagesFile = "messages.json";

struct RunMessages {
  std::string examples = {};  // "900 training pairs, 100 held out for validation"; empty: not said
  std::vector<std::string> warnings = {};
  std::string failed = {};  // why the run or the program ended; empty: it did not fail

  // Those of `other` that are not here yet.
  void add(const RunMessages& other);
  // An object with a line end, the same whenever and wherever the same was said.
  std::string json() const;
};

// Throws Error "path: what" where the file is damaged or cannot be read.
RunMessages read_messages(const fs::path& file);

// A message without what differs between machines: names in `folder` without it, of files and absolute paths
// the last name, and no temporary folders.
std::string without_places(std::string_view text, const fs::path& folder);

}  // namespace headwater
