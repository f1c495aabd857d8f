// Pieces of text and how often each occurs: in memory, or, where they are too many, in a temporary file.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/files.hpp"
#include "text/tokenizer/word_table.hpp"

namespace headwater {

// Most bytes of the text that counts stand for, so that no sum of them wraps.
inline constexpr std::uint64_t kMostTextBytes = std::uint64_t{1} << 62;

// The entries of a table of counts in an order that does not depend on how it was filled: by bytes ascending.
std::vector<WordTable::Entry> by_bytes(const WordTable& counts);
// The `most` entries with the highest counts: descending, ties by bytes descending.
std::vector<WordTable::Entry> most_frequent(const WordTable& counts, std::size_t most);

// Different pieces by their bytes, ascending, in a file without a name: of each the count (64-bit), the
// number of its bytes (32-bit), and these.
class SortedPieces {
 public:
  // In ascending order; then finish().
  void add(std::string_view piece, std::uint64_t count);
  void finish();
  std::uint64_t size() const { return size_; }

  // The pieces one after the other. Its entry is valid until the next one.
  class Reader {
   public:
    explicit Reader(const SortedPieces& pieces) : file_(pieces.file_.mapped()) {}
    // False after the last.
    bool next(WordTable::Entry& entry);

   private:
    MappedFile file_;
    std::size_t at_ = 0, released_ = 0;
  };

 private:
  UnnamedFile file_;
  std::string buffer_;
  std::uint64_t size_ = 0;
};

class PieceCounts {
 public:
  // Looks at a table that stays the caller's.
  PieceCounts(const WordTable& table) : table_(&table) {}  // NOLINT(google-explicit-constructor): a view
  explicit PieceCounts(WordTable&& table)
      : own_(std::make_unique<WordTable>(std::move(table))), table_(own_.get()) {}
  explicit PieceCounts(std::unique_ptr<SortedPieces> sorted) : sorted_(std::move(sorted)) {}

  std::uint64_t distinct() const { return sorted_ ? sorted_->size() : table_->size(); }

  // use(entry) for each piece, in any order. An entry is valid while it is used.
  template <class Use>
  void for_each(const Use& use) const {
    if (!sorted_) {
      for (const WordTable::Entry& entry : table_->entries()) use(entry);
      return;
    }
    SortedPieces::Reader reader(*sorted_);
    for (WordTable::Entry entry; reader.next(entry);) use(entry);
  }

  // The same by bytes ascending.
  template <class Use>
  void for_each_by_bytes(const Use& use) const {
    if (sorted_) return for_each(use);
    for (const WordTable::Entry& entry : by_bytes(*table_)) use(entry);
  }

  // All of them in memory.
  const WordTable& table();

 private:
  std::unique_ptr<WordTable> own_;
  const WordTable* table_ = nullptr;
  std::unique_ptr<SortedPieces> sorted_;
};

// A line of a file of counts (libcore/FORMATS.md): the count, a TAB, the piece as in token lines.
void append_counted_piece(std::string& text, std::string_view piece, std::uint64_t count);

struct CountedPiece {
  std::string piece;
  std::uint64_t count = 0;  // 1 to 2^60
};

// Reads a line without its end. Throws Error " what" or "COLUMN: what".
CountedPiece parse_counted_piece(std::string_view line);

// Sums the counts of pieces that stand in several.
std::unique_ptr<SortedPieces> merged(const std::vector<std::unique_ptr<SortedPieces>>& runs);

// Counting the pieces of text that vocabularies are learned from: the words of a pre-tokenizer, say. The same
// lines in any order, cut into any blocks, on any number of threads give the same counts; in which
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
