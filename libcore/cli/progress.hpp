// Progress of long work on stderr: a bar with ETA on a terminal, a line now and then elsewhere.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace headwater::cli {

class Progress {
 public:
  // `unit` names what is counted beside steps, e.g. "tokens". is_quiet: nothing at all. total 0: unknown.
  Progress(std::string label, double total, std::string unit, bool is_quiet);
  ~Progress();
  // `done` of total; `amount` units processed so far; `detail` e.g. "loss 3.21".
  void update(double done, double amount, std::string_view detail);
  // Clears the bar so that a line can be printed; the next update draws it again.
  void clear();
  void finish(std::string_view detail);

 private:
  void draw(std::string_view detail, bool is_final);
  std::string label_, unit_;
  double total_ = 0, done_ = 0, amount_ = 0, first_done_ = -1;
  bool is_quiet_, is_terminal_, is_drawn_ = false;
  std::chrono::steady_clock::time_point start_, last_;
};

}  // namespace headwater::cli
