#include "text/models/word_piece.hpp"

#include "support/error.hpp"
#include "support/utf8.hpp"

namespace headwater {
namespace {

constexpr char kInside = '\xFF';  // never in UTF-8: the first byte of the keys of pieces inside a word

// The most pieces that are complete where a match goes on, for a trie of so many nodes: those before each
// place of one long piece may be as many as its bytes, which together is the square.
constexpr std::size_t max_complete_pieces(std::size_t nodes) { return (std::size_t{1} << 20) + 4 * nodes; }

}  // namespace

WordPiece::WordPiece(const std::vector<std::string>& surfaces, WordPieceSettings settings)
    : settings_(std::move(settings)) {
  std::vector<std::string> inside;
  inside.reserve(surfaces.size());  // keys are views
  std::vector<PieceTrie::Key> keys;
  // A value is id + 1; 0 is the root itself, which is no piece.
  keys.push_back({std::string_view(&kInside, 1), 0});
  for (std::size_t id = 0; id < surfaces.size(); ++id) {
    const std::string& surface = surfaces[id];
    const auto value = static_cast<std::int32_t>(id + 1);
    if (surface.empty()) continue;
    keys.push_back({surface, value});
    if (surface.size() > settings_.prefix.size() && surface.starts_with(settings_.prefix)) {
      inside.push_back(kInside + surface.substr(settings_.prefix.size()));
      keys.push_back({inside.back(), value});
    }
  }
  std::vector<PieceTrie::Edge> edges;
  trie_ = PieceTrie(std::move(keys), &edges);
  inside_ = trie_.next(PieceTrie::kRoot, kInside);
  link(edges);
}

// As failure links of Aho and Corasick: a node's follow from those of its parent, which come first. After a
// piece the match goes on inside the word; between pieces it goes on from where the rest of the parent's text
// leads.
void WordPiece::link(const std::vector<PieceTrie::Edge>& edges) {
  failures_.resize(trie_.size());
  std::vector<std::int32_t> done;
  const std::size_t most = max_complete_pieces(edges.size());
  for (const PieceTrie::Edge& edge : edges) {
    if (edge.node == inside_) continue;
    Failure& failure = failures_[edge.node];
    if (trie_.value(edge.node) > 0) {
      failure = {inside_, static_cast<std::uint32_t>(pieces_.size()), 1};
      pieces_.push_back(trie_.value(edge.node) - 1);
      continue;
    }
    done.clear();
    const auto add = [&](const Failure& from) {
      for (std::uint32_t i = 0; i < from.count; ++i) done.push_back(pieces_[from.begin + i]);
    };
    Failure at = failures_[edge.parent];
    add(at);
    PieceTrie::Node to = PieceTrie::kNone;
    while (at.to != PieceTrie::kNone) {
      to = trie_.next(at.to, static_cast<char>(edge.byte));
      if (to != PieceTrie::kNone) break;
      at = failures_[at.to];
      add(at);
    }
    if (to == PieceTrie::kNone) continue;
    if (pieces_.size() + done.size() > most)
      throw Error("vocabulary: its long pieces take too many short ones for WordPiece");
    failure = {to, static_cast<std::uint32_t>(pieces_.size()), static_cast<std::uint32_t>(done.size())};
    pieces_.insert(pieces_.end(), done.begin(), done.end());
  }
}

void WordPiece::encode(std::string_view word, std::vector<std::int32_t>& ids) const {
  const std::size_t before = ids.size();
  const auto fail = [&] {
    ids.resize(before);
    ids.push_back(settings_.unknown_id);
  };
  if (word.size() > settings_.max_characters && count_code_points(word) > settings_.max_characters)
    return fail();
  PieceTrie::Node node = PieceTrie::kRoot;
  // Takes what is complete and goes on; false where nothing fits.
  const auto take = [&] {
    const Failure& failure = failures_[node];
    for (std::uint32_t i = 0; i < failure.count; ++i) ids.push_back(pieces_[failure.begin + i]);
    node = failure.to;
    return node != PieceTrie::kNone;
  };
  for (const char byte : word) {
    PieceTrie::Node next = trie_.next(node, byte);
    while (next == PieceTrie::kNone) {
      if (!take()) return fail();
      next = trie_.next(node, byte);
    }
    node = next;
  }
  while (node != inside_) {
    if (!take()) return fail();
  }
}

}  // namespace headwater
