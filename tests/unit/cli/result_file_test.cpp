#include "cli/result_file.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error_text.hpp"
#include "scratch_directory.hpp"
#include "support/files.hpp"

using namespace headwater;

TEST_CASE("results: a link stays, and what it leads to is replaced or made") {
  const ScratchDirectory scratch;
  fs::create_directory(scratch / "folder");
  write_file(scratch / "folder/target", "old");
  fs::create_symlink("folder/target", scratch / "link");
  fs::create_symlink(scratch / "link", scratch / "absolute");
  fs::create_symlink("folder/new", scratch / "dangling");
  cli::check_result_file(scratch / "absolute");
  cli::write_result_file(scratch / "absolute", "through two links");
  CHECK(read_file(scratch / "folder/target") == "through two links");
  CHECK(fs::is_symlink(scratch / "link"));
  CHECK(fs::is_symlink(scratch / "absolute"));
  cli::write_result_file(scratch / "dangling", "made");
  CHECK(read_file(scratch / "folder/new") == "made");
  CHECK(cli::result_path("/dev/stdout") == "/proc/self/fd/1");
  CHECK(cli::result_path(scratch / "none") == scratch / "none");
  fs::create_symlink("/dev/null", scratch / "null");
  CHECK_NOTHROW(cli::write_result_file(scratch / "null", "gone"));
  CHECK(fs::is_symlink(scratch / "null"));
}

TEST_CASE("results: what a path is decides how it is written, not how it is spelled") {
  const ScratchDirectory scratch;
  const fs::path file = scratch / "v.json";
  const std::string old_text(9000, 'X');
  const auto inode = [&] {
    struct stat status {};
    REQUIRE(::stat(file.c_str(), &status) == 0);
    return status.st_ino;
  };
  const int folder = ::open(scratch.path().c_str(), O_RDONLY | O_DIRECTORY);
  REQUIRE(folder >= 0);
  const std::string below = "/proc/self/fd/" + std::to_string(folder) + "/v.json";
  for (const std::string& path : {below, "/dev/.." + fs::absolute(file).string()}) {
    write_file(file, old_text);
    const auto before = inode();
    cli::check_result_file(path);
    cli::write_result_file(path, "new");
    CHECK(read_file(file) == "new");
    CHECK(inode() != before);  // renamed into place
    // A writer that fails leaves the old bytes.
    CHECK(error_text([&] {
            cli::write_result_file(path, [](const cli::TakePiece& take) {
              take("half");
              throw Error("no more");
            });
          }) == "no more");
    CHECK(read_file(file) == "new");
  }
  ::close(folder);
}

TEST_CASE("results: an open file is written where it stands, as a shell writes it") {
  const ScratchDirectory scratch;
  const fs::path file = scratch / "v.json";
  const auto inode = [&] {
    struct stat status {};
    REQUIRE(::stat(file.c_str(), &status) == 0);
    return status.st_ino;
  };
  const auto written = [&](int flags, std::string_view first, const char* folder) {
    write_file(file, std::string(9000, 'X'));
    const auto before = inode();
    const int open_file = ::open(file.c_str(), flags);
    REQUIRE(open_file >= 0);
    REQUIRE(::write(open_file, first.data(), first.size()) == static_cast<ssize_t>(first.size()));
    const std::string path = folder + std::to_string(open_file);
    cli::check_result_file(path);
    cli::write_result_file(path, "new");
    REQUIRE(::write(open_file, "!", 1) == 1);
    ::close(open_file);
    CHECK(inode() == before);
    return read_file(file);
  };
  const std::string old_text(9000, 'X');
  for (const char* folder : {"/dev/fd/", "/proc/self/fd/"}) {
    CHECK(written(O_RDWR, "", folder) == "new!");  // nothing of what was there stays behind it
    CHECK(written(O_WRONLY, "first ", folder) == "first new!");
    CHECK(written(O_WRONLY | O_APPEND, "", folder) == old_text + "new!");
    CHECK(written(O_RDWR | O_APPEND, "first ", folder) == old_text + "first new!");
  }
  for (const int flags : {O_RDWR, O_RDWR | O_APPEND}) {
    write_file(file, "old ");
    const int open_file = ::open(file.c_str(), flags);
    REQUIRE(::lseek(open_file, 4, SEEK_SET) == 4);
    AtomicFile result("/dev/fd/" + std::to_string(open_file));
    result.write("?ody");
    result.write_at(0, "b");
    result.commit();
    ::close(open_file);
    CHECK(read_file(file) == "old body");
  }
  const int read_only = ::open(file.c_str(), O_RDONLY);
  const std::string path = "/dev/fd/" + std::to_string(read_only);
  CHECK(error_text([&] { cli::check_result_file(path); }) ==
        path + ": is open for reading only (open it for writing, as N> FILE does)");
  CHECK(error_text([&] { cli::write_result_file(path, "x"); }).find("is open for reading only") !=
        std::string::npos);
  ::close(read_only);
  CHECK(error_text([&] { cli::check_result_file(path); }).find("cannot open for writing: ") !=
        std::string::npos);
  CHECK(read_file(file) == "old body");
}

TEST_CASE("results: links that lead nowhere, to a folder, or into none") {
  const ScratchDirectory scratch;
  fs::create_symlink("b", scratch / "a");
  fs::create_symlink("a", scratch / "b");
  CHECK(error_text([&] { cli::check_result_file(scratch / "a"); }) ==
        (scratch / "a").string() + ": symbolic links that lead nowhere (remove them, or name another file)");
  fs::create_symlink(".", scratch / "here");
  CHECK(error_text([&] {
          cli::check_result_file(scratch / "here");
        }).find(": is a directory (name a file)") != std::string::npos);
  fs::create_symlink("missing/file", scratch / "lost");
  CHECK(error_text([&] { cli::check_result_file(scratch / "lost"); }).find(": there is no folder ") !=
        std::string::npos);
}

TEST_CASE("results: a link of another user in a folder where all may write is not followed") {
  if (::geteuid() != 0) return;  // only root can make the links of others
  const ScratchDirectory scratch;
  const fs::path shared = scratch / "shared";
  fs::create_directory(shared);
  write_file(scratch / "victim", "kept");
  for (const char* name : {"of-another", "of-the-owner", "mine"})
    fs::create_symlink("../victim", shared / name);
  REQUIRE(::chmod(shared.c_str(), 01777) == 0);
  REQUIRE(::chown(shared.c_str(), 1001, 1001) == 0);
  REQUIRE(::lchown((shared / "of-the-owner").c_str(), 1001, 1001) == 0);
  REQUIRE(::lchown((shared / "of-another").c_str(), 1002, 1002) == 0);
  CHECK(error_text([&] {
          cli::write_result_file(shared / "of-another", "x");
        }).find("of-another: is a symbolic link of another user in ") != std::string::npos);
  CHECK(read_file(scratch / "victim") == "kept");
  for (const char* name : {"of-the-owner", "mine"}) {
    cli::write_result_file(shared / name, name);
    CHECK(read_file(scratch / "victim") == name);
  }
  REQUIRE(::chmod(shared.c_str(), 0755) == 0);
  CHECK_NOTHROW(cli::write_result_file(shared / "of-another", "x"));
}

TEST_CASE("one file on both sides, under any name") {
  const ScratchDirectory scratch;
  write_file(scratch / "file", "x");
  write_file(scratch / "other", "x");
  fs::create_symlink("file", scratch / "link");
  fs::create_hard_link(scratch / "file", scratch / "hard");
  const auto said = [&](const fs::path& input, const fs::path& output) {
    // in either order
    const std::string first = error_text([&] {
      cli::RunFiles files;
      files.writes(output, "-o");
      files.reads(input);
    });
    const std::string second = error_text([&] {
      cli::RunFiles files;
      files.reads(input);
      files.writes(output, "-o");
    });
    CHECK(first == second);
    return first;
  };
  for (const char* name : {"file", "link", "hard", "./file"}) {
    CHECK(said(scratch / "file", scratch / name) ==
          "-o " + (scratch / name).string() + ": is an input too (name another file)");
    CHECK(said(scratch / name, scratch / "hard").find("is an input too") != std::string::npos);
  }
  CHECK(said(scratch / "file", scratch / "other") == "(no error)");
  CHECK(said(scratch / "file", scratch / "none") == "(no error)");
  CHECK(said(scratch / "none", scratch / "none") == "(no error)");
  CHECK(said("/dev/null", "/dev/null") == "(no error)");
  CHECK(said(scratch.path(), scratch.path()) == "(no error)");
}

TEST_CASE("two outputs are two files; and none is a file of a model") {
  const ScratchDirectory scratch;
  write_file(scratch / "file", "x");
  fs::create_symlink("file", scratch / "link");
  fs::create_symlink("new", scratch / "dangling");
  const auto said = [&](const char* first, const char* second) {
    cli::RunFiles files;
    files.writes(scratch / first, "-o");
    return error_text([&] { files.writes(scratch / second, "--picture"); });
  };
  CHECK(said("file", "link") ==
        "--picture " + (scratch / "link").string() + ": is the file of -o too (name another one)");
  CHECK(said("new", "dangling").find("is the file of -o too") != std::string::npos);
  CHECK(said("new", "./new").find("is the file of -o too") != std::string::npos);
  CHECK(said("new", "file") == "(no error)");
  fs::create_directory(scratch / "model");
  for (const char* name : {"config.json", "model.safetensors", "vocab.json", "log.csv", "maps.csv"})
    write_file(scratch / "model" / name, "x");
  const auto refused = [&](const char* name) {
    cli::RunFiles files;
    return error_text([&] { files.writes(scratch / "model" / name, "-o"); });
  };
  for (const char* name : {"config.json", "model.safetensors", "vocab.json", "log.csv"})
    CHECK(refused(name).find(": is a file of the model in ") != std::string::npos);
  CHECK(refused("maps.csv") == "(no error)");  // what somebody wrote there, not the model's
  CHECK(refused("new.json") == "(no error)");
  fs::remove(scratch / "model/model.safetensors");
  CHECK(refused("vocab.json") == "(no error)");
  cli::RunFiles files;  // the folder is named as a model
  files.writes(scratch / "model/vocab.json", "-o");
  CHECK(error_text([&] { files.reads_model(scratch / "model"); }).find("is a file of the model") !=
        std::string::npos);
}
