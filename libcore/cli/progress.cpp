#include "cli/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cli/output.hpp"
#include "cli/tool.hpp"
#include "support/utf8.hpp"

namespace headwater::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kSecondsBetweenFrames = 0.1;
constexpr double kSecondsBetweenLines = 30;
constexpr double kSecondsOfShortWork = 2;  // what is done by then shows no bar
constexpr std::size_t kBarWidth = 12;

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

bool can_animate() {
  if (::isatty(STDERR_FILENO) == 0) return false;
  const char* terminal = std::getenv("TERM");
  return terminal != nullptr && std::strcmp(terminal, "dumb") != 0;
}

std::size_t terminal_columns() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 20) return 79;
  return size.ws_col - 1u;  // the last column would wrap on some terminals
}

// The one that is drawn, if any: a terminal has one last line.
Progress*& bar_on_screen() {
  static Progress* bar = nullptr;
  return bar;
}

std::string cut(std::string text, std::size_t columns) {
  if (columns == 0) return text;
  std::size_t at = 0;
  for (std::size_t shown = 0; at < text.size() && shown < columns; ++shown) {
    at += std::max<std::size_t>(utf8_sequence_length(std::string_view(text).substr(at)), 1);
  }
  text.resize(std::min(at, text.size()));
  return text;
}

}  // namespace

void clear_progress() {
  if (bar_on_screen() != nullptr) bar_on_screen()->clear();
}

std::string format_duration(double seconds) {
  if (!(seconds >= 0) || seconds > 3.6e6) return "?";
  const long whole = std::lround(seconds);
  char out[32];
  if (whole >= 3600) {
    std::snprintf(out, sizeof out, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
  } else {
    std::snprintf(out, sizeof out, "%ld:%02ld", whole / 60, whole % 60);
  }
  return out;
}

std::string format_rate(double a_second) {
  if (!std::isfinite(a_second) || a_second < 0 || a_second > 1e15) return "?";
  char out[32];
  if (a_second < 100) {
    std::snprintf(out, sizeof out, a_second < 1 ? "%.2f" : "%.1f", a_second);
    return out;
  }
  std::string digits = std::to_string(std::llround(a_second));
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string format_progress(const ProgressLine& line) {
  std::string out(line.label);
  const double share = std::clamp(line.share, 0.0, 1.0);
  if (line.share >= 0) {
    char percent[16];
    std::snprintf(percent, sizeof percent, " %3d%%", static_cast<int>(share * 100));
    out += percent;
  }
  if (!line.detail.empty()) out.append(" ").append(line.detail).append(",");
  out += line.share >= 0 ? " ETA " + format_duration(line.seconds_left) : " " + format_duration(line.seconds);
  if (line.units_a_second > 0)
    out += ", " + format_rate(line.units_a_second) + " " + std::string(line.unit) + "/s";
  if (!line.has_bar || line.share < 0) return cut(std::move(out), line.columns);
  // What is drawn goes where there is room left.
  const auto full = static_cast<std::size_t>(share * kBarWidth);
  const std::string bar = " [" + std::string(full, '#') + std::string(kBarWidth - full, '-') + "]";
  if (line.columns == 0 || count_code_points(out) + bar.size() <= line.columns) out += bar;
  return cut(std::move(out), line.columns);
}

Progress::Progress(std::string label, double total, std::string unit, bool is_quiet, Takes takes)
    : label_(std::move(label)),
      unit_(std::move(unit)),
      total_(total),
      is_quiet_(is_quiet),
      is_terminal_(!is_quiet && can_animate()),
      first_frame_(takes == Takes::minutes ? kSecondsOfShortWork : 0),
      start_(Clock::now()),
      last_(start_) {
  if (takes == Takes::minutes && !is_terminal_) is_quiet_ = true;
}

Progress::~Progress() { clear(); }

void Progress::update(double done, double amount, std::string_view detail) {
  if (is_due(done, amount)) draw(detail, false);
}

void Progress::update(double done, double amount, const std::function<std::string()>& detail) {
  if (is_due(done, amount)) draw(detail(), false);
}

bool Progress::is_due(double done, double amount) {
  if (is_quiet_) return false;
  const Clock::time_point now = Clock::now();
  if (first_done_ < 0) {
    first_done_ = done;
    first_amount_ = amount;
    start_ = last_ = now;
  }
  done_ = done;
  amount_ = amount;
  const bool is_time =
      seconds_between(last_, now) >= (is_terminal_ ? kSecondsBetweenFrames : kSecondsBetweenLines);
  if (!is_time || (is_terminal_ && seconds_between(start_, now) < first_frame_)) return false;
  last_ = now;
  return true;
}

void Progress::clear() {
  if (!is_drawn_) return;
  write_messages("\r\x1b[K");
  is_drawn_ = false;
  bar_on_screen() = nullptr;
}

void Progress::finish(std::string_view detail) {
  if (is_quiet_) return;
  clear();
  draw(detail, true);
}

void Progress::draw(std::string_view detail, bool is_final) {
  const double elapsed = seconds_between(start_, Clock::now());
  const double steps = done_ - std::max(first_done_, 0.0);
  ProgressLine line{label_, unit_, detail};
  line.seconds = elapsed;
  if (elapsed > 0) line.units_a_second = (amount_ - first_amount_) / elapsed;
  if (is_final) {
    note(format_progress(line));
    return;
  }
  if (total_ > 0) {
    line.share = done_ / total_;
    line.seconds_left = steps > 0 ? elapsed / steps * (total_ - done_) : -1;
  }
  if (!is_terminal_) {
    note(format_progress(line));
    return;
  }
  line.has_bar = true;
  line.columns = terminal_columns();
  write_messages("\r" + format_progress(line) + "\x1b[K");
  is_drawn_ = true;
  bar_on_screen() = this;
}

}  // namespace headwater::cli
