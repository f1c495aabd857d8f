#include "text/learning/bpe_learner.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "support/error.hpp"
#include "text/learning/bpe_alphabet.hpp"

namespace headwater {
namespace {

// The words as symbols, the pairs of neighbours with their counts and the words that hold them.
class BpePairs {
 public:
  // Room for this many words.
  void reserve(std::size_t words) {
    constexpr std::size_t kSymbolsPerWord = 8;
    words_.reserve(words);
    symbols_.reserve(kSymbolsPerWord * words);
  }

  // Words come in the order in which their pairs shall be looked for; it does not change what is learned.
  void add_word(const std::vector<std::int32_t>& symbols, std::uint64_t count) {
    if (symbols.size() < 2) return;
    words_.push_back(
        {symbols_.size(), static_cast<std::int64_t>(count), static_cast<std::uint32_t>(symbols.size())});
    symbols_.insert(symbols_.end(), symbols.begin(), symbols.end());
  }

  void count() {
    // About as many pairs as words will come: tables that grow are read and written again and again.
    rehash(std::bit_ceil(std::max(2 * words_.size(), std::size_t{1} << 12)));
    pairs_.reserve(slots_.size() / 2);
    // Pairs of the first symbols by a table, as long as these are few.
    constexpr std::size_t kMostSymbols = 512;
    std::int32_t most = 0;
    for (const std::int32_t symbol : symbols_) most = std::max(most, symbol);
    const auto side = static_cast<std::size_t>(most) + 1;
    const bool has_table = side <= kMostSymbols;
    std::vector<std::uint32_t> table(has_table ? side * side : 0);  // index + 1
    for (std::uint32_t word = 0; word < words_.size(); ++word) {
      const std::int32_t* const symbols = &symbols_[words_[word].begin];
      for (std::uint32_t i = 0; i + 1 < words_[word].length; ++i) {
        std::uint32_t index = 0;
        if (has_table) {
          std::uint32_t& known =
              table[static_cast<std::size_t>(symbols[i]) * side + static_cast<std::size_t>(symbols[i + 1])];
          if (known == 0) known = pair_of(symbols[i], symbols[i + 1]) + 1;
          index = known - 1;
        } else {
          index = pair_of(symbols[i], symbols[i + 1]);
        }
        Pair& pair = pairs_[index];
        pair.count += words_[word].count;
        if (pair.words.empty() || pair.words.back() != word) pair.words.push_back(word);
      }
    }
    for (std::uint32_t pair = 0; pair < pairs_.size(); ++pair) push_if_counted(pair);
  }

  struct Best {
    std::int32_t left, right;
    std::uint64_t count;  // 0: there is none
  };
  // The pair to merge now.
  Best best() {
    while (!heap_.empty()) {
      const Candidate top = heap_.front();
      const std::int64_t now = pairs_[top.pair].is_left ? 0 : pairs_[top.pair].count;
      if (now == top.count) return {pairs_[top.pair].left, pairs_[top.pair].right, std::uint64_t(now)};
      pop();
      if (now > 0 && now < top.count) push({now, pairs_[top.pair].key(), top.pair});
    }
    return {0, 0, 0};
  }

  // best() stays as it is, for ever.
  void leave_best() {
    pairs_[heap_.front().pair].is_left = true;
    pop();
  }

  // Every best() becomes `joined`.
  void merge_best(std::int32_t joined) {
    const std::uint32_t merged = heap_.front().pair;
    pop();
    const std::int32_t left = pairs_[merged].left, right = pairs_[merged].right;
    const std::vector<std::uint32_t> words = std::move(pairs_[merged].words);
    pairs_[merged].words = {};
    constexpr std::size_t kAhead = 8;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (i + 2 * kAhead < words.size()) __builtin_prefetch(&words_[words[i + 2 * kAhead]]);
      if (i + kAhead < words.size()) __builtin_prefetch(&symbols_[words_[words[i + kAhead]].begin]);
      merge_in(words[i], left, right, joined);
    }
    for (Neighbour& n : before_.take()) {
      pairs_[pair_of(n.symbol, left)].count -= n.count;
      grow(n.symbol, joined, n);
    }
    for (Neighbour& n : after_.take()) {
      pairs_[pair_of(right, n.symbol)].count -= n.count;
      grow(joined, n.symbol, n);
    }
    pairs_[merged].count = 0;
    for (const std::uint32_t pair : grown_) push_if_counted(pair);
    grown_.clear();
  }

 private:
  struct Pair {
    std::int32_t left = 0, right = 0;
    std::int64_t count = 0;
    std::vector<std::uint32_t> words;  // some hold it no more
    bool is_left = false;              // not to be merged
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
    if (2 * pairs_.size() > slots_.size()) rehash(2 * slots_.size());
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

  // What stands beside the places of one merge: how often, and in which words.
  struct Neighbour {
    std::int32_t symbol = 0;
    std::uint32_t number = 0, last = 0;  // how many words, and the last of them
    std::int64_t count = 0;
    std::vector<std::uint32_t> words;  // from take() on
  };
  class Neighbours {
   public:
    void add(std::int32_t symbol, std::int64_t count, std::uint32_t word) {
      const auto at = static_cast<std::size_t>(symbol);
      if (at >= places_.size()) places_.resize(2 * at + 1);
      if (places_[at] == 0) {
        all_.emplace_back().symbol = symbol;
        places_[at] = static_cast<std::uint32_t>(all_.size());
      }
      Neighbour& neighbour = all_[places_[at] - 1];
      neighbour.count += count;
      if (neighbour.number > 0 && neighbour.last == word) return;
      ++neighbour.number;
      neighbour.last = word;
      seen_.emplace_back(places_[at] - 1, word);
    }
    // Lists of words are as long as they must be: most stay with a new pair.
    std::vector<Neighbour> take() {
      for (Neighbour& neighbour : all_) {
        places_[static_cast<std::size_t>(neighbour.symbol)] = 0;
        neighbour.words.reserve(neighbour.number);
      }
      for (const auto& [neighbour, word] : seen_) all_[neighbour].words.push_back(word);
      seen_.clear();
      return std::exchange(all_, {});
    }

   private:
    std::vector<Neighbour> all_;
    std::vector<std::uint32_t> places_;                          // of a symbol in all_, + 1
    std::vector<std::pair<std::uint32_t, std::uint32_t>> seen_;  // places in all_, and words
  };

  void grow(std::int32_t left, std::int32_t right, Neighbour& by) {
    const std::uint32_t index = pair_of(left, right);
    Pair& pair = pairs_[index];
    pair.count += by.count;
    if (pair.words.empty()) {
      pair.words = std::move(by.words);
    } else {
      pair.words.insert(pair.words.end(), by.words.begin(), by.words.end());
    }
    grown_.push_back(index);
  }

  void merge_in(std::uint32_t word, std::int32_t left, std::int32_t right, std::int32_t joined) {
    std::int32_t* const symbols = &symbols_[words_[word].begin];
    const std::uint32_t length = words_[word].length;
    const std::int64_t count = words_[word].count;
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < length; ++kept) {
      if (i + 1 == length || symbols[i] != left || symbols[i + 1] != right) {
        symbols[kept] = symbols[i++];
        continue;
      }
      i += 2;
      if (kept > 0) before_.add(symbols[kept - 1], count, word);
      if (i < length) after_.add(symbols[i], count, word);
      symbols[kept] = joined;
    }
    words_[word].length = kept;
  }

  void push_if_counted(std::uint32_t pair) {
    const Pair& p = pairs_[pair];
    if (p.count > 0 && !p.is_left) push({p.count, p.key(), pair});
  }
  void push(const Candidate& candidate) {
    heap_.push_back(candidate);
    std::push_heap(heap_.begin(), heap_.end());
  }
  void pop() {
    std::pop_heap(heap_.begin(), heap_.end());
    heap_.pop_back();
  }

  struct Word {
    std::size_t begin;  // in symbols_
    std::int64_t count;
    std::uint32_t length;
  };
  std::vector<std::int32_t> symbols_;  // of all words, one after the other
  std::vector<Word> words_;
  std::vector<Pair> pairs_;
  struct Slot {
    std::uint32_t tag = 0;   // of the pair's hash
    std::uint32_t pair = 0;  // index + 1; 0: free
  };
  std::vector<Slot> slots_;
  int shift_ = 0;
  Neighbours before_, after_;
  std::vector<std::uint32_t> grown_;
  std::vector<Candidate> heap_;
};

}  // namespace

BpeVocabulary learn_bpe(const PieceCounts& counts, const BpeLearnerSettings& settings) {
  BpeAlphabet alphabet(counts, settings);
  if (settings.size > 0x7FFFFFFF || static_cast<std::int64_t>(alphabet.surfaces().size()) > settings.size) {
    throw UsageError("size: " + std::to_string(settings.size) + " is not in " +
                     std::to_string(alphabet.surfaces().size()) +
                     " .. 2147483647 (special tokens and single characters count)");
  }
  BpePairs pairs;
  pairs.reserve(counts.distinct());
  std::vector<std::int32_t> symbols;
  std::uint64_t total = 0;
  counts.for_each([&](const WordTable::Entry& entry) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
    if (entry.value > (kMost - total) / (entry.length + 1))
      throw Error("the counts exceed 2^62 bytes of text");
    total += entry.value * (entry.length + 1);
    if (entry.value == 0) return;
    alphabet.symbols_of(entry.word(), symbols);
    pairs.add_word(symbols, entry.value);
  });
  if (total == 0) throw Error("no text to learn from (the input is empty)");
  pairs.count();
  BpeVocabulary learned;
  const std::string& prefix = settings.continuing_subword_prefix;
  while (static_cast<std::int64_t>(alphabet.surfaces().size()) < settings.size) {
    const BpePairs::Best best = pairs.best();
    if (best.count == 0 || best.count < settings.min_frequency) break;
    const std::string& right = alphabet.surfaces()[static_cast<std::size_t>(best.right)];
    std::string surface = alphabet.surfaces()[static_cast<std::size_t>(best.left)];
    surface.append(right, right.starts_with(prefix) ? prefix.size() : 0);
    std::int32_t joined = alphabet.find(surface);
    if (joined >= 0 && alphabet.is_special(joined)) {  // text does not give special tokens
      pairs.leave_best();
      continue;
    }
    if (joined < 0) joined = alphabet.add(surface);
    learned.merges.emplace_back(best.left, best.right);
    pairs.merge_best(joined);
  }
  learned.surfaces = std::move(alphabet.surfaces());
  return learned;
}

}  // namespace headwater
