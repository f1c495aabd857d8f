// Several things that are wrong with one call, each worth a line of its own.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "support/error.hpp"

namespace headwater {

class SeveralErrors : public UsageError {
 public:
  explicit SeveralErrors(std::vector<std::string> lines)
      : UsageError(joined(lines)), lines_(std::move(lines)) {}
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  static std::string joined(const std::vector<std::string>& lines) {
    std::string out;
    for (const std::string& line : lines) out += (out.empty() ? "" : "\n") + line;
    return out;
  }

  std::vector<std::string> lines_;
};

}  // namespace headwater
