// A file of lines, or standard input, as bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headwater::cli {

// Throws Error, with the pipe to type, where a file that begins with `bytes` is a compressed one. `name` is
// "-" for standard input.
void refuse_compressed(std::string_view bytes, const std::string& name);

// What the inputs hold from here on, "-" for standard input: 0 where one is no regular file, so that it is
// not known; nothing where one is not there, or comes from a terminal.
std::optional<std::uint64_t> bytes_to_read(const std::vector<std::string>& paths);

// Closes what it opened; standard input stays open.
class InputFile {
 public:
  InputFile() = default;
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile() { close(); }

  // Throws Error where there is no file, or one that may not be read.
  static void check_readable(const std::string& path);

  // "-": standard input; on a terminal a one-line hint goes to stderr.
  void open(const std::string& path);
  void close();
  bool is_open() const { return descriptor_ >= 0; }
  const std::string& name() const { return name_; }

  // Bytes read, 0 at the end.
  std::size_t read(char* to, std::size_t most) const;
  // Whether a read would return at once (with data or with the end).
  bool is_ready() const;

 private:
  std::string name_;
  int descriptor_ = -1;
};

}  // namespace headwater::cli
