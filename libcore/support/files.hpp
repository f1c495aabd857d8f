// Files that are whole or not there: reading, writing by rename, syncing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace headwater {

namespace fs = std::filesystem;

// The most bytes of a text that is read whole: a tokenizer, a label set, a table of terms, a log.
inline constexpr std::uint64_t kMaxTextFile = std::uint64_t{1} << 30;

// Everything below that reads takes regular files alone, opened so that none of another kind is waited for.
// Throws Error "path: cannot open: reason", or "path: not a regular file".

// The whole file; `max_bytes` bounds what is read.
std::string read_file(const fs::path& path, std::uint64_t max_bytes = kMaxTextFile);

// The same of a file of any kind, such as the pipe of <(sed ... recipe.yaml), until it ends; "-" is standard
// input.
std::string read_any_file(const fs::path& path, std::uint64_t max_bytes);

// The bytes in pieces of at most 1 MiB, by read(): a bad disk block is an Error, not a signal.
void for_each_piece(const fs::path& path, const std::function<void(std::string_view)>& take);

// Whether something has this name: a link that leads nowhere too. Never throws.
bool is_taken(const fs::path& path);

// A file under a temporary name in the target's folder that takes its name by commit(): write, fsync, close,
// rename, fsync of the folder, each checked. Without commit() the temporary is removed. Never retries a
// failed fsync. The permissions of a file that it replaces stay. A link at the target is replaced, not
// followed; a target that is no file to rename over is written in place: a descriptor of this process, by its
// link (/dev/fd/3), as share_descriptor() has it, and a device, a pipe or another file of /proc, emptied.
class AtomicFile {
 public:
  explicit AtomicFile(fs::path target);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  void write(std::string_view bytes);
  // Over what was written, or not yet, at this place; a pipe has none.
  void write_at(std::uint64_t place, std::string_view bytes);
  void commit();

 private:
  fs::path target_, temporary_;  // temporary_ is empty where the target is written in place
  int descriptor_ = -1;
  std::uint64_t begin_ = 0;  // where the first byte is: behind what an open file had
};

// AtomicFile in one call.
void write_file(const fs::path& path, std::string_view bytes);

// A file that grows inside a directory that is itself still temporary: create (it must not exist), write,
// fsync, close. finish() may be called once; without it the file is left as it is, for the directory's owner
// to remove.
class NewFile {
 public:
  explicit NewFile(fs::path path);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  void write(std::string_view bytes);
  void finish();

 private:
  fs::path path_;
  int descriptor_ = -1;
};

// write to a plain file inside a directory that is itself still temporary: create, write, fsync, close.
void write_new_file(const fs::path& path, std::string_view bytes);

void sync_directory(const fs::path& directory);

// Mapping of a file; the file must not be overwritten in place while it lives (removing it, or renaming
// another over it, does no harm). What is written to its bytes stays in this process.
class MappedFile {
 public:
  explicit MappedFile(const fs::path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  std::string_view bytes() const { return {data_, size_}; }
  char* data() const { return data_; }
  // For a file that is read here and there: nothing is read ahead.
  void expect_random_access() const;
  // Gives the memory of its pages back, also what was written to them; they come again from the file.
  void release() const;
  // Throws Error where the file is no longer as long as it was: reading its bytes would be a signal.
  void check_size(const fs::path& path) const;

 private:
  char* data_ = nullptr;
  std::size_t size_ = 0;
  int descriptor_ = -1;
};

// What is too much for memory until it is whole: a file without a name in the folder of temporary files
// (TMPDIR, or /tmp), gone when the object or the process is. Throws Error as writing elsewhere does.
class UnnamedFile {
 public:
  UnnamedFile();
  ~UnnamedFile();
  UnnamedFile(const UnnamedFile&) = delete;
  UnnamedFile& operator=(const UnnamedFile&) = delete;
  void write(std::string_view bytes);
  std::uint64_t size() const { return size_; }
  MappedFile mapped() const;

 private:
  fs::path folder_;
  std::uint64_t size_ = 0;
  int descriptor_ = -1;
};

// Throws Error "path: what: reason", the reason in the system's words, with advice where the disk is full.
[[noreturn]] void fail_io(const fs::path& path, std::string_view what, int error);

// A path as a message shows it: escaped and quoted where it holds control characters or invalid UTF-8.
std::string shown(const fs::path& path);

}  // namespace headwater
