#include "support/files.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <tuple>
#include <utility>

#include "support/descriptors.hpp"
#include "support/drafts.hpp"
#include "support/error.hpp"
#include "support/signals.hpp"

namespace headwater {

std::string shown(const fs::path& path) {
  const std::string& text = path.native();
  return visible(text) == text ? text : quote(text);
}

namespace {

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

bool is_written_in_place(const fs::path& target) {
  if (is_in_proc(target)) return true;
  std::error_code ignored;
  const fs::file_status status = fs::status(target, ignored);
  return fs::is_character_file(status) || fs::is_fifo(status) || fs::is_socket(status) ||
         fs::is_block_file(status);
}

// Where a file that is open for appending ends; 0 for what has no places.
std::uint64_t place_of_next_byte(int descriptor) {
  const bool appends = (::fcntl(descriptor, F_GETFL) & O_APPEND) != 0;
  return static_cast<std::uint64_t>(
      std::max<off_t>(0, ::lseek(descriptor, 0, appends ? SEEK_END : SEEK_CUR)));
}

}  // namespace

void fail_io(const fs::path& path, std::string_view what, int error) {
  std::string message = shown(path) + ": " + std::string(what) + ": ";
  message += error == ENOMEM ? "out of memory (close other programs, or raise the limit of ulimit -v)"
                             : system_reason(error);
  if (error == ENOSPC || error == EDQUOT) message += " (free some space and start again)";
  if (error == EFBIG) message += " (raise the limit of ulimit -f, or write to another disk)";
  throw Error(message);
}

namespace {

// For reading. Without O_NONBLOCK a pipe of this name would wait for a writer forever.
int open_regular(const fs::path& path, struct stat& status) {
  int descriptor = open_retrying(path, O_RDONLY | O_NONBLOCK);
  if (descriptor < 0 && errno != ENXIO) fail_io(path, "cannot open", errno);  // ENXIO: a socket
  const int error = descriptor >= 0 && ::fstat(descriptor, &status) < 0 ? errno : 0;
  if (error == 0 && descriptor >= 0 && S_ISREG(status.st_mode)) return descriptor;
  const bool is_directory = error == 0 && S_ISDIR(status.st_mode);
  close_quietly(descriptor);
  if (error != 0) fail_io(path, "cannot read", error);
  throw Error(shown(path) + ": not a regular file" + (is_directory ? " (it is a directory)" : ""));
}

std::string read_all(int descriptor, const struct stat& status, const fs::path& path,
                     std::uint64_t max_bytes) {
  std::string bytes;
  try {
    const std::uint64_t promised = S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size) : 0;
    const auto check = [&](std::uint64_t size) {
      if (size > max_bytes)
        throw Error(shown(path) + ": larger than " + std::to_string(max_bytes) + " bytes");
    };
    check(promised);
    std::size_t used = 0;
    while (true) {
      // One byte beyond the promised size, so that the end of the file shows in the same read.
      if (used == bytes.size())
        bytes.resize(used == 0 ? std::max<std::uint64_t>(promised + 1, 4096) : used * 2);
      const ssize_t got = ::read(descriptor, bytes.data() + used, bytes.size() - used);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail_io(path, "cannot read", errno);
      if (got == 0) break;
      used += static_cast<std::size_t>(got);
      check(used);
    }
    bytes.resize(used);
  } catch (...) {
    close_quietly(descriptor);
    throw;
  }
  close_quietly(descriptor);
  return bytes;
}

}  // namespace

std::string read_file(const fs::path& path, std::uint64_t max_bytes) {
  struct stat status {};
  const int descriptor = open_regular(path, status);
  return read_all(descriptor, status, path, max_bytes);
}

std::string read_any_file(const fs::path& path, std::uint64_t max_bytes) {
  // "-" is read by a descriptor of its own, so that standard input stays open.
  int descriptor = path == "-" ? ::dup(STDIN_FILENO) : open_retrying(path, O_RDONLY);
  if (descriptor < 0) fail_io(path, "cannot open", errno);
  struct stat status {};
  if (::fstat(descriptor, &status) < 0) {
    const int error = errno;
    close_quietly(descriptor);
    fail_io(path, "cannot read", error);
  }
  return read_all(descriptor, status, path, max_bytes);
}

void for_each_piece(const fs::path& path, const std::function<void(std::string_view)>& take) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  struct stat status {};
  int descriptor = open_regular(path, status);
  try {
    std::string piece(kPiece, '\0');
    while (true) {
      const ssize_t got = ::read(descriptor, piece.data(), piece.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail_io(path, "cannot read", errno);
      if (got == 0) break;
      take(std::string_view(piece.data(), static_cast<std::size_t>(got)));
    }
  } catch (...) {
    close_quietly(descriptor);
    throw;
  }
  close_quietly(descriptor);
}

bool is_taken(const fs::path& path) {
  std::error_code unknown;
  return fs::exists(fs::symlink_status(path, unknown));
}

AtomicFile::AtomicFile(fs::path target) : target_(std::move(target)) {
  if (const int open = descriptor_of_link(target_); open >= 0) {
    descriptor_ = share_descriptor(open, target_);
    begin_ = place_of_next_byte(descriptor_);
    return;
  }
  if (is_written_in_place(target_)) {
    descriptor_ = open_retrying(target_, O_WRONLY | O_TRUNC);  // an open file may be longer
    if (descriptor_ < 0) fail_io(target_, "cannot open for writing", errno);
    return;
  }
  std::error_code ignored;  // creating the temporary will meet the same and say it
  if (fs::is_directory(fs::symlink_status(target_, ignored)))
    throw Error(shown(target_) + ": is a directory (name a file)");
  struct stat before {};
  const bool has_mode = ::lstat(target_.c_str(), &before) == 0 && S_ISREG(before.st_mode);
  for (int attempt = 0;; ++attempt) {
    constexpr std::size_t kKept = 200;  // of the name: with what is added it may not be longer than 255 bytes
    temporary_ = folder_of(target_) / draft_name(target_.filename().native().substr(0, kKept) + ".tmp-" +
                                                 std::to_string(::getpid()) + "-" + std::to_string(attempt));
    const SignalsHeld held;
    descriptor_ = open_retrying(temporary_, O_WRONLY | O_CREAT | O_EXCL, has_mode ? 0600 : 0666);
    if (descriptor_ >= 0) {
      remember_temporary(temporary_);
      // What is private stays private. On a file system without modes this fails, and nothing is lost.
      if (has_mode) std::ignore = ::fchmod(descriptor_, before.st_mode & 0777);
      return;
    }
    if (errno != EEXIST || attempt == 1000) fail_io(target_, "cannot create", errno);
  }
}

AtomicFile::~AtomicFile() {
  close_quietly(descriptor_);
  if (temporary_.empty()) return;
  ::unlink(temporary_.c_str());
  forget_temporary(temporary_);
}

void AtomicFile::write(std::string_view bytes) { write_all(descriptor_, bytes, target_); }

void AtomicFile::write_at(std::uint64_t place, std::string_view bytes) {
  // A file that is open for appending is appended to here, too; opened once more it is not.
  const bool appends = (::fcntl(descriptor_, F_GETFL) & O_APPEND) != 0;
  int descriptor = appends ? open_retrying("/proc/self/fd/" + std::to_string(descriptor_), O_WRONLY)
                           : ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
  if (descriptor < 0) fail_io(target_, "cannot open for writing", errno);
  place += begin_;
  ssize_t written = 0;
  for (; !bytes.empty(); bytes.remove_prefix(std::max<ssize_t>(0, written))) {
    written = ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(place));
    if (written < 0 && errno != EINTR) break;
    place += static_cast<std::uint64_t>(std::max<ssize_t>(0, written));
  }
  const int error = errno;
  close_quietly(descriptor);
  if (!bytes.empty()) fail_io(target_, "cannot write", error);
}

void AtomicFile::commit() {
  if (temporary_.empty()) return close_checked(descriptor_, target_);
  sync_descriptor(descriptor_, target_);
  close_checked(descriptor_, target_);
  if (::rename(temporary_.c_str(), target_.c_str()) < 0) fail_io(target_, "cannot rename into place", errno);
  forget_temporary(temporary_);
  temporary_.clear();
  sync_directory(folder_of(target_));
}

void write_file(const fs::path& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

NewFile::NewFile(fs::path path) : path_(std::move(path)) {
  descriptor_ = open_retrying(path_, O_WRONLY | O_CREAT | O_EXCL, 0666);
  if (descriptor_ < 0) fail_io(path_, "cannot create", errno);
}

NewFile::~NewFile() { close_quietly(descriptor_); }

void NewFile::write(std::string_view bytes) { write_all(descriptor_, bytes, path_); }

void NewFile::finish() {
  sync_descriptor(descriptor_, path_);
  close_checked(descriptor_, path_);
}

void write_new_file(const fs::path& path, std::string_view bytes) {
  NewFile file(path);
  file.write(bytes);
  file.finish();
}

void sync_directory(const fs::path& directory) {
  int descriptor = open_retrying(directory, O_RDONLY | O_DIRECTORY);
  if (descriptor < 0) fail_io(directory, "cannot open", errno);
  int status;
  do {
    status = ::fsync(descriptor);
  } while (status < 0 && errno == EINTR);
  const int error = status < 0 ? errno : 0;
  close_quietly(descriptor);
  // Some file systems know no fsync of a folder and say so.
  if (error != 0 && error != EINVAL) fail_io(directory, "cannot sync", error);
}

MappedFile::MappedFile(const fs::path& path) {
  struct stat status {};
  int descriptor = open_regular(path, status);
  int error = 0;
  if (status.st_size > 0) {
    size_ = static_cast<std::size_t>(status.st_size);
    // Without a reserve: pages are the file's until one is written to.
    void* mapped = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, descriptor, 0);
    if (mapped == MAP_FAILED) {
      error = errno;
    } else {
      data_ = static_cast<char*>(mapped);
      remember_mapping(data_, size_, path);
    }
  }
  if (error != 0) {
    close_quietly(descriptor);
    fail_io(path, "cannot read", error);
  }
  descriptor_ = descriptor;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) {
    forget_mapping(data_);
    ::munmap(data_, size_);
  }
  close_quietly(descriptor_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

UnnamedFile::UnnamedFile() {
  std::error_code error;
  folder_ = fs::temp_directory_path(error);
  if (error) throw Error("TMPDIR: not a folder (set it to one with room for what is written)");
  std::string name = folder_ / "headwater-XXXXXX";
  descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor_ < 0) fail_io(folder_, "cannot make a temporary file", errno);
  ::unlink(name.c_str());
}

UnnamedFile::~UnnamedFile() { close_quietly(descriptor_); }

void UnnamedFile::write(std::string_view bytes) {
  write_all(descriptor_, bytes, folder_);
  size_ += bytes.size();
}

MappedFile UnnamedFile::mapped() const { return MappedFile("/proc/self/fd/" + std::to_string(descriptor_)); }

void MappedFile::expect_random_access() const {
  if (data_ != nullptr) ::madvise(data_, size_, MADV_RANDOM);  // of speed alone
}

void MappedFile::release() const {
  if (data_ != nullptr) ::madvise(data_, size_, MADV_DONTNEED);
}

void MappedFile::check_size(const fs::path& path) const {
  struct stat status {};
  if (::fstat(descriptor_, &status) < 0) fail_io(path, "cannot read", errno);
  if (static_cast<std::size_t>(status.st_size) == size_) return;
  throw Error(shown(path) + ": has " + std::to_string(status.st_size) + " bytes, had " +
              std::to_string(size_) + " when it was opened (start again when it is whole)");
}

}  // namespace headwater
