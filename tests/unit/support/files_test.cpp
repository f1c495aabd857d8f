#include "support/files.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "error_text.hpp"
#include "scratch_directory.hpp"
#include "support/directories.hpp"
#include "support/file_lock.hpp"
#include "support/signals.hpp"

using namespace headwater;

namespace {

int entries(const fs::path& folder) {
  int count = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder)) ++count;
  return count;
}

}  // namespace

TEST_CASE("files: what is written is read") {
  ScratchDirectory scratch;
  std::string bytes(3'000'000, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 31 >> 3);
  for (const std::size_t size : {0, 1, 4095, 4096, 4097, 3'000'000}) {
    const std::string_view part = std::string_view(bytes).substr(0, size);
    write_file(scratch / "f", part);
    CHECK(read_file(scratch / "f") == part);
    CHECK(MappedFile(scratch / "f").bytes() == part);
    std::string pieces;
    for_each_piece(scratch / "f", [&](std::string_view piece) { pieces += piece; });
    CHECK(pieces == part);
  }
  CHECK(entries(scratch.path()) == 1);
}

TEST_CASE("files: errors name the path and the reason") {
  ScratchDirectory scratch;
  const std::string missing = (scratch / "none").string();
  CHECK(error_text([&] { read_file(missing); }) == missing + ": cannot open: no such file or directory");
  CHECK(error_text([&] { MappedFile{missing}; }) == missing + ": cannot open: no such file or directory");
  CHECK(error_text([&] { read_file(scratch.path()); }) ==
        scratch.path().string() + ": not a regular file (it is a directory)");
  CHECK(error_text([&] { MappedFile{scratch.path()}; }) ==
        scratch.path().string() + ": not a regular file (it is a directory)");
  CHECK(error_text([&] { write_file(scratch.path(), "x"); }) ==
        scratch.path().string() + ": is a directory (name a file)");
  CHECK(error_text([&] { write_file(scratch / "no/f", "x"); }).find("/no/f: cannot create: ") !=
        std::string::npos);
  write_file(scratch / "f", "12345");
  CHECK(error_text([&] { read_file(scratch / "f", 4); }) ==
        (scratch / "f").string() + ": larger than 4 bytes");
  CHECK(read_file(scratch / "f", 5) == "12345");
  CHECK(error_text([&] { write_new_file(scratch / "f", "x"); }).ends_with(": cannot create: file exists"));
  CHECK(shown("a\x1B[2J\xFF") == "\"a\\x1b[2J\\xff\"");
}

TEST_CASE("files: a pipe, a socket, a device and a link to one are no regular files, and no wait") {
  ScratchDirectory scratch;
  REQUIRE(::mkfifo((scratch / "pipe").c_str(), 0600) == 0);
  fs::create_symlink("pipe", scratch / "link");
  fs::create_symlink("/dev/zero", scratch / "zero");
  const int listening = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = (scratch / "socket").string();
  REQUIRE(name.size() < sizeof address.sun_path);
  std::copy(name.begin(), name.end(), address.sun_path);
  REQUIRE(::bind(listening, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  for (const fs::path& path : {scratch / "pipe", scratch / "link", scratch / "zero", scratch / "socket",
                               fs::path("/dev/zero"), fs::path("/dev/null")}) {
    const std::string expected = path.string() + ": not a regular file";
    CHECK(error_text([&] { read_file(path); }) == expected);
    CHECK(error_text([&] { MappedFile{path}; }) == expected);
    CHECK(error_text([&] { for_each_piece(path, [](std::string_view) {}); }) == expected);
  }
  ::close(listening);
}

TEST_CASE("files: one that is larger than memory is refused by its size") {
  ScratchDirectory scratch;
  write_file(scratch / "f", "");
  fs::resize_file(scratch / "f", std::uint64_t{1} << 40);  // a hole
  CHECK(error_text([&] { read_file(scratch / "f"); }) ==
        (scratch / "f").string() + ": larger than 1073741824 bytes");
  CHECK(error_text([&] { read_any_file("/dev/zero", 1 << 20); }) == "/dev/zero: larger than 1048576 bytes");
}

TEST_CASE("files: what is no lock is not emptied") {
  ScratchDirectory scratch;
  const std::string precious = "precious, and longer than any number";
  write_file(scratch / "precious", precious);
  fs::create_hard_link(scratch / "precious", scratch / "lock");
  CHECK(error_text([&] { FileLock{scratch / "lock"}; }) ==
        (scratch / "lock").string() + ": is no lock (move it away)");
  CHECK(read_file(scratch / "precious") == precious);
  for (const char* const text : {"short", "12 34", "123456789012345678901"}) {
    write_file(scratch / "lock", text);
    CHECK(error_text([&] { FileLock{scratch / "lock"}; }).find("is no lock") != std::string::npos);
    CHECK(read_file(scratch / "lock") == text);
  }
  write_file(scratch / "lock", "2147483646");  // of a process that ended
  CHECK_NOTHROW(FileLock{scratch / "lock"});
}

TEST_CASE("files: without commit the old file stays and the temporary goes") {
  ScratchDirectory scratch;
  write_file(scratch / "f", "old");
  {
    AtomicFile file(scratch / "f");
    file.write("new");
    CHECK(entries(scratch.path()) == 2);
  }
  CHECK(read_file(scratch / "f") == "old");
  CHECK(entries(scratch.path()) == 1);
}

TEST_CASE("files: what replaces a file has its permissions") {
  const ScratchDirectory scratch;
  const fs::path path = scratch / "private";
  write_file(path, "a");
  for (const auto mode : {fs::perms::owner_read | fs::perms::owner_write, fs::perms::owner_all}) {
    fs::permissions(path, mode);
    write_file(path, "b");
    CHECK(fs::status(path).permissions() == mode);
  }
}

TEST_CASE("files: two writers of one name do not mix") {
  ScratchDirectory scratch;
  AtomicFile first(scratch / "f"), second(scratch / "f");
  first.write("1111");
  second.write("22");
  first.commit();
  CHECK(read_file(scratch / "f") == "1111");
  second.commit();
  CHECK(read_file(scratch / "f") == "22");
}

TEST_CASE("files: a link is replaced, its target left alone") {
  ScratchDirectory scratch;
  write_file(scratch / "target", "old");
  fs::create_symlink("target", scratch / "link");
  write_file(scratch / "link", "new");
  CHECK(read_file(scratch / "target") == "old");
  CHECK(read_file(scratch / "link") == "new");
  CHECK_FALSE(fs::is_symlink(fs::symlink_status(scratch / "link")));
}

TEST_CASE("files: a lack of memory is said as what it is") {
  CHECK(error_text([] { fail_io("a", "cannot read", ENOMEM); }) ==
        "a: cannot read: out of memory (close other programs, or raise the limit of ulimit -v)");
}

TEST_CASE("files: devices are written in place") {
  CHECK(error_text([] { write_file("/dev/full", "x"); }) ==
        "/dev/full: cannot write: no space left on device (free some space and start again)");
  CHECK_NOTHROW(write_file("/dev/null", "x"));
  CHECK(fs::is_character_file("/dev/null"));
}

TEST_CASE("files: a write that stops half way is an error and the old file stays") {
  ScratchDirectory scratch;
  write_file(scratch / "f", "old");
  // In a child: the limit holds for the process. The first write beyond it is short, the next one fails.
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const std::string message = error_text([&] { write_file(scratch / "f", std::string(5000, 'x')); });
    ::_exit(message.ends_with(
                "/f: cannot write: file too large (raise the limit of ulimit -f, or write to another disk)")
                ? 0
                : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(read_file(scratch / "f") == "old");
  CHECK(entries(scratch.path()) == 1);
}

TEST_CASE("files: reading through interruptions and short reads") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  std::thread feeder([&] {
    for (int i = 0; i < 200; ++i) CHECK(::write(ends[1], "0123456789", 10) == 10);
    ::close(ends[1]);
  });
  const std::string got = read_any_file("/proc/self/fd/" + std::to_string(ends[0]), 1 << 20);
  feeder.join();
  ::close(ends[0]);
  CHECK(got.size() == 2000);
}

TEST_CASE("files: one process has the lock, the other learns which") {
  ScratchDirectory scratch;
  const fs::path path = scratch / "lock";
  {
    const FileLock lock(path);
    CHECK(error_text([&] { FileLock{path}; }) ==
          path.string() + ": in use by process " + std::to_string(::getpid()));
  }
  CHECK_NOTHROW(FileLock{path});
}

TEST_CASE("files: a lock names no process that has ended") {
  ScratchDirectory scratch;
  const fs::path path = scratch / "lock";
  const pid_t ended = ::fork();
  if (ended == 0) ::_exit(0);
  ::waitpid(ended, nullptr, 0);
  // As a new owner leaves it for a moment, when the one before was killed.
  write_file(path, std::to_string(ended));
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(::flock(descriptor, LOCK_EX) == 0);
  CHECK(error_text([&] { FileLock{path}; }) == path.string() + ": in use by another process");
  ::close(descriptor);
}

TEST_CASE("files: the lock goes with its process") {
  ScratchDirectory scratch;
  const fs::path path = scratch / "lock";
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const FileLock lock(path);
    [[maybe_unused]] const auto written = ::write(ready[1], "x", 1);
    ::pause();
    ::_exit(0);
  }
  char byte;
  REQUIRE(::read(ready[0], &byte, 1) == 1);
  CHECK(error_text([&] { FileLock{path}; }) ==
        path.string() + ": in use by process " + std::to_string(child));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  CHECK_NOTHROW(FileLock{path});
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_CASE("files: a mapping tells that its file was cut, and lives on when it is replaced") {
  ScratchDirectory scratch;
  write_file(scratch / "f", "abcdef");
  const MappedFile file(scratch / "f");
  file.check_size(scratch / "f");
  write_file(scratch / "f", "x");  // by rename
  file.check_size(scratch / "f");
  CHECK(file.bytes() == "abcdef");
  const MappedFile other(scratch / "f");
  fs::resize_file(scratch / "f", 0);
  CHECK(error_text([&] { other.check_size(scratch / "f"); }) ==
        (scratch / "f").string() + ": has 0 bytes, had 1 when it was opened (start again when it is whole)");
}

TEST_CASE("files: a mapping moves") {
  ScratchDirectory scratch;
  write_file(scratch / "a", "aaa");
  write_file(scratch / "b", "bb");
  MappedFile a(scratch / "a"), b(scratch / "b");
  MappedFile moved = std::move(a);
  CHECK(moved.bytes() == "aaa");
  moved = std::move(b);
  CHECK(moved.bytes() == "bb");
}

TEST_CASE("folders: removed with all that is in them, and no link is followed") {
  ScratchDirectory scratch;
  const fs::path folder = scratch / "folder", kept = scratch / "kept";
  fs::create_directories(folder / "inner" / "empty");
  fs::create_directory(kept);
  write_file(kept / "file", "x");
  write_file(folder / "file", "x");
  write_file(folder / "inner" / "file", "x");
  fs::create_directory_symlink(kept, folder / "link");
  std::error_code error;
  CHECK(list_folder(folder, error).size() == 3);
  CHECK(list_folder(folder / "inner" / "empty", error).empty());
  CHECK_FALSE(error);
  remove_tree(folder, error);
  CHECK_FALSE(error);
  CHECK_FALSE(fs::exists(folder));
  CHECK(fs::exists(kept / "file"));
  remove_tree(folder, error);
  CHECK_FALSE(error);
  CHECK(list_folder(folder, error).empty());
  CHECK(error == std::errc::no_such_file_or_directory);
  CHECK(list_folder(kept / "file", error).empty());
  CHECK(error == std::errc::not_a_directory);
  remove_tree(kept / "file" / "x", error);
  CHECK(error == std::errc::not_a_directory);
}

TEST_CASE("folders: what a signal ends leaves no folder behind, with folders in it either") {
  ScratchDirectory scratch;
  NewFolder folder(scratch / "model");
  fs::create_directories(folder.file("1_Pooling/deep"));
  for (const char* name : {"config.json", "1_Pooling/config.json", "1_Pooling/deep/x"})
    write_new_file(folder.file(name), "half");
  fs::create_directory(scratch / "mine");
  write_new_file(scratch / "mine/book", "precious");
  fs::create_directory_symlink(scratch / "mine", folder.file("link"));
  CHECK(entries(scratch.path()) == 2);
  remove_temporaries();
  CHECK(entries(scratch.path()) == 1);
  CHECK(read_file(scratch / "mine/book") == "precious");
}

TEST_CASE("names: absent, there, and what the system cannot say are three cases") {
  ScratchDirectory scratch;
  write_file(scratch / "file", "x");
  fs::create_symlink("file", scratch / "link");
  fs::create_symlink("none", scratch / "dangling");
  fs::create_symlink("circle", scratch / "circle");
  CHECK(is_there(scratch / "file"));
  CHECK(is_there(scratch / "link"));
  CHECK(is_there(scratch.path()));
  CHECK_FALSE(is_there(scratch / "none"));
  CHECK_FALSE(is_there(scratch / "file/below"));
  CHECK_FALSE(is_there(scratch / std::string(300, 'x')));
  CHECK(error_text([&] { is_there(scratch / "dangling"); }) ==
        (scratch / "dangling").string() + ": a link that leads nowhere: no such file or directory");
  CHECK(error_text([&] { is_there(scratch / "circle"); }) ==
        (scratch / "circle").string() + ": a link that leads nowhere: too many levels of symbolic links");
}

TEST_CASE("files: one without a name keeps its bytes and leaves nothing behind") {
  ScratchDirectory scratch;
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before != nullptr ? before : "";
  ::setenv("TMPDIR", scratch.path().c_str(), 1);
  {
    UnnamedFile file;
    CHECK(file.mapped().bytes().empty());
    file.write("one ");
    file.write("two");
    CHECK(file.size() == 7);
    CHECK(file.mapped().bytes() == "one two");
    CHECK(fs::is_empty(scratch.path()));
  }
  ::setenv("TMPDIR", (scratch / "no").c_str(), 1);
  CHECK(error_text([] { UnnamedFile(); }) ==
        "TMPDIR: not a folder (set it to one with room for what is written)");
  if (before != nullptr) {
    ::setenv("TMPDIR", kept.c_str(), 1);
  } else {
    ::unsetenv("TMPDIR");
  }
}

TEST_CASE("a file with the longest name that there is") {
  const ScratchDirectory scratch;
  const fs::path path = scratch / std::string(255, 'n');
  write_file(path, "x");
  CHECK(read_file(path) == "x");
}
