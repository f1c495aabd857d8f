#include "text/learning/subword_text_encoder_learner.hpp"

#include <algorithm>
#include <cstdlib>

#include "support/error.hpp"
#include "support/utf8.hpp"
#include "text/models/subword_text_encoder.hpp"

namespace headwater {
namespace {

constexpr std::int64_t kBytesAndPad = 257;
constexpr std::size_t kMaxSubwordLength = 20;  // code points
constexpr std::size_t kMaxSubwordBytes = 4 * kMaxSubwordLength;
constexpr int kSubwordIterations = 4;

std::size_t next_boundary(std::string_view text, std::size_t at) {
  return std::min(text.size(), at + std::max<std::size_t>(1, utf8_sequence_length(text.substr(at))));
}

// Every code point of every word, in the order of what follows it in the word: those that share a beginning
// stand together, so that all candidates are nodes of a tree that a single pass meets (the sorted suffixes of
// Manber and Myers, 1993, cut after the longest subword). No candidate becomes a string.
class SubwordTree {
 public:
  explicit SubwordTree(const std::vector<WordTable::Entry>& words);
  // The subwords that occur at least so often, the most frequent first.
  std::vector<std::string> subwords(std::uint64_t least);

 private:
  struct Start {
    std::uint32_t word, at;
  };
  // A candidate: what the starts from `first` on share.
  struct Node {
    std::size_t bytes = 0, first = 0;
    std::uint64_t count = 0;  // of the starts that no longer subword has taken
  };
  using Counted = std::pair<std::uint64_t, std::string_view>;

  std::string_view rest(Start start) const {
    return words_[start.word].word().substr(start.at, kMaxSubwordBytes);
  }
  std::size_t place(Start start) const { return begin_[start.word] + start.at; }
  void measure();
  void cut_words();
  void take(std::uint64_t least, std::vector<Counted>* taken);
  void match(const Node& node, std::size_t end);

  const std::vector<WordTable::Entry>& words_;
  std::vector<std::size_t> begin_;  // of each word, where one follows the other
  std::vector<Start> starts_;
  // Bytes of a start's longest candidate, and of those of its neighbour before that it shares.
  std::vector<std::uint8_t> length_, shared_;
  std::vector<std::uint8_t> matched_;  // by place: bytes of the longest subword there; 0: none
  std::vector<bool> is_cut_;           // by place: a subword of the iteration before begins here
};

SubwordTree::SubwordTree(const std::vector<WordTable::Entry>& words) : words_(words) {
  std::size_t bytes = 0, code_points = 0;
  for (const WordTable::Entry& word : words_) {
    begin_.push_back(bytes);
    bytes += word.length;
    code_points += count_code_points(word.word());
  }
  matched_.resize(bytes);
  is_cut_.resize(bytes);
  starts_.reserve(code_points);
  for (std::uint32_t word = 0; word < words_.size(); ++word) {
    const std::string_view text = words_[word].word();
    for (std::size_t at = 0; at < text.size(); at = next_boundary(text, at))
      starts_.push_back({word, static_cast<std::uint32_t>(at)});
  }
  std::sort(starts_.begin(), starts_.end(), [this](Start a, Start b) { return rest(a) < rest(b); });
  measure();
}

void SubwordTree::measure() {
  length_.resize(starts_.size());
  shared_.resize(starts_.size());
  std::string_view before;
  for (std::size_t i = 0; i < starts_.size(); ++i) {
    const std::string_view text = rest(starts_[i]);
    const std::size_t same =
        std::mismatch(text.begin(), text.end(), before.begin(), before.end()).first - text.begin();
    std::size_t end = 0;
    for (std::size_t count = 0; count < kMaxSubwordLength && end < text.size(); ++count) {
      end = next_boundary(text, end);
      if (end <= same) shared_[i] = static_cast<std::uint8_t>(end);
    }
    length_[i] = static_cast<std::uint8_t>(end);
    before = text;
  }
}

// Into the subwords of the iteration before.
void SubwordTree::cut_words() {
  is_cut_.assign(is_cut_.size(), false);
  for (std::size_t word = 0; word < words_.size(); ++word) {
    const std::string_view text = words_[word].word();
    for (std::size_t at = 0; at < text.size();) {
      is_cut_[begin_[word] + at] = true;
      const std::size_t escaped =
          text.substr(at).starts_with(kEscapedUnderscore) ? kEscapedUnderscore.size() : 0;
      const std::size_t subword = std::max<std::size_t>(matched_[begin_[word] + at], escaped);
      at = subword == 0 ? next_boundary(text, at) : at + subword;
    }
  }
}

// A cut counts for the longest of its candidates that is frequent enough once those that are longer have
// taken theirs. `path` holds the candidates that the start before begins with, from the empty one on; of
// those that the same starts share only the longest.
void SubwordTree::take(std::uint64_t least, std::vector<Counted>* taken) {
  std::vector<Node> path(1);
  matched_.assign(matched_.size(), 0);
  for (std::size_t i = 0; i <= starts_.size(); ++i) {
    const std::size_t shared = i < starts_.size() ? shared_[i] : 0;
    while (path.back().bytes > shared) {
      Node node = path.back();
      path.pop_back();
      if (node.count >= least && node.bytes > 1) {
        if (taken != nullptr)
          taken->emplace_back(node.count, rest(starts_[node.first]).substr(0, node.bytes));
        match(node, i);
        node.count = 0;
      }
      if (path.back().bytes < shared) path.push_back({.bytes = shared, .first = node.first});
      path.back().count += node.count;
    }
    if (i == starts_.size()) break;
    if (path.back().bytes < length_[i]) path.push_back({.bytes = length_[i], .first = i});
    if (is_cut_[place(starts_[i])]) path.back().count += words_[starts_[i].word].value;
  }
}

void SubwordTree::match(const Node& node, std::size_t end) {
  for (std::size_t i = node.first; i < end; ++i) {
    std::uint8_t& matched = matched_[place(starts_[i])];
    if (matched == 0) matched = static_cast<std::uint8_t>(node.bytes);
  }
}

std::vector<std::string> SubwordTree::subwords(std::uint64_t least) {
  matched_.assign(matched_.size(), 0);
  std::vector<Counted> taken;
  for (int i = 0; i < kSubwordIterations; ++i) {
    cut_words();
    take(least, i + 1 == kSubwordIterations ? &taken : nullptr);  // the others only match
  }
  std::sort(taken.begin(), taken.end(), std::greater<>());
  std::vector<std::string> found;
  found.reserve(taken.size());
  for (const auto& [count, subword] : taken) found.emplace_back(subword);
  return found;
}

std::int64_t distance(const std::vector<std::string>& subwords, std::int64_t target) {
  return std::abs(static_cast<std::int64_t>(subwords.size()) + kBytesAndPad - target);
}

// The smallest count of a subword, searched between two bounds; of what was tried the nearest to the target,
// of two equally near ones the later.
std::vector<std::string> search_subwords(const std::vector<WordTable::Entry>& words, std::int64_t low,
                                         std::int64_t high, std::int64_t target) {
  SubwordTree tree(words);
  std::vector<std::string> nearest;
  for (bool is_first = true;; is_first = false) {
    const std::int64_t least = (low + high) / 2;
    std::vector<std::string> subwords = tree.subwords(static_cast<std::uint64_t>(least));
    const std::int64_t size = static_cast<std::int64_t>(subwords.size()) + kBytesAndPad;
    const bool is_last = distance(subwords, target) * 100 < target || low >= high || least <= 1;
    if (is_first || distance(subwords, target) <= distance(nearest, target)) nearest = std::move(subwords);
    if (is_last) return nearest;
    (size > target ? low : high) = size > target ? least + 1 : least - 1;
  }
}

}  // namespace

void count_subword_words(std::string_view lines, WordTable& counts) {
  const SubwordSplitter splitter;
  std::vector<std::string> words;
  for_each_line(lines, [&](std::string_view line) {
    splitter.split(line, words);
    for (const std::string& word : words) ++counts.value(word);
  });
}

std::vector<std::string> learn_subword_text_encoder(const WordTable& counts, std::int64_t target) {
  if (target <= kBytesAndPad)
    throw UsageError("size: " + std::to_string(target) + " is less than " + std::to_string(kBytesAndPad + 1) +
                     " (padding, 256 bytes and a subword)");
  const std::vector<WordTable::Entry>& words = counts.entries();
  if (words.empty()) throw Error("no tokens to learn from (the input is empty)");
  const auto less = [](const WordTable::Entry& a, const WordTable::Entry& b) { return a.value < b.value; };
  const auto [fewest, most] = std::minmax_element(words.begin(), words.end(), less);
  const std::int64_t low = std::max<std::int64_t>(1, static_cast<std::int64_t>(fewest->value));
  return search_subwords(words, low, static_cast<std::int64_t>(most->value), target);
}

}  // namespace headwater
