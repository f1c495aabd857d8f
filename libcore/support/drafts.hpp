// The names of what this program writes until it takes its place: so that what a killed process left is known
// from anything of a user.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/files.hpp"

namespace headwater {

inline constexpr std::string_view kDraft = ".headwater-draft-";

// ".headwater-draft-HOST-<what>". HOST is a hash of this machine's name. A name that ends in ".tmp-PID-N" is
// of the process PID; any other of the holder of a lock on the folder.
std::string draft_name(std::string_view what);

// Removes from a folder the drafts that processes of this machine left; for the holder of its lock, before it
// writes any. Those of other processes that run stay. Returns those of other machines, whose processes may
// still write them.
std::vector<fs::path> remove_drafts(const fs::path& folder);

}  // namespace headwater
