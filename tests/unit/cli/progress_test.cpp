#include "cli/progress.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <string>
#include <thread>

#include "cli/lines.hpp"
#include "cli/tool.hpp"
#include "scratch_directory.hpp"
#include "support/files.hpp"

using namespace headwater::cli;

TEST_CASE("durations") {
  CHECK(format_duration(0) == "0:00");
  CHECK(format_duration(7.4) == "0:07");
  CHECK(format_duration(59.6) == "1:00");
  CHECK(format_duration(754) == "12:34");
  CHECK(format_duration(3 * 3600 + 121) == "3:02:01");
  CHECK(format_duration(-1) == "?");
  CHECK(format_duration(NAN) == "?");
  CHECK(format_duration(INFINITY) == "?");
}

TEST_CASE("rates") {
  CHECK(format_rate(0.254) == "0.25");
  CHECK(format_rate(7.26) == "7.3");
  CHECK(format_rate(812.4) == "812");
  CHECK(format_rate(12345) == "12,345");
  CHECK(format_rate(1234567) == "1,234,567");
  CHECK(format_rate(NAN) == "?");
  CHECK(format_rate(-3) == "?");
}

TEST_CASE("one line of progress") {
  ProgressLine line;
  line.label = "epoch 1";
  line.unit = "tokens";
  line.detail = "loss 3.21";
  line.units_a_second = 12345;
  line.seconds = 61;
  CHECK(format_progress(line) == "epoch 1 loss 3.21, 1:01, 12,345 tokens/s");
  line.share = 0.5;
  line.seconds_left = 61;
  CHECK(format_progress(line) == "epoch 1  50% loss 3.21, ETA 1:01, 12,345 tokens/s");
  line.has_bar = true;
  CHECK(format_progress(line) == "epoch 1  50% loss 3.21, ETA 1:01, 12,345 tokens/s [######------]");
  line.columns = 63;  // a column less than the whole
  CHECK(format_progress(line) == "epoch 1  50% loss 3.21, ETA 1:01, 12,345 tokens/s");
  line.columns = 20;
  CHECK(format_progress(line) == "epoch 1  50% loss 3.");
  line.detail = "";
  line.share = 1.7;
  line.seconds_left = -1;
  line.columns = 0;
  CHECK(format_progress(line) == "epoch 1 100% ETA ?, 12,345 tokens/s [############]");
}

TEST_CASE("80 columns have room for the figures of a long run, and for the bar of most") {
  ProgressLine line{"train", "tokens", "loss 10.1234, epoch 123/150"};
  line.units_a_second = 1234567;
  line.share = 0.999;
  line.seconds_left = 36000;
  line.has_bar = true;
  line.columns = 79;
  CHECK(format_progress(line) == "train  99% loss 10.1234, epoch 123/150, ETA 10:00:00, 1,234,567 tokens/s");
  line.detail = "loss 3.1234, epoch 3/15";
  line.units_a_second = 12345;
  line.seconds_left = 754;
  CHECK(format_progress(line) ==
        "train  99% loss 3.1234, epoch 3/15, ETA 12:34, 12,345 tokens/s [###########-]");
}

TEST_CASE("a cut never splits a character") {
  ProgressLine line;
  line.label = "\xC3\xA9\xC3\xA9\xC3\xA9";
  line.columns = 2;
  CHECK(format_progress(line) == "\xC3\xA9\xC3\xA9");
}

namespace {

// Standard error on a terminal of its own, and standard output on nothing.
class Terminal {
 public:
  Terminal() : master_(::posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK)) {
    ::grantpt(master_);
    ::unlockpt(master_);
    const int terminal = ::open(::ptsname(master_), O_RDWR | O_NOCTTY),
              nothing = ::open("/dev/null", O_WRONLY);
    const winsize size{24, 100, 0, 0};
    ::ioctl(terminal, TIOCSWINSZ, &size);
    ::dup2(terminal, STDERR_FILENO);
    ::dup2(nothing, STDOUT_FILENO);
    ::close(terminal);
    ::close(nothing);
    ::setenv("TERM", "xterm", 1);
  }
  ~Terminal() {
    ::dup2(errors_, STDERR_FILENO);
    ::dup2(output_, STDOUT_FILENO);
    for (const int descriptor : {errors_, output_, master_}) ::close(descriptor);
  }
  // What was written since the last call. The system passes it on a little later.
  std::string text() const {
    std::string text;
    pollfd waiting{master_, POLLIN, 0};
    for (char piece[10000]; ::poll(&waiting, 1, 200) > 0;) {
      const ssize_t got = ::read(master_, piece, sizeof piece);
      if (got <= 0) break;
      text.append(piece, static_cast<std::size_t>(got));
    }
    return text;
  }

 private:
  int errors_ = ::dup(STDERR_FILENO), output_ = ::dup(STDOUT_FILENO), master_;
};

}  // namespace

TEST_CASE("a reader of files shows their share from the third second on, and steps aside for a note") {
  const ScratchDirectory scratch;
  const auto file = scratch / "lines";
  headwater::write_file(file, "one\ntwo\nthree\nfour\n");  // 19 bytes
  std::string early, late, noted, ended;
  {
    const Terminal terminal;
    LineReader reader({file.string(), file.string()});
    reader.show_progress(false);
    std::string_view line;
    reader.next(line);
    early = terminal.text();
    std::this_thread::sleep_for(std::chrono::milliseconds(2100));
    for (int i = 0; i < 3; ++i) reader.next(line);
    late = terminal.text();
    note("a note");
    noted = terminal.text();
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    while (reader.next(line)) {
    }
    ended = terminal.text();
  }
  CHECK(early == "");
  CHECK(late.starts_with("\r"));
  // at the first call after two seconds one line of 4 bytes was done
  CHECK(late.find(" 10% 1 line, ETA 0:") != std::string::npos);
  CHECK(late.find(", 0.") != std::string::npos);
  CHECK(late.ends_with(" lines/s [#-----------]\x1b[K"));
  CHECK(noted.starts_with("\r\x1b[K"));
  CHECK(noted.ends_with(": a note\r\n"));
  CHECK(ended.find("% 4 lines, ETA 0:") != std::string::npos);
  CHECK(ended.ends_with("\r\x1b[K"));
}
