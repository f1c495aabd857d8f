#include "text/learning/piece_counter.hpp"

#include <utility>

#include "support/error.hpp"
#include "support/parallel.hpp"

namespace headwater {
namespace {

// Begins of blocks of whole lines of at least `bytes` each, and the end of the text.
std::vector<std::size_t> cuts_at_lines(std::string_view lines, std::size_t bytes) {
  std::vector<std::size_t> cuts = {0};
  while (lines.size() - cuts.back() > bytes) {
    const std::size_t end = lines.find('\n', cuts.back() + bytes);
    if (end == lines.npos) break;
    cuts.push_back(end + 1);
  }
  cuts.push_back(lines.size());
  return cuts;
}

}  // namespace

PieceCounter::PieceCounter(Count count, std::size_t most_pieces)
    : count_(std::move(count)), most_pieces_(most_pieces) {}

std::unique_ptr<WordTable> PieceCounter::borrow() {
  const std::lock_guard lock(mutex_);
  if (tables_.empty()) {
    ++made_;
    return std::make_unique<WordTable>();
  }
  std::unique_ptr<WordTable> table = std::move(tables_.back());
  tables_.pop_back();
  return table;
}

void PieceCounter::give_back(std::unique_ptr<WordTable> table) {
  {
    const std::lock_guard lock(mutex_);
    if (table->size() * made_ < most_pieces_) {
      tables_.push_back(std::move(table));
      return;
    }
    --made_;
  }
  add(std::move(table));
}

void PieceCounter::add(std::string_view lines) {
  constexpr std::size_t kChunkBytes = std::size_t{256} << 10;
  const std::vector<std::size_t> cuts = cuts_at_lines(lines, kChunkBytes);
  parallel_for(static_cast<std::int64_t>(cuts.size()) - 1, [&](std::int64_t i) {
    const auto chunk = static_cast<std::size_t>(i);
    std::unique_ptr<WordTable> table = borrow();
    count_(lines.substr(cuts[chunk], cuts[chunk + 1] - cuts[chunk]), *table);
    give_back(std::move(table));
  });
}

void PieceCounter::add(std::string_view piece, std::uint64_t count) {
  // Every sum that a learner makes of counts is at most this one.
  if (count > (kMostTextBytes - counted_bytes_) / (piece.size() + 1))
    throw Error("the counts exceed 2^62 bytes of text");
  counted_bytes_ += count * (piece.size() + 1);
  std::unique_ptr<WordTable> table = borrow();
  table->value(piece) += count;
  give_back(std::move(table));
}

void PieceCounter::add(std::unique_ptr<WordTable> table) {
  auto run = std::make_unique<SortedPieces>();
  for (const WordTable::Entry& entry : by_bytes(*table)) run->add(entry.word(), entry.value);
  run->finish();
  table.reset();
  const std::lock_guard lock(mutex_);
  runs_.push_back(std::move(run));
  // As many files are open at once, and mapped.
  constexpr std::size_t kMostRuns = 32;
  if (runs_.size() < kMostRuns) return;
  std::unique_ptr<SortedPieces> all = merged(runs_);
  runs_.clear();
  runs_.push_back(std::move(all));
}

PieceCounts PieceCounter::finish() {
  if (runs_.empty()) {
    const std::unique_ptr<WordTable> all = borrow();
    for (; !tables_.empty(); tables_.pop_back()) {
      for (const WordTable::Entry& entry : tables_.back()->entries()) all->value(entry.word()) += entry.value;
    }
    return PieceCounts(std::move(*all));
  }
  for (; !tables_.empty(); tables_.pop_back()) add(std::move(tables_.back()));
  return PieceCounts(merged(std::exchange(runs_, {})));
}

}  // namespace headwater
