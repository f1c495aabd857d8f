// A trie over bytes as a double array (Aoe 1989): the node after a byte is one addition and one comparison
// away.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace headwater {

class PieceTrie {
 public:
  using Node = std::uint32_t;
  static constexpr Node kRoot = 0, kNone = 0xFFFFFFFF;

  struct Key {
    std::string_view bytes;  // not empty
    std::int32_t value = 0;  // not negative
  };
  // Where a node hangs; parents stand before their children.
  struct Edge {
    Node node = 0, parent = 0;
    unsigned char byte = 0;
  };

  PieceTrie() : PieceTrie(std::vector<Key>()) {}
  // All keys differ; their order is without meaning. `edges` gets all nodes but the root.
  explicit PieceTrie(std::vector<Key> keys, std::vector<Edge>* edges = nullptr);

  Node next(Node node, char byte) const {
    const Node to = units_[node].base + static_cast<unsigned char>(byte);
    return units_[to].parent == node ? to : kNone;
  }
  // The value of the key that ends at the node; -1 where none does.
  std::int32_t value(Node node) const { return units_[node].value; }

  // Calls use(length, value) for each key that `text` begins with, shorter ones first.
  template <class Use>
  void for_each_prefix(std::string_view text, const Use& use) const {
    Node node = kRoot;
    for (std::size_t at = 0; at < text.size(); ++at) {
      node = next(node, text[at]);
      if (node == kNone) return;
      if (const std::int32_t found = value(node); found >= 0) use(at + 1, found);
    }
  }

  // Nodes are below this number.
  std::size_t size() const { return units_.size(); }

 private:
  struct Unit {
    std::uint32_t base = 0;
    std::uint32_t parent = kNone;
    std::int32_t value = -1;
  };
  class Builder;
  std::vector<Unit> units_;
};

}  // namespace headwater
