#include "text/models/bpe.hpp"

#include <algorithm>

#include "support/error.hpp"
#include "support/utf8.hpp"
#include "text/unicode/byte_level.hpp"

namespace headwater {
namespace {

std::int32_t id_in(const WordTable& ids, std::string_view surface) {
  const WordTable::Entry* entry = ids.find(surface);
  return entry == nullptr ? -1 : static_cast<std::int32_t>(entry->value);
}

}  // namespace

Bpe::Bpe(const std::vector<std::string>& surfaces, const std::vector<Merge>& merges, BpeSettings settings)
    : settings_(std::move(settings)) {
  WordTable ids;
  for (std::size_t id = 0; id < surfaces.size(); ++id) {
    if (!surfaces[id].empty()) ids.value(surfaces[id]) = id;
  }
  add_merges(surfaces, merges, ids);
  find_symbols(ids);
  find_whole_pieces(surfaces);
}

void Bpe::add_merges(const std::vector<std::string>& surfaces, const std::vector<Merge>& merges,
                     const WordTable& ids) {
  std::size_t slots = 64;
  shift_ = 58;
  while (slots < 2 * merges.size()) {
    slots *= 2;
    --shift_;
  }
  slots_.resize(slots);
  const std::size_t prefix = settings_.continuing_subword_prefix.size();
  std::string surface;
  for (std::size_t rank = 0; rank < merges.size(); ++rank) {
    const auto fail = [&](const std::string& what) {
      throw Error("merges[" + std::to_string(rank) + "]: " + what);
    };
    const auto [left, right] = merges[rank];
    for (const std::int32_t id : {left, right}) {
      if (id < 0 || static_cast<std::size_t>(id) >= surfaces.size())
        fail("id " + std::to_string(id) + " is not in the vocabulary");
    }
    const std::string& tail = surfaces[right];
    if (tail.size() < prefix) fail(quote(tail) + " is shorter than continuing_subword_prefix");
    surface = surfaces[left];
    surface.append(tail, prefix);
    const std::int32_t id = id_in(ids, surface);
    if (id < 0) fail("the token " + quote(surface) + " that it makes is not in the vocabulary");
    const std::uint64_t pair = key_of(left, right);
    std::size_t at = slot_of(pair);
    while (slots_[at].joined.id >= 0 && slots_[at].pair != pair) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = {pair, {static_cast<std::uint32_t>(rank), id}};  // of equal ones the last counts
  }
}

void Bpe::find_symbols(const WordTable& ids) {
  const bool has_affix =
      !settings_.continuing_subword_prefix.empty() || !settings_.end_of_word_suffix.empty();
  const std::array<char32_t, 256> alphabet = byte_level_alphabet();
  for (std::size_t byte = 0; byte < 256; ++byte) {
    std::string character;
    append_utf8(character, settings_.is_byte_level ? alphabet[byte] : static_cast<char32_t>(byte));
    bytes_[byte] = id_in(ids, character);
  }
  if (settings_.is_byte_level && has_affix)
    throw Error("a byte-level vocabulary has no continuing_subword_prefix or end_of_word_suffix");
  if (settings_.is_byte_level) return;
  const std::size_t most =
      4 + settings_.continuing_subword_prefix.size() + settings_.end_of_word_suffix.size();
  for (const WordTable::Entry& entry : ids.entries()) {
    if (entry.length <= most) symbols_.value(entry.word()) = entry.value;
  }
}

// A surface that the merges make of its own text is found by one look-up from then on.
void Bpe::find_whole_pieces(const std::vector<std::string>& surfaces) {
  PieceTable whole(surfaces.size());
  std::vector<std::int32_t> ids;
  std::string piece;
  for (std::size_t id = 0; id < surfaces.size(); ++id) {
    piece.clear();
    if (settings_.is_byte_level) {
      if (!append_byte_level_bytes(surfaces[id], piece)) continue;
    } else {
      piece = surfaces[id];
      const std::string& suffix = settings_.end_of_word_suffix;
      if (!settings_.ignore_merges && !suffix.empty()) {
        if (!piece.ends_with(suffix)) continue;
        piece.resize(piece.size() - suffix.size());
      }
    }
    if (piece.empty()) continue;
    ids.clear();
    if (!settings_.ignore_merges) merge_piece(piece, ids);
    if (settings_.ignore_merges || (ids.size() == 1 && ids[0] == static_cast<std::int32_t>(id)))
      whole.add(piece, static_cast<std::int32_t>(id));
  }
  whole_ = std::move(whole);
}

std::int32_t Bpe::symbol(std::string_view character, bool is_first, bool is_last) const {
  const bool has_prefix = !is_first && !settings_.continuing_subword_prefix.empty();
  const bool has_suffix = is_last && !settings_.end_of_word_suffix.empty();
  if (!has_prefix && !has_suffix) {
    const auto byte = static_cast<unsigned char>(character[0]);
    return byte < 0x80 ? bytes_[byte] : id_in(symbols_, character);
  }
  std::string surface;
  if (has_prefix) surface += settings_.continuing_subword_prefix;
  surface += character;
  if (has_suffix) surface += settings_.end_of_word_suffix;
  return id_in(symbols_, surface);
}

template <class Add>
void Bpe::for_each_symbol(std::string_view piece, const Add& add) const {
  bool is_unknown = false;  // one is waiting for its neighbours
  const auto add_unknown = [&] {
    if (is_unknown) add(settings_.unknown_id);
    is_unknown = false;
  };
  const auto miss = [&] {
    if (settings_.unknown_id < 0) return;
    if (!settings_.fuse_unknown) add_unknown();
    is_unknown = true;
  };
  if (settings_.is_byte_level) {
    for (const char byte : piece) {
      const std::int32_t id = bytes_[static_cast<unsigned char>(byte)];
      if (id >= 0) {
        add_unknown();
        add(id);
      } else {
        miss();
      }
    }
    return add_unknown();
  }
  std::string bytes;
  for (std::size_t at = 0; at < piece.size();) {
    const std::size_t length = std::max<std::size_t>(1, utf8_sequence_length(piece.substr(at)));
    const std::string_view character = piece.substr(at, length);
    const bool is_first = at == 0;
    at += length;
    const bool is_last = at == piece.size();
    const std::int32_t id = symbol(character, is_first, is_last);
    if (id >= 0) {
      add_unknown();
      add(id);
      continue;
    }
    if (settings_.byte_fallback) {  // of the surface, its prefix and suffix included
      bytes = is_first ? std::string() : settings_.continuing_subword_prefix;
      bytes += character;
      if (is_last) bytes += settings_.end_of_word_suffix;
      const auto id_of = [&](char byte) { return settings_.byte_ids[static_cast<unsigned char>(byte)]; };
      if (std::all_of(bytes.begin(), bytes.end(), [&](char byte) { return id_of(byte) >= 0; })) {
        for (const char byte : bytes) add(id_of(byte));
        continue;
      }
    }
    miss();
  }
  add_unknown();
}

void Bpe::merge_piece(std::string_view piece, std::vector<std::int32_t>& ids) const {
  const std::size_t begin = ids.size();
  if (piece.size() > kShort || settings_.byte_fallback) {
    for_each_symbol(piece, [&](std::int32_t id) { ids.push_back(id); });
    return merge_with_heap(ids, begin, [] { return false; });
  }
  std::array<std::int32_t, kShort + 1> symbols;
  std::array<Joined, kShort + 1> next;  // of a symbol and the one after it
  std::size_t count = 0;
  for_each_symbol(piece, [&](std::int32_t id) { symbols[count++] = id; });
  if (count == 0) return;
  for (std::size_t i = 0; i + 1 < count; ++i) next[i] = joined(symbols[i], symbols[i + 1]);
  next[count - 1] = {kNoRank, -1};
  while (count > 1) {
    std::size_t best = 0;
    for (std::size_t i = 1; i + 1 < count; ++i) best = next[i].rank < next[best].rank ? i : best;
    if (next[best].rank == kNoRank) break;
    symbols[best] = next[best].id;
    --count;
    for (std::size_t i = best + 1; i < count; ++i) {
      symbols[i] = symbols[i + 1];
      next[i] = next[i + 1];
    }
    if (best > 0) next[best - 1] = joined(symbols[best - 1], symbols[best]);
    if (best + 1 < count) next[best] = joined(symbols[best], symbols[best + 1]);
  }
  ids.insert(ids.end(), symbols.begin(), symbols.begin() + static_cast<std::ptrdiff_t>(count));
}

template <class Drop>
void Bpe::merge_with_heap(std::vector<std::int32_t>& ids, std::size_t begin, const Drop& drop) const {
  // Symbols are a list over their places; rank[i] is that of symbol i and the one after it.
  const std::size_t count = ids.size() - begin;
  if (count < 2) return;
  constexpr std::uint32_t kEnd = 0xFFFFFFFFu;
  struct Symbol {
    std::uint32_t before, after;
    Joined next;
  };
  std::vector<Symbol> symbols(count);
  std::vector<std::uint64_t> heap, skipped;  // rank, then place
  const auto later = [](std::uint64_t a, std::uint64_t b) { return a > b; };
  const auto push = [&](std::uint64_t key) {
    heap.push_back(key);
    std::push_heap(heap.begin(), heap.end(), later);
  };
  const auto look = [&](std::uint32_t i) {
    Symbol& s = symbols[i];
    s.next = s.after == kEnd ? Joined{kNoRank, -1} : joined(ids[begin + i], ids[begin + s.after]);
    if (s.next.rank != kNoRank) push(std::uint64_t{s.next.rank} << 32 | i);
  };
  for (std::uint32_t i = 0; i < count; ++i) {
    symbols[i] = {i - 1, i + 1 < count ? i + 1 : kEnd, {kNoRank, -1}};  // the first has kEnd before it
    look(i);
  }
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), later);
    const std::uint64_t key = heap.back();
    heap.pop_back();
    const auto place = static_cast<std::uint32_t>(key);
    Symbol& s = symbols[place];
    if (s.next.rank != key >> 32) continue;  // joined since
    if (drop()) {
      skipped.push_back(key);
      continue;
    }
    for (const std::uint64_t other : skipped) push(other);
    skipped.clear();
    ids[begin + place] = s.next.id;
    symbols[s.after].next = {kNoRank, -1};
    s.after = symbols[s.after].after;
    if (s.after != kEnd) symbols[s.after].before = place;
    look(place);
    if (s.before != kEnd) look(s.before);
  }
  std::size_t kept = begin;
  for (std::uint32_t i = 0; i != kEnd; i = symbols[i].after) ids[kept++] = ids[begin + i];
  ids.resize(kept);
}

void Bpe::encode_with_dropout(std::string_view piece, double dropout, const RandomStream& random,
                              std::uint64_t& at, std::vector<std::int32_t>& ids) const {
  const std::size_t begin = ids.size();
  for_each_symbol(piece, [&](std::int32_t id) { ids.push_back(id); });
  merge_with_heap(ids, begin, [&] { return random_uniform(random, at++) < dropout; });
}

}  // namespace headwater
