#include "text/learning/piece_counts.hpp"

#include <queue>

#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/parallel.hpp"
#include "text/tokenizer/token_lines.hpp"

namespace headwater {

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
constexpr std::size_t kReadBeforeRelease = std::size_t{1} << 20;  // bytes
constexpr std::size_t kCountBytes = sizeof(std::uint64_t), kLengthBytes = sizeof(std::uint32_t);

}  // namespace

void append_counted_piece(std::string& text, std::string_view piece, std::uint64_t count) {
  (text += std::to_string(count)).push_back('\t');
  append_token(text, text.size(), piece);
  text.push_back('\n');
}

CountedPiece parse_counted_piece(std::string_view line) {
  CountedPiece counted;
  const std::size_t tab = line.find('\t');
  if (tab == line.npos || !parse_number(line.substr(0, tab), counted.count) || counted.count == 0 ||
      counted.count > std::uint64_t{1} << 60)
    throw Error(" expected a count, a TAB and a piece, found " + quote(line));
  const std::vector<std::string> pieces = tokens_of_line(line.substr(tab + 1));
  if (pieces.size() != 1) throw Error(" expected one piece, found " + quote(line.substr(tab + 1)));
  counted.piece = pieces.front();
  return counted;
}

void SortedPieces::add(std::string_view piece, std::uint64_t count) {
  const auto length = static_cast<std::uint32_t>(piece.size());
  char numbers[kCountBytes + kLengthBytes];
  std::memcpy(numbers, &count, kCountBytes);
  std::memcpy(numbers + kCountBytes, &length, kLengthBytes);
  buffer_.append(numbers, sizeof numbers).append(piece);
  ++size_;
  if (buffer_.size() < kBufferBytes) return;
  file_.write(buffer_);
  buffer_.clear();
}

void SortedPieces::finish() {
  file_.write(buffer_);
  buffer_ = {};
}

bool SortedPieces::Reader::next(WordTable::Entry& entry) {
  const std::string_view bytes = file_.bytes();
  if (at_ == bytes.size()) return false;
  if (at_ - released_ > kReadBeforeRelease) {
    file_.release();
    released_ = at_;
  }
  std::memcpy(&entry.value, bytes.data() + at_, kCountBytes);
  std::memcpy(&entry.length, bytes.data() + at_ + kCountBytes, kLengthBytes);
  entry.data = bytes.data() + at_ + kCountBytes + kLengthBytes;
  at_ += kCountBytes + kLengthBytes + entry.length;
  return true;
}

const WordTable& PieceCounts::table() {
  if (table_ == nullptr) {
    own_ = std::make_unique<WordTable>();
    for_each([&](const WordTable::Entry& entry) { own_->value(entry.word()) = entry.value; });
    table_ = own_.get();
  }
  return *table_;
}

std::unique_ptr<SortedPieces> merged(const std::vector<std::unique_ptr<SortedPieces>>& runs) {
  std::vector<SortedPieces::Reader> readers;
  readers.reserve(runs.size());
  std::vector<WordTable::Entry> heads(runs.size());
  const auto is_later = [&](std::size_t a, std::size_t b) { return heads[a].word() > heads[b].word(); };
  std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(is_later)> next(is_later);
  for (std::size_t run = 0; run < runs.size(); ++run) {
    if (readers.emplace_back(*runs[run]).next(heads[run])) next.push(run);
  }
  auto all = std::make_unique<SortedPieces>();
  std::string piece;
  while (!next.empty()) {
    piece = heads[next.top()].word();
    std::uint64_t count = 0;
    while (!next.empty() && heads[next.top()].word() == piece) {
      const std::size_t run = next.top();
      next.pop();
      count += heads[run].value;
      if (readers[run].next(heads[run])) next.push(run);
    }
    all->add(piece, count);
  }
  all->finish();
  return all;
}

std::vector<WordTable::Entry> by_bytes(const WordTable& counts) {
  std::vector<WordTable::Entry> entries = counts.entries();
  std::sort(entries.begin(), entries.end(),
            [](const WordTable::Entry& a, const WordTable::Entry& b) { return a.word() < b.word(); });
  return entries;
}

std::vector<WordTable::Entry> most_frequent(const WordTable& counts, std::size_t most) {
  std::vector<WordTable::Entry> entries = counts.entries();
  const auto before = [](const WordTable::Entry& a, const WordTable::Entry& b) {
    return a.value != b.value ? a.value > b.value : a.word() > b.word();
  };
  most = std::min(most, entries.size());
  const auto middle = entries.begin() + static_cast<std::ptrdiff_t>(most);
  std::partial_sort(entries.begin(), middle, entries.end(), before);
  entries.erase(middle, entries.end());
  return entries;
}

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
    const std::size_t chunk = i;
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
