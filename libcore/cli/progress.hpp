// Progress of long work on stderr: a bar with ETA on a terminal, a line now and then elsewhere.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

namespace headwater::cli {

class Progress {
 public:
  // hours: as above. minutes: on a terminal alone, and only from the third second on.
  enum class Takes { hours, minutes };
  // `unit` names what is counted beside steps, e.g. "tokens". is_quiet: nothing at all. total 0: unknown.
  Progress(std::string label, double total, std::string unit, bool is_quiet, Takes takes = Takes::hours);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  // `done` of total; `amount` units processed so far; `detail` e.g. "loss 3.21".
  // Cheap: draws at most ten times a second on a terminal, prints a line every 30 seconds elsewhere.
  void update(double done, double amount, std::string_view detail);
  // The same with a text that is made when it is drawn.
  void update(double done, double amount, const std::function<std::string()>& detail);
  // Clears the bar so that a line can be printed, as note() does by itself; the next update draws it again.
  void clear();
  // Ends the bar with one line that stays.
  void finish(std::string_view detail);

 private:
  // Takes the figures; whether they are to be shown now.
  bool is_due(double done, double amount);
  void draw(std::string_view detail, bool is_final);
  std::string label_, unit_;
  double total_ = 0, done_ = 0, amount_ = 0;
  double first_done_ = -1, first_amount_ = 0;  // where this run began (a resumed one does not begin at 0)
  bool is_quiet_, is_terminal_, is_drawn_ = false;
  double first_frame_ = 0;  // seconds
  std::chrono::steady_clock::time_point start_, last_;
};

// "0:07", "12:34", "3:02:01"; "?" where unknown (negative, not finite, over 1000 hours).
std::string format_duration(double seconds);

// A count with a thousands separator and no more digits than matter: "0.25", "7.3", "812", "12,345".
std::string format_rate(double a_second);

// One line of progress without its end, at most `columns` wide (0: any): "label  37% loss 3.2, ETA 3:20,
// 12,345 tokens/s [####--------]". The bar only where all of it fits. share < 0: unknown total, no bar.
struct ProgressLine {
  std::string_view label, unit, detail;
  double share = -1, units_a_second = 0, seconds = 0, seconds_left = -1;
  bool has_bar = false;
  std::size_t columns = 0;
};
std::string format_progress(const ProgressLine& line);

}  // namespace headwater::cli
