#include "cli/result_file.hpp"

#include "cli/lines.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

namespace headwater::cli {

void check_result_file(const std::filesystem::path& path) {
  if (path == "-") return;
  if (fs::is_directory(path)) throw Error(path.string() + ": is a directory (name a file)");
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (!fs::is_directory(folder)) {
    throw Error(path.string() + ": there is no folder " + quote(folder.string()) + " (create it)");
  }
}

void write_result_file(const std::filesystem::path& path, std::string_view bytes) {
  if (path != "-") {
    write_file(path, bytes);
    return;
  }
  LineWriter writer;
  writer.text(bytes);
  writer.flush();
}

}  // namespace headwater::cli
