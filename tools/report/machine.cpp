// The machine that a report is made on.
#include <unistd.h>

#include <fstream>

#include "support/error.hpp"
#include "support/numbers.hpp"
#include "tools/report/report.hpp"

namespace headwater::report {

std::string machine() {
  const auto value_of = [](const char* path, std::string_view key) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      if (!line.starts_with(key)) continue;
      const std::size_t colon = line.find(':');
      if (colon == std::string::npos) continue;
      const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
      return begin == std::string::npos ? std::string() : line.substr(begin);
    }
    return std::string();
  };
  std::string text = visible(value_of("/proc/cpuinfo", "model name"));
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  if (processors > 0) add(counted(processors, "processor"));
  const double kibibytes = std::strtod(value_of("/proc/meminfo", "MemTotal").c_str(), nullptr);
  if (kibibytes > 0) add(format_fixed(kibibytes / (1 << 20), 0) + " GiB");
  return text;
}

}  // namespace headwater::report
