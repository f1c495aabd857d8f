#include "cli/input_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "cli/output.hpp"
#include "cli/tool.hpp"
#include "support/error.hpp"

namespace headwater::cli {
namespace {

// A sentence where a file is wanted is text that somebody meant to be read.
std::string cannot_open(const std::string& path) {
  const bool is_sentence = errno == ENOENT && path.find(' ') != std::string::npos;
  return path + ": cannot open: " + system_reason(errno) +
         (is_sentence ? " (files are named here; text itself comes by standard input: echo TEXT | ...)" : "");
}

struct Compression {
  std::string_view magic, kind, of_file, of_pipe;  // and the commands that unpack it
};
constexpr Compression kCompressions[] = {{"\x1F\x8B", "gzip", "gzip -dc", "gzip -dc"},
                                         {std::string_view("\xFD"
                                                           "7zXZ\0",
                                                           6),
                                          "xz", "xz -dc", "xz -dc"},
                                         {"\x28\xB5\x2F\xFD", "zstd", "zstd -dc", "zstd -dc"},
                                         {"BZh91AY&SY", "bzip2", "bzip2 -dc", "bzip2 -dc"},
                                         {"PK\x03\x04", "zip", "unzip -p", "funzip"}};

bool begins_with(std::string_view bytes, const Compression& compression) {
  const std::string_view magic = compression.magic;
  if (!magic.starts_with("BZh")) return bytes.starts_with(magic);
  // the digit is the size of its blocks
  return bytes.starts_with("BZh") && bytes.size() >= magic.size() && bytes[3] >= '1' && bytes[3] <= '9' &&
         bytes.substr(4).starts_with(magic.substr(4));
}

}  // namespace

void refuse_compressed(std::string_view bytes, const std::string& name) {
  for (const Compression& compression : kCompressions) {
    if (!begins_with(bytes, compression)) continue;
    const std::string pipe = name == "-" ? "... | " + std::string(compression.of_pipe)
                                         : std::string(compression.of_file) + " " + name;
    throw Error(name + ": compressed, by " + std::string(compression.kind) +
                " (unpack it in a pipe: " + pipe + " | " + std::string(tool_name()) + " ...)");
  }
}

std::optional<std::uint64_t> bytes_to_read(const std::vector<std::string>& paths) {
  std::uint64_t bytes = 0;
  bool is_known = true;
  for (const std::string& path : paths) {
    struct stat status {};
    const bool is_input = path == "-";
    if ((is_input ? ::fstat(STDIN_FILENO, &status) : ::stat(path.c_str(), &status)) != 0) return {};
    if (is_input && ::isatty(STDIN_FILENO) != 0) return {};
    is_known = is_known && S_ISREG(status.st_mode);
    const off_t at = is_input && is_known ? std::max<off_t>(::lseek(STDIN_FILENO, 0, SEEK_CUR), 0) : 0;
    bytes += static_cast<std::uint64_t>(std::max<off_t>(status.st_size - at, 0));
  }
  return is_known ? bytes : 0;
}

void InputFile::check_readable(const std::string& path) {
  if (::access(path.c_str(), R_OK) != 0) throw Error(cannot_open(path));
  std::error_code none;
  if (std::filesystem::is_directory(path, none)) throw Error(path + ": is a directory (name a file)");
}

void InputFile::open(const std::string& path) {
  name_ = path;
  if (path == "-") {
    descriptor_ = STDIN_FILENO;
    if (::isatty(STDIN_FILENO) != 0) note("reading standard input; one example a line, end with Ctrl-D");
    return;
  }
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) throw Error(cannot_open(path));
}

void InputFile::close() {
  if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
  descriptor_ = -1;
}

std::size_t InputFile::read(char* to, std::size_t most) const {
  while (true) {
    const ssize_t got = ::read(descriptor_, to, most);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno == EINTR) continue;
    if (errno == EAGAIN) {
      pollfd waiting{descriptor_, POLLIN, 0};
      ::poll(&waiting, 1, -1);
      continue;
    }
    if (errno == EISDIR) throw Error(name_ + ": is a directory (name a file)");
    throw Error(name_ + ": cannot read: " + system_reason(errno));
  }
}

bool InputFile::is_ready() const {
  pollfd waiting{descriptor_, POLLIN, 0};
  return ::poll(&waiting, 1, 0) > 0;
}

}  // namespace headwater::cli
