// What is there: names, what is in folders, and removing them. Not by std::filesystem: the iterators of
// libstdc++ 12 end the program where memory runs out.
#pragma once

#include <filesystem>
#include <system_error>
#include <vector>

namespace headwater {

namespace fs = std::filesystem;

// Whether something has this name. Throws Error where the system cannot say (no permission, an I/O error),
// and where it is a link that leads nowhere: what cannot be read is not absent.
bool is_there(const fs::path& path);

// The paths in a folder, in no order. Where that fails, `error` says why and the list is empty.
std::vector<fs::path> list_folder(const fs::path& folder, std::error_code& error);

// A file, a link, or a folder with everything in it; links are not followed. Nothing there is no error.
void remove_tree(const fs::path& path, std::error_code& error);

}  // namespace headwater
