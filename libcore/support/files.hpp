// Files that are whole or not there: reading, writing by rename, syncing, locking.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace headwater {

namespace fs = std::filesystem;

// The whole file. Throws Error "path: cannot open: reason"; `most_bytes` bounds what is read.
std::string read_file(const fs::path& path, std::uint64_t most_bytes = std::uint64_t{1} << 40);

// A file under a temporary name in the target's folder that takes its name by commit(): write, fsync, close, rename, fsync of
// the folder, each checked. Without commit() the temporary is removed. Never retries a failed fsync.
class AtomicFile {
 public:
  explicit AtomicFile(fs::path target);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  void write(std::string_view bytes);
  void commit();

 private:
  fs::path target_, temporary_;
  int descriptor_ = -1;
};

// AtomicFile in one call.
void write_file(const fs::path& path, std::string_view bytes);

// write to a plain file inside a directory that is itself still temporary: create, write, fsync, close.
void write_new_file(const fs::path& path, std::string_view bytes);

void sync_directory(const fs::path& directory);

// Read-only mapping of a file; the file must not be overwritten in place while it lives.
class MappedFile {
 public:
  explicit MappedFile(const fs::path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  std::string_view bytes() const { return {data_, size_}; }

 private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

// An exclusive lock on `path` (flock), held while the object lives; the file holds the owner's process id.
// Throws Error "path: in use by process N" where another process has it.
class FileLock {
 public:
  explicit FileLock(const fs::path& path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace headwater
