#include "metrics/parallel_text.hpp"

#include "support/error.hpp"

namespace headwater {

void check_parallel(std::span<const std::string> hypotheses,
                    std::span<const std::vector<std::string>> references) {
  if (references.empty()) throw Error("scores: no references (give at least one file of them)");
  for (std::size_t r = 0; r < references.size(); ++r) {
    if (references[r].size() != hypotheses.size()) {
      throw Error("scores: " + std::to_string(hypotheses.size()) + " hypotheses, but " +
                  std::to_string(references[r].size()) + " lines in reference set " + std::to_string(r + 1) +
                  " (line i of each belongs to line i of the others)");
    }
  }
  if (hypotheses.empty()) throw Error("scores: no lines (a score needs at least one)");
}

}  // namespace headwater
