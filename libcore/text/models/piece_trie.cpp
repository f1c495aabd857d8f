#include "text/models/piece_trie.hpp"

#include <algorithm>

#include "support/error.hpp"

namespace headwater {

// Places the children of one node after another, where the array has room for all of them.
class PieceTrie::Builder {
 public:
  Builder(std::vector<Unit>& units, std::vector<Key> keys) : units_(units), keys_(std::move(keys)) {
    std::sort(keys_.begin(), keys_.end(), [](const Key& a, const Key& b) { return a.bytes < b.bytes; });
    grow(512);
    take(kRoot, kNone);
  }

  void build(std::vector<Edge>* edges) {
    struct Work {
      Node node;
      std::size_t begin, end, depth;  // of the keys below the node
    };
    std::vector<Work> queue;
    if (!keys_.empty()) queue.push_back({kRoot, 0, keys_.size(), 0});
    std::vector<Work> children;
    std::vector<unsigned char> bytes;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      Work work = queue[i];
      if (keys_[work.begin].bytes.size() == work.depth) units_[work.node].value = keys_[work.begin++].value;
      children.clear();
      bytes.clear();
      for (std::size_t at = work.begin; at < work.end; ++at) {
        const auto byte = static_cast<unsigned char>(keys_[at].bytes[work.depth]);
        if (bytes.empty() || bytes.back() != byte) {
          bytes.push_back(byte);
          children.push_back({0, at, at, work.depth + 1});
        }
        children.back().end = at + 1;
      }
      if (bytes.empty()) continue;
      const std::uint32_t base = find_base(bytes);
      units_[work.node].base = base;
      for (std::size_t c = 0; c < bytes.size(); ++c) {
        children[c].node = base + bytes[c];
        take(children[c].node, work.node);
        if (edges != nullptr) edges->push_back({children[c].node, work.node, bytes[c]});
        queue.push_back(children[c]);
      }
      if (i >= 4096 && i * 2 > queue.size()) {  // what is done gives its memory back
        queue.erase(queue.begin(), queue.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        i = static_cast<std::size_t>(-1);
      }
    }
    // Every addition of a byte stays inside.
    std::size_t last = units_.size();
    while (last > 1 && !is_taken_[last - 1]) --last;
    units_.resize(last + 256);
  }

 private:
  void grow(std::size_t size) {
    units_.resize(size);
    is_taken_.resize(size);
  }
  void take(Node node, Node parent) {
    units_[node].parent = parent;
    is_taken_[node] = true;
  }

  // Free places lie mostly at the end. Where many places were looked at in vain, taken ones or free ones, the
  // search begins later from then on, so that the time stays linear.
  std::uint32_t find_base(const std::vector<unsigned char>& bytes) {
    while (is_taken_[first_free_]) {
      if (++first_free_ + 512 > units_.size()) grow(units_.size() * 2);
    }
    std::size_t tried = 0;
    const std::size_t begin = std::max<std::size_t>(first_free_, bytes.front() + std::size_t{1});
    for (std::size_t at = begin;; ++at) {
      if (at + 512 > units_.size()) grow(units_.size() * 2);
      if (at > 0x7FFFFFFF) throw Error("vocabulary: too many bytes for a trie");
      if (is_taken_[at]) continue;
      const std::size_t base = at - bytes.front();
      const bool has_room = std::all_of(bytes.begin() + 1, bytes.end(),
                                        [&](unsigned char byte) { return !is_taken_[base + byte]; });
      if (has_room) {
        if (tried > 64 || at - begin > 4096) first_free_ = at;
        return static_cast<std::uint32_t>(base);
      }
      ++tried;
    }
  }

  std::vector<Unit>& units_;
  std::vector<Key> keys_;
  std::vector<bool> is_taken_;
  std::size_t first_free_ = 1;
};

PieceTrie::PieceTrie(std::vector<Key> keys, std::vector<Edge>* edges) {
  Builder(units_, std::move(keys)).build(edges);
}

}  // namespace headwater
