// A lock of one process on a file.
#pragma once

#include "support/files.hpp"

namespace headwater {

// An exclusive lock on `path` (flock), held while the object lives; the file holds the owner's process id.
// Throws Error "path: in use by process N" where another process has it, and where the path is no regular
// file, or one that holds more than a process id: a link is not followed, and nothing that is no lock is
// emptied.
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
