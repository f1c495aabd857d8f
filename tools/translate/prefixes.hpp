// What the translation of each line begins with.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/lines.hpp"

namespace headwater::translate {

// A line for each line of text.
class Prefixes {
 public:
  Prefixes(const std::string& path, cli::LineReaderSettings settings);
  // The prefixes of the lines that `texts` gave last. Throws Error at the first that has none.
  const std::vector<std::string>& next(const cli::LineReader& texts, std::size_t lines);
  // Throws Error where one is left.
  void finish();

 private:
  std::string path_;
  cli::LineReader reader_;
  std::vector<std::string> lines_;
};

}  // namespace headwater::translate
