// LineWriter: lines to standard output.
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <exception>

#include "cli/lines.hpp"
#include "cli/output.hpp"

namespace headwater::cli {
namespace {

constexpr std::size_t kWriteBlock = std::size_t{1} << 16;

}  // namespace

void end_if_output_is_closed() {
  pollfd output{STDOUT_FILENO, 0, 0};
  if (::poll(&output, 1, 0) <= 0 || (output.revents & POLLERR) == 0) return;
  ::raise(SIGPIPE);
  throw output_error(EPIPE);
}

LineWriter::LineWriter() { buffer_.reserve(kWriteBlock * 2); }

LineWriter::~LineWriter() {
  try {
    flush();
  } catch (const std::exception&) {
    remember_lost_output(errno);
  }
}

void LineWriter::line(std::string_view text) {
  buffer_ += text;
  buffer_ += '\n';
  if (buffer_.size() >= kWriteBlock) flush();
}

void LineWriter::text(std::string_view text) {
  if (text.size() >= kWriteBlock) {
    flush();
    return write_output(text);
  }
  buffer_ += text;
  if (buffer_.size() >= kWriteBlock) flush();
}

void LineWriter::flush() {
  if (buffer_.empty()) return;
  const std::string_view bytes = buffer_;
  try {
    write_output(bytes);
  } catch (...) {
    buffer_.clear();  // not tried again: the destructor must not repeat half of it
    throw;
  }
  buffer_.clear();
}

}  // namespace headwater::cli
