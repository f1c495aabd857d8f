#include "text/learning/piece_counts.hpp"

#include <algorithm>
#include <queue>

#include "support/error.hpp"
#include "support/numbers.hpp"
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

}  // namespace headwater
