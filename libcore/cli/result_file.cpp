#include "cli/result_file.hpp"

#include "cli/output.hpp"
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
  write_result_file(path, [&](const TakePiece& take) { take(bytes); });
}

void write_result_file(const std::filesystem::path& path,
                       const std::function<void(const TakePiece&)>& produce) {
  if (path == "-") {
    produce(write_output);
    return;
  }
  AtomicFile file(path);
  produce([&](std::string_view bytes) { file.write(bytes); });
  file.commit();
}

}  // namespace headwater::cli
