// What learning the merges of byte-pair encoding works on: words as symbols, the pairs of neighbours with
// their counts, and lists of the words that hold a pair.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "text/learning/bpe_neighbours.hpp"

namespace headwater {

// Words that have the most frequent pairs are listed, as many as `most_places` says; where these pairs are
// used up, lists are made anew, of the words as they are by then. So memory is that of the words and the
// pairs' counts. Symbol: an unsigned type whose largest value is no id.
template <class Symbol>
class BpePairs {
 public:
  // Pairs that occur fewer than `least` times (at least 1) are never merged.
  BpePairs(std::int64_t least, std::uint64_t most_places)
      : least_(std::max<std::int64_t>(least, 1)), most_places_(most_places) {}

  // Room for this many words of so many symbols together.
  void reserve(std::size_t words, std::size_t symbols) {
    words_.reserve(words + 1);
    symbols_.reserve(symbols);
  }

  // Words come in the order in which their pairs shall be looked for; it does not change what is learned.
  void add_word(const std::vector<std::int32_t>& symbols, std::uint64_t count) {
    if (symbols.size() < 2) return;
    add_word_at(symbols_.size(), static_cast<std::int64_t>(count));
    for (const std::int32_t symbol : symbols) symbols_.push_back(static_cast<Symbol>(symbol));
  }

  // After the last word.
  void count() {
    add_word_at(symbols_.size(), 0);
    // About as many pairs as words will come: tables that grow are read and written again and again.
    constexpr std::size_t kMostFirst = std::size_t{1} << 21;
    rehash(std::bit_ceil(std::clamp(2 * words_.size(), std::size_t{1} << 12, kMostFirst)));
    pairs_.reserve(words_.size());
    const bool has_all = symbols_.size() <= most_places_;
    PairTable table(*this);
    for (std::uint32_t word = 0; word + 1 < words_.size(); ++word) {
      for_each_pair(word, table, [&](std::uint32_t index) {
        pairs_[index].count += count_of(word);
        if (has_all) add_place(index, word);
      });
    }
    if (!has_all) return list();
    listed_from_ = least_;
    for (std::uint32_t pair = 0; pair < pairs_.size(); ++pair) push_or_unlist(pair);
  }

  struct Best {
    std::int32_t left, right;
    std::uint64_t count;  // 0: there is none
  };
  // The pair to merge now.
  Best best() {
    for (;;) {
      if (heap_.empty()) {
        if (listed_from_ == least_) return {0, 0, 0};
        list();
        continue;
      }
      const Candidate top = heap_.front();
      const Pair& pair = pairs_[top.pair];
      const std::int64_t now = pair.is_left ? 0 : pair.count;
      if (now == top.count && pair.list != 0) return {pair.left, pair.right, std::uint64_t(now)};
      if (now == top.count) {
        list();
        continue;
      }
      pop();
      if (now < top.count) push_or_unlist(top.pair);
    }
  }

  // best() stays as it is, for ever.
  void leave_best() {
    const std::uint32_t left = heap_.front().pair;
    pairs_[left].is_left = true;
    taken_list(left);
    pop();
  }

  // Every best() becomes `joined`.
  void merge_best(std::int32_t joined) {
    const std::uint32_t merged = heap_.front().pair;
    pop();
    const std::int32_t left = pairs_[merged].left, right = pairs_[merged].right;
    const std::vector<std::uint32_t> words = taken_list(merged);
    const auto first_new = static_cast<std::uint32_t>(pairs_.size());
    constexpr std::size_t kAhead = 8;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (i + 2 * kAhead < words.size()) __builtin_prefetch(&words_[words[i + 2 * kAhead]]);
      if (i + kAhead < words.size()) __builtin_prefetch(&symbols_[begin_of(words[i + kAhead])]);
      merge_in(words[i], left, right, joined);
    }
    for (BpeNeighbour& n : before_.take()) {
      pairs_[pair_of(n.symbol, left)].count -= n.count;
      grow(n.symbol, joined, n, first_new);
    }
    for (BpeNeighbour& n : after_.take()) {
      pairs_[pair_of(right, n.symbol)].count -= n.count;
      grow(joined, n.symbol, n, first_new);
    }
    pairs_[merged].count = 0;
    for (const std::uint32_t pair : grown_) push_or_unlist(pair);
    grown_.clear();
  }

 private:
  struct Pair {
    std::int32_t left = 0, right = 0;
    std::int64_t count = 0;
    std::uint32_t list = 0;  // its place in lists_ + 1; 0: its words are not listed
    bool is_left = false;    // not to be merged
    std::uint64_t key() const { return key_of(left, right); }
  };
  struct Candidate {
    std::int64_t count;
    std::uint64_t key;  // of the pair: the smaller ids first
    std::uint32_t pair;
    bool operator<(const Candidate& other) const {
      return count != other.count ? count < other.count : key > other.key;
    }
  };

  static std::uint64_t key_of(std::int32_t left, std::int32_t right) {
    return std::uint64_t{static_cast<std::uint32_t>(left)} << 32 | static_cast<std::uint32_t>(right);
  }
  static std::uint64_t hash_of(std::uint64_t key) { return key * 0x9E3779B97F4A7C15u; }
  static std::uint32_t tag_of(std::uint64_t hash) {  // the lowest bits know nothing of the left symbol
    return static_cast<std::uint32_t>(hash >> 16);
  }

  std::uint32_t pair_of(std::int32_t left, std::int32_t right) {
    const std::uint64_t hash = hash_of(key_of(left, right));
    const std::uint32_t tag = tag_of(hash);
    std::size_t at = hash >> shift_;
    for (; slots_[at].pair != 0; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at].tag != tag) continue;
      const Pair& pair = pairs_[slots_[at].pair - 1];
      if (pair.left == left && pair.right == right) return slots_[at].pair - 1;
    }
    Pair added;
    added.left = left;
    added.right = right;
    pairs_.push_back(std::move(added));
    const auto pair = static_cast<std::uint32_t>(pairs_.size() - 1);
    slots_[at] = {tag, pair + 1};
    if (pairs_.size() > slots_.size() / 4 * 3) rehash(2 * slots_.size());
    return pair;
  }

  void rehash(std::size_t slots) {
    slots_.assign(slots, {});
    shift_ = 64;
    for (std::size_t n = slots; n > 1; n /= 2) --shift_;
    for (std::uint32_t pair = 0; pair < pairs_.size(); ++pair) {
      const std::uint64_t hash = hash_of(pairs_[pair].key());
      std::size_t at = hash >> shift_;
      while (slots_[at].pair != 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = {tag_of(hash), pair + 1};
    }
  }

  // A pair of this merge is listed; one from before stays without a list if it has none, which would not be
  // whole.
  void grow(std::int32_t left, std::int32_t right, BpeNeighbour& by, std::uint32_t first_new) {
    const std::uint32_t index = pair_of(left, right);
    Pair& pair = pairs_[index];
    pair.count += by.count;
    grown_.push_back(index);
    if (pair.list == 0) {
      if (index < first_new) return;
      list_of(index) = std::move(by.words);
    } else {
      std::vector<std::uint32_t>& words = lists_[pair.list - 1];
      words.insert(words.end(), by.words.begin(), by.words.end());
    }
  }

  void merge_in(std::uint32_t word, std::int32_t left, std::int32_t right, std::int32_t joined) {
    const std::span<Symbol> symbols = symbols_of(word);
    const std::int64_t count = count_of(word);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < symbols.size(); ++kept) {
      if (i + 1 == symbols.size() || symbols[i] != static_cast<Symbol>(left) ||
          symbols[i + 1] != static_cast<Symbol>(right)) {
        symbols[kept] = symbols[i++];
        continue;
      }
      i += 2;
      if (kept > 0) before_.add(static_cast<std::int32_t>(symbols[kept - 1]), count, word);
      if (i < symbols.size()) after_.add(static_cast<std::int32_t>(symbols[i]), count, word);
      symbols[kept] = static_cast<Symbol>(joined);
    }
    if (kept < symbols.size()) symbols[kept] = kNone;
  }

  // A word in eight bytes: where its symbols begin, and its count, which is too large for that of few words.
  static constexpr int kCountBits = 24;
  static constexpr std::uint64_t kLargeCount = (std::uint64_t{1} << kCountBits) - 1;
  void add_word_at(std::size_t begin, std::int64_t count) {
    const std::uint64_t shown = std::min(static_cast<std::uint64_t>(count), kLargeCount);
    if (shown == kLargeCount) large_counts_.emplace(static_cast<std::uint32_t>(words_.size()), count);
    words_.push_back(std::uint64_t{begin} << kCountBits | shown);
  }
  std::size_t begin_of(std::uint32_t word) const { return words_[word] >> kCountBits; }
  std::int64_t count_of(std::uint32_t word) const {
    const std::uint64_t shown = words_[word] & kLargeCount;
    return shown < kLargeCount ? static_cast<std::int64_t>(shown) : large_counts_.at(word);
  }

  // The symbols that a word has by now; where they are fewer than at first, kNone ends them.
  std::span<Symbol> symbols_of(std::uint32_t word) {
    Symbol* const begin = symbols_.data() + begin_of(word);
    Symbol* const end = symbols_.data() + begin_of(word + 1);
    return {begin, std::find(begin, end, kNone)};
  }

  // Indices of pairs: of the first symbols by a table, as long as these are few.
  class PairTable {
   public:
    explicit PairTable(BpePairs& pairs) : pairs_(pairs) {
      constexpr std::size_t kMostSymbols = 512;
      Symbol most = 0;
      for (const Symbol symbol : pairs.symbols_) {
        if (symbol != kNone) most = std::max(most, symbol);
      }
      side_ = std::size_t{most} + 1;
      if (side_ <= kMostSymbols) known_.resize(side_ * side_);
    }
    std::uint32_t index(Symbol left, Symbol right) {
      if (known_.empty())
        return pairs_.pair_of(static_cast<std::int32_t>(left), static_cast<std::int32_t>(right));
      std::uint32_t& known = known_[left * side_ + right];
      if (known == 0)
        known = pairs_.pair_of(static_cast<std::int32_t>(left), static_cast<std::int32_t>(right)) + 1;
      return known - 1;
    }

   private:
    BpePairs& pairs_;
    std::size_t side_ = 0;
    std::vector<std::uint32_t> known_;  // index + 1
  };

  template <class Use>
  void for_each_pair(std::uint32_t word, PairTable& table, const Use& use) {
    const std::span<const Symbol> symbols = symbols_of(word);
    for (std::size_t i = 0; i + 1 < symbols.size(); ++i) use(table.index(symbols[i], symbols[i + 1]));
  }

  // The least count of a pair that is listed now, where each has so many places.
  std::int64_t least_listed(const std::vector<std::uint32_t>& places) const {
    std::vector<std::pair<std::int64_t, std::uint32_t>> order;  // counts and places, the highest count first
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      if (pairs_[i].count >= least_ && !pairs_[i].is_left) order.emplace_back(pairs_[i].count, places[i]);
    }
    std::sort(order.begin(), order.end(), std::greater<>());
    std::uint64_t total = 0;
    constexpr std::uint64_t kOfList = 14;  // a list of its own takes as much
    for (std::size_t i = 0; i < order.size(); ++i) {
      total += kOfList + order[i].second;
      if (total <= most_places_ || order[i].first == order[0].first) continue;
      return order[i].first + 1;
    }
    return least_;
  }

  // Lists the words of the pairs with the highest counts anew.
  void list() {
    heap_.clear();
    lists_.clear();
    free_lists_.clear();
    for (Pair& pair : pairs_) pair.list = 0;
    PairTable table(*this);
    std::vector<std::uint32_t> places(pairs_.size());  // of each pair, as many as there are
    for (std::uint32_t word = 0; word + 1 < words_.size(); ++word)
      for_each_pair(word, table, [&](std::uint32_t index) { ++places[index]; });
    listed_from_ = least_listed(places);
    for (std::uint32_t i = 0; i < pairs_.size(); ++i) {
      if (pairs_[i].count < listed_from_ || pairs_[i].is_left) continue;
      list_of(i).reserve(places[i]);
      push({pairs_[i].count, pairs_[i].key(), i});
    }
    for (std::uint32_t word = 0; word + 1 < words_.size(); ++word) {
      for_each_pair(word, table, [&](std::uint32_t index) {
        if (pairs_[index].list != 0) add_place(index, word);
      });
    }
  }

  std::vector<std::uint32_t>& list_of(std::uint32_t pair) {
    std::uint32_t& list = pairs_[pair].list;
    if (list == 0 && !free_lists_.empty()) {
      list = free_lists_.back();
      free_lists_.pop_back();
    } else if (list == 0) {
      lists_.emplace_back();
      list = static_cast<std::uint32_t>(lists_.size());
    }
    return lists_[list - 1];
  }
  void add_place(std::uint32_t pair, std::uint32_t word) {
    std::vector<std::uint32_t>& words = list_of(pair);
    if (words.empty() || words.back() != word) words.push_back(word);
  }
  std::vector<std::uint32_t> taken_list(std::uint32_t pair) {
    std::uint32_t& list = pairs_[pair].list;
    if (list == 0) return {};
    free_lists_.push_back(list);
    return std::exchange(lists_[std::exchange(list, 0) - 1], {});
  }

  // A candidate, or one that is too rare for now: then it needs no list.
  void push_or_unlist(std::uint32_t pair) {
    const Pair& p = pairs_[pair];
    if (p.count >= listed_from_ && !p.is_left) {
      push({p.count, p.key(), pair});
    } else {
      taken_list(pair);
    }
  }
  void push(const Candidate& candidate) {
    heap_.push_back(candidate);
    std::push_heap(heap_.begin(), heap_.end());
  }
  void pop() {
    std::pop_heap(heap_.begin(), heap_.end());
    heap_.pop_back();
  }

  static constexpr Symbol kNone = std::numeric_limits<Symbol>::max();
  std::int64_t least_;
  std::int64_t listed_from_ = 0;  // a count: pairs that have it are listed, unless they grew to it
  std::uint64_t most_places_;
  std::vector<Symbol> symbols_;                                   // of all words, one after the other
  std::vector<std::uint64_t> words_;                              // and where the last one ends
  std::unordered_map<std::uint32_t, std::int64_t> large_counts_;  // of words
  std::vector<std::vector<std::uint32_t>> lists_;                 // words; some hold the pair no more
  std::vector<std::uint32_t> free_lists_;                         // places in lists_ + 1
  std::vector<Pair> pairs_;
  struct Slot {
    std::uint32_t tag = 0;   // of the pair's hash
    std::uint32_t pair = 0;  // index + 1; 0: free
  };
  std::vector<Slot> slots_;
  int shift_ = 0;
  BpeNeighbours before_, after_;
  std::vector<std::uint32_t> grown_;
  std::vector<Candidate> heap_;
};

}  // namespace headwater
