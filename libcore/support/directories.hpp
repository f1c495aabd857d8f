// What is there: names, what is in folders, making and removing them. Not by std::filesystem: the iterators
// of libstdc++ 12 end the program where memory runs out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "support/files.hpp"

namespace headwater {

namespace fs = std::filesystem;

// Whether something has this name. Throws Error where the system cannot say (no permission, an I/O error),
// and where it is a link that leads nowhere: what cannot be read is not absent.
bool is_there(const fs::path& path);
// Whether it is a regular file, or a link to one.
bool is_file(const fs::path& path);

// The paths in a folder, in no order. Where that fails, `error` says why and the list is empty.
std::vector<fs::path> list_folder(const fs::path& folder, std::error_code& error);

// A file, a link, or a folder with everything in it; links are not followed. Nothing there is no error.
void remove_tree(const fs::path& path, std::error_code& error);

// The files of a folder, each read once: whoever asks for one again gets the answer of the first time,
// whatever becomes of the folder meanwhile: its bytes, or that it is missing. Copies share what was read.
struct FolderFiles {
  explicit FolderFiles(fs::path folder) : path(std::move(folder)) {}

  bool has(std::string_view name) const;
  // The bytes of a file. Throws Error naming it.
  const std::string& read(std::string_view name, std::uint64_t max_bytes = kMaxTextFile) const;

  // Those that were read so far, by name.
  std::vector<std::string> names_read() const;

  fs::path path;

 private:
  using Answers = std::map<std::string, std::optional<std::string>, std::less<>>;  // nothing: it is missing
  std::shared_ptr<Answers> answers_ = std::make_shared<Answers>();
};

// A folder of results. It takes its name when it is complete; otherwise nothing stays.
class NewFolder {
 public:
  // Throws Error for a name that is taken, other than by an empty folder.
  explicit NewFolder(const fs::path& target);
  ~NewFolder();
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  fs::path file(const std::string& name) const { return temporary_ / name; }  // to be written
  void finish();

 private:
  fs::path target_, temporary_;
  bool is_done_ = false;
};

}  // namespace headwater
