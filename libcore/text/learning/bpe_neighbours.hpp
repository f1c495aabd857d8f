// The symbols beside the places where byte-pair encoding merges a pair.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace headwater {

// What stands beside the places of one merge: how often, and in which words.
struct BpeNeighbour {
  std::int32_t symbol = 0;
  std::uint32_t number = 0, last = 0;  // how many words, and the last of them
  std::int64_t count = 0;
  std::vector<std::uint32_t> words;  // from take() on
};

class BpeNeighbours {
 public:
  void add(std::int32_t symbol, std::int64_t count, std::uint32_t word) {
    const std::size_t at = symbol;
    if (at >= places_.size()) places_.resize(2 * at + 1);
    if (places_[at] == 0) {
      all_.emplace_back().symbol = symbol;
      places_[at] = static_cast<std::uint32_t>(all_.size());
    }
    BpeNeighbour& neighbour = all_[places_[at] - 1];
    neighbour.count += count;
    if (neighbour.number > 0 && neighbour.last == word) return;
    ++neighbour.number;
    neighbour.last = word;
    seen_.emplace_back(places_[at] - 1, word);
  }
  // Lists of words are as long as they must be: most stay with a new pair.
  std::vector<BpeNeighbour> take() {
    for (BpeNeighbour& neighbour : all_) {
      places_[neighbour.symbol] = 0;
      neighbour.words.reserve(neighbour.number);
    }
    for (const auto& [neighbour, word] : seen_) all_[neighbour].words.push_back(word);
    seen_.clear();
    return std::exchange(all_, {});
  }

 private:
  std::vector<BpeNeighbour> all_;
  std::vector<std::uint32_t> places_;                          // of a symbol in all_, + 1
  std::vector<std::pair<std::uint32_t, std::uint32_t>> seen_;  // places in all_, and words
};

}  // namespace headwater
