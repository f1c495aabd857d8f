#include "text/tokenizer/word_table.hpp"

#include <algorithm>

#include "support/error.hpp"

namespace headwater {

std::uint64_t& WordTable::add(std::string_view word, std::uint32_t hash, std::size_t slot) {
  if (entries_.size() >= 0xFFFFFFF0u || word.size() > 0xFFFFFFFFu) {
    throw Error("vocabulary: more than 4294967280 distinct words");
  }
  entries_.push_back({keep(word), static_cast<std::uint32_t>(word.size()), hash, 0});
  slots_[slot] = {hash, static_cast<std::uint32_t>(entries_.size())};
  if (entries_.size() * 3 > slots_.size() * 2) {
    std::vector<Slot> larger(slots_.size() * 2);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      std::size_t at = entries_[i].hash & (larger.size() - 1);
      while (larger[at].entry != 0) {
        at = (at + 1) & (larger.size() - 1);
      }
      larger[at] = {entries_[i].hash, static_cast<std::uint32_t>(i + 1)};
    }
    slots_.swap(larger);
  }
  return entries_.back().value;
}

const char* WordTable::keep(std::string_view word) {
  if (word.empty()) return "";  // not null, which nothing may be compared with
  constexpr std::size_t kBlockBytes = std::size_t{64} << 10;
  if (word.size() > free_bytes_) {
    const std::size_t bytes = std::max(kBlockBytes, word.size());
    blocks_.push_back(std::make_unique<char[]>(bytes));
    free_ = blocks_.back().get();
    free_bytes_ = bytes;
  }
  char* kept = free_;
  std::memcpy(kept, word.data(), word.size());
  free_ += word.size();
  free_bytes_ -= word.size();
  return kept;
}

}  // namespace headwater
