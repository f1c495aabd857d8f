#include "text/formats/sentencepiece_bpe.hpp"

#include <algorithm>

#include "text/tokenizer/word_cuts.hpp"

namespace headwater {

SentencePieceBpe::SentencePieceBpe(const SentencePieceFile& file) {
  using Type = SentencePieceFile::Type;
  std::vector<PieceTrie::Key> fixed;
  for (std::size_t id = 0; id < file.pieces.size(); ++id) {
    const SentencePieceFile::Piece& piece = file.pieces[id];
    scores_.push_back(piece.score);
    is_unused_.push_back(piece.type == Type::unused);
    if (piece.type != Type::normal && piece.type != Type::user_defined && piece.type != Type::unused)
      continue;
    ids_.value(piece.surface) = id;
    if (piece.type == Type::user_defined) fixed.push_back({piece.surface, static_cast<std::int32_t>(id)});
  }
  user_defined_ = PieceTrie(std::move(fixed));
}

void SentencePieceBpe::consider(std::string_view word, std::int32_t left, std::int32_t right,
                                Scratch& scratch) const {
  if (left < 0 || right < 0) return;
  const Symbol& a = scratch.symbols[left];
  const Symbol& b = scratch.symbols[right];
  if (a.is_fixed || b.is_fixed) return;
  const std::string_view piece = word.substr(a.begin, a.length + b.length);
  const std::int32_t id = find(piece);
  if (id < 0) return;
  scratch.heap.push_back({scores_[id], left, right, a.length + b.length});
  std::push_heap(scratch.heap.begin(), scratch.heap.end(), is_later);
  if (is_unused_[id]) scratch.unused.value(piece) = a.length;
}

bool SentencePieceBpe::is_later(const Join& a, const Join& b) {
  if (a.score != b.score) return a.score < b.score;
  return a.left != b.left ? a.left > b.left : a.length > b.length;
}

void SentencePieceBpe::encode(std::string_view word, const Drop& drop, const Use& use) const {
  Scratch scratch;
  std::vector<Symbol>& symbols = scratch.symbols;
  for (std::size_t at = 0; at < word.size();) {
    Symbol symbol{.begin = static_cast<std::uint32_t>(at)};
    std::size_t length = 0;
    user_defined_.for_each_prefix(word.substr(at), [&](std::size_t bytes, std::int32_t) { length = bytes; });
    symbol.is_fixed = length > 0;
    if (length == 0) length = character_bytes(word, at);
    symbol.length = static_cast<std::uint32_t>(length);
    at += length;
    symbol.previous = static_cast<std::int32_t>(symbols.size()) - 1;
    symbol.next = at < word.size() ? static_cast<std::int32_t>(symbols.size()) + 1 : -1;
    symbols.push_back(symbol);
  }
  for (std::size_t i = 1; i < symbols.size(); ++i) {
    consider(word, static_cast<std::int32_t>(i) - 1, static_cast<std::int32_t>(i), scratch);
  }
  while (!scratch.heap.empty()) {
    std::pop_heap(scratch.heap.begin(), scratch.heap.end(), is_later);
    const Join join = scratch.heap.back();
    scratch.heap.pop_back();
    Symbol& left = symbols[join.left];
    Symbol& right = symbols[join.right];
    if (left.length == 0 || right.length == 0 || left.length + right.length != join.length) continue;
    if (drop && drop()) continue;
    left.length += right.length;
    left.next = right.next;
    if (right.next >= 0) symbols[right.next].previous = join.left;
    right.length = 0;
    consider(word, left.previous, join.left, scratch);
    consider(word, join.left, left.next, scratch);
  }
  if (symbols.empty()) return;
  for (std::int32_t i = 0; i >= 0; i = symbols[i].next) {
    const Symbol& symbol = symbols[i];
    give(word.substr(symbol.begin, symbol.length), use, scratch);
  }
}

// An unused piece is taken apart again as it was joined.
void SentencePieceBpe::give(std::string_view piece, const Use& use, const Scratch& scratch) const {
  const std::int32_t id = find(piece);
  const WordTable::Entry* parts = nullptr;
  if (id >= 0 && is_unused_[id]) parts = scratch.unused.find(piece);
  if (parts == nullptr) {
    use(piece, id);
    return;
  }
  const std::size_t left = parts->value;
  give(piece.substr(0, left), use, scratch);
  give(piece.substr(left), use, scratch);
}

}  // namespace headwater
