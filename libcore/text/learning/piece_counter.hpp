// Counting the pieces of text that vocabularies are learned from: the words of a pre-tokenizer, say.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "text/learning/piece_counts.hpp"

namespace headwater {

// The same lines in any order, cut into any blocks, on any number of threads give the same counts; in which
// order a table holds them depends on all of these, so whoever reads one sorts first (by_bytes,
// most_frequent).
class PieceCounter {
 public:
  // Adds 1 to the table's value for each piece of `lines`: whole lines, with their LF, which is in no piece.
  // Called from several threads at once.
  using Count = std::function<void(std::string_view lines, WordTable& counts)>;
  // More different pieces than `most_pieces` go to temporary files, sorted, so that the memory is bounded: as
  // many take about 0.4 GB. What is counted does not depend on it.
  static constexpr std::size_t kMostPieces = std::size_t{1} << 22;
  explicit PieceCounter(Count count, std::size_t most_pieces = kMostPieces);

  // Whole lines separated by LF. Large blocks are counted in parallel.
  void add(std::string_view lines);
  // Pieces that were counted elsewhere, by one thread. Throws Error where they are more than kMostTextBytes.
  void add(std::string_view piece, std::uint64_t count);

  // The sum of all, which leaves nothing here.
  PieceCounts finish();

 private:
  std::unique_ptr<WordTable> borrow();
  void give_back(std::unique_ptr<WordTable> table);
  void add(std::unique_ptr<WordTable> table);  // to the files

  Count count_;
  // Lent to one task at a time: there are as many as tasks ran at once. Sums of counts do not show who
  // counted what.
  std::vector<std::unique_ptr<WordTable>> tables_;
  std::size_t made_ = 0;             // tables that there are, lent or not
  std::uint64_t counted_bytes_ = 0;  // of pieces that were counted elsewhere
  std::vector<std::unique_ptr<SortedPieces>> runs_;
  std::size_t most_pieces_;
  std::mutex mutex_;
};

// Calls use(line) for each line of whole lines, without its LF.
template <class Use>
void for_each_line(std::string_view lines, const Use& use) {
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    use(lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
}

}  // namespace headwater
