// The lines of a user's file before anything is made of them.
#pragma once

#include <string>
#include <vector>

#include "support/files.hpp"

namespace headwater {

// What was found that is dropped: a byte-order mark, CR at the ends of lines. Throws Error "FILE:LINE: what;
// fix" where lines have more or fewer columns than these, or are no UTF-8, and where there is nothing in the
// file. `may_be_plain`: lines that are one text, without columns, will do as well.
std::vector<std::string> check_lines(const fs::path& file, const std::vector<std::string>& columns,
                                     bool may_be_plain);

}  // namespace headwater
