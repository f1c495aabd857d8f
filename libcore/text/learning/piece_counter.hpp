// Counting the pieces of text that vocabularies are learned from: the words of a pre-tokenizer, say.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "text/tokenizer/word_table.hpp"

namespace headwater {

// The same lines in any order, cut into any blocks, on any number of threads give the same counts; in which
// order a table holds them depends on all of these, so whoever reads one sorts first (by_bytes,
// most_frequent).
class PieceCounter {
 public:
  // Adds 1 to the table's value for each piece of `lines`: whole lines, with their LF, which is in no piece.
  // Called from several threads at once.
  using Count = std::function<void(std::string_view lines, WordTable& counts)>;
  explicit PieceCounter(Count count);

  // Whole lines separated by LF. Large blocks are counted in parallel.
  void add(std::string_view lines);
  // Pieces that were counted elsewhere.
  void add(std::string_view piece, std::uint64_t count);

  // The sum of all, which leaves nothing here.
  WordTable finish();

 private:
  std::unique_ptr<WordTable> borrow();
  void give_back(std::unique_ptr<WordTable> table);

  Count count_;
  // Lent to one task at a time: there are as many as tasks ran at once. Sums of counts do not show who
  // counted what.
  std::vector<std::unique_ptr<WordTable>> tables_;
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

// The entries of a table of counts in an order that does not depend on how it was filled: by bytes ascending.
std::vector<WordTable::Entry> by_bytes(const WordTable& counts);
// The `most` entries with the highest counts: descending, ties by bytes descending.
std::vector<WordTable::Entry> most_frequent(const WordTable& counts, std::size_t most);

}  // namespace headwater
