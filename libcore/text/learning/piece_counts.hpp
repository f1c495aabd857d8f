// Pieces of text and how often each occurs: in memory, or, where they are too many, in a temporary file.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
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

}  // namespace headwater
