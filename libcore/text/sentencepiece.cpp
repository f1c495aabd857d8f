#include "text/sentencepiece.hpp"

#include <algorithm>
#include <array>

#include "support/error.hpp"
#include "support/utf8.hpp"
#include "text/byte_pieces.hpp"
#include "text/sentencepiece_bpe.hpp"
#include "text/unigram.hpp"
#include "text/word_cuts.hpp"
#include "text/word_memory.hpp"

namespace headwater {

struct SentencePiece::Impl {
  SentencePieceFile file;
  std::string where;
  Charsmap charsmap;
  PieceTrie user_defined;             // text that no rule changes
  std::array<bool, 128> is_copied{};  // ASCII characters that stay as they are before another
  std::array<std::int32_t, 256> byte_ids{};
  std::int32_t unknown_id = -1;
  std::unique_ptr<const Unigram> unigram;
  std::unique_ptr<const SentencePieceBpe> bpe;
  bool has_cuts = true;  // see Unigram
  WordMemory memory;     // of BPE

  bool keeps_space = false;  // the same of a space
  bool is_plain(char c) const {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x80 && is_copied[byte];
  }
  // What the text begins with becomes, and how many bytes of it that replaces.
  Charsmap::Match next(std::string_view text) const {
    std::size_t fixed = 0;
    user_defined.for_each_prefix(text, [&](std::size_t length, std::int32_t) { fixed = length; });
    if (fixed > 0) return {fixed, text.substr(0, fixed)};
    if (const Charsmap::Match rule = charsmap.longest(text); rule.length > 0) return rule;
    const std::size_t length = character_bytes(text, 0);
    return {length, text.substr(0, length)};
  }
  WordTable table;  // of all pieces, their ids

  template <class Piece>
  std::string join(std::size_t count, bool shows_unknown, const Piece& piece_at) const;
  void append(std::string_view text, std::int32_t id, bool& is_after_unknown,
              std::vector<std::int32_t>& ids) const;
  void encode_bpe(std::string_view text, const SentencePieceBpe::Drop& drop,
                  std::vector<std::int32_t>& ids) const;
};

SentencePiece::SentencePiece(SentencePieceFile file, std::string_view where) {
  const auto impl = std::make_shared<Impl>();
  using Type = SentencePieceFile::Type;
  const auto fail = [&](const std::string& what) { throw Error(std::string(where) + ": " + what); };
  std::vector<UnigramPiece> pieces;
  std::vector<PieceTrie::Key> user_defined;
  impl->byte_ids.fill(-1);
  for (std::size_t id = 0; id < file.pieces.size(); ++id) {
    const SentencePieceFile::Piece& piece = file.pieces[id];
    const std::string name = "piece " + std::to_string(id) + " " + quote(piece.surface);
    if (piece.surface.size() > 1024)
      fail(name + " has " + std::to_string(piece.surface.size()) + " bytes (at most 1024)");
    impl->table.value(piece.surface) = id;
    if (piece.type == Type::unknown) impl->unknown_id = static_cast<std::int32_t>(id);
    if (piece.type == Type::user_defined)
      user_defined.push_back({piece.surface, static_cast<std::int32_t>(id)});
    if (piece.type == Type::byte) {
      const int byte = byte_of_surface(piece.surface);
      if (byte < 0) fail(name + " is of type BYTE (expected <0x00> to <0xFF>)");
      if (!file.has_byte_fallback) fail(name + " is of type BYTE, but byte_fallback is false");
      impl->byte_ids[static_cast<std::size_t>(byte)] = static_cast<std::int32_t>(id);
    }
    const bool is_found =
        piece.type == Type::normal || piece.type == Type::user_defined || piece.type == Type::unused;
    if (is_found) impl->has_cuts = impl->has_cuts && end_of_word(piece.surface, 0) == piece.surface.size();
    const PieceKind kind = piece.type == Type::normal         ? PieceKind::ordinary
                           : piece.type == Type::user_defined ? PieceKind::user_defined
                                                              : PieceKind::hidden;
    pieces.push_back({piece.surface, static_cast<double>(piece.score), kind});
  }
  if (file.has_byte_fallback) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      if (impl->byte_ids[byte] < 0)
        fail("no piece " + byte_surface(static_cast<unsigned char>(byte)) + " (byte_fallback wants all 256)");
    }
  }
  try {
    impl->charsmap = Charsmap(file.charsmap);
  } catch (const Error& error) {
    fail("normalizer_spec: " + std::string(error.what()));
  }
  impl->user_defined = PieceTrie(user_defined);
  for (unsigned char byte = 0; byte < 128; ++byte) {
    impl->is_copied[byte] =
        impl->charsmap.keeps(byte) &&
        impl->user_defined.next(PieceTrie::kRoot, static_cast<char>(byte)) == PieceTrie::kNone;
  }
  impl->keeps_space = impl->is_copied[' '];
  impl->is_copied[' '] = false;
  impl->file = std::move(file);
  impl->where = where;
  try {
    if (impl->file.algorithm == SentencePieceFile::Algorithm::unigram) {
      impl->unigram = std::make_unique<Unigram>(
          std::move(pieces), UnigramSettings{.unknown_id = impl->unknown_id,
                                             .sums = ScoreSums::in_float,
                                             .has_byte_fallback = impl->file.has_byte_fallback,
                                             .byte_ids = impl->byte_ids});
    } else {
      impl->bpe = std::make_unique<SentencePieceBpe>(impl->file);
    }
  } catch (const Error& error) {
    fail(error.what());
  }
  impl_ = impl;
}

std::string SentencePiece::normalize(std::string_view text) const {
  const SentencePieceFile& file = impl_->file;
  const bool strips = file.removes_extra_white_space;
  while (strips && !text.empty()) {
    const Charsmap::Match first = impl_->next(text);
    if (first.replacement != " ") break;
    text.remove_prefix(first.length);
  }
  std::string normal;
  if (text.empty()) return normal;
  const std::string_view space = file.escapes_white_space ? kWordMark : std::string_view(" ");
  const std::size_t most = 16 * text.size() + 4096;
  normal.reserve(text.size() + text.size() / 2 + 16);
  if (file.adds_dummy_prefix) normal += space;
  bool is_after_space = strips;
  for (std::size_t at = 0; at < text.size();) {
    // Runs of characters that stay as they are; a rule may begin with the one before another kind.
    std::size_t end = at;
    while (end < text.size() && impl_->is_plain(text[end])) ++end;
    if (end > at && end < text.size() && static_cast<unsigned char>(text[end]) >= 0x80) --end;
    if (end > at) {
      normal += text.substr(at, end - at);
      is_after_space = false;
      at = end;
      continue;
    }
    const bool is_ascii_next = at + 1 == text.size() || static_cast<unsigned char>(text[at + 1]) < 0x80;
    if (text[at] == ' ' && impl_->keeps_space && is_ascii_next) {
      if (!is_after_space) normal += space;
      is_after_space = strips;
      ++at;
      continue;
    }
    const Charsmap::Match match = impl_->next(text.substr(at));
    std::string_view part = match.replacement;
    at += match.length;
    while (is_after_space && part.starts_with(' ')) part.remove_prefix(1);
    for (const char c : part) {
      if (c == ' ') {
        normal += space;
      } else {
        normal += c;
      }
    }
    if (!part.empty()) is_after_space = strips && part.ends_with(' ');
    if (normal.size() > most) {
      throw Error(impl_->where + ": the line grows beyond " + std::to_string(most) +
                  " bytes (at most 16 times, plus 4 KiB)");
    }
  }
  while (strips && normal.ends_with(space)) normal.erase(normal.size() - space.size());
  return normal;
}

void SentencePiece::Impl::append(std::string_view text, std::int32_t id, bool& is_after_unknown,
                                 std::vector<std::int32_t>& ids) const {
  if (id >= 0) {
    ids.push_back(id);
  } else if (file.has_byte_fallback) {
    for (const char byte : text) ids.push_back(byte_ids[static_cast<unsigned char>(byte)]);
  } else if (!is_after_unknown) {
    ids.push_back(unknown_id);
  }
  is_after_unknown = id < 0;
}

void SentencePiece::Impl::encode_bpe(std::string_view text, const SentencePieceBpe::Drop& drop,
                                     std::vector<std::int32_t>& ids) const {
  bool is_after_unknown = false;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = has_cuts ? end_of_word(text, begin) : text.size();
    const std::string_view word = text.substr(begin, end - begin);
    begin = end;
    const WordMemory::Place* known = drop ? nullptr : memory.find(word);
    if (known != nullptr) {
      ids.insert(ids.end(), known->all().begin(), known->all().end());
      is_after_unknown = false;
      continue;
    }
    const std::size_t before = ids.size();
    bool has_unknown = false;
    bpe->encode(word, drop, [&](std::string_view piece, std::int32_t id) {
      has_unknown = has_unknown || id < 0;
      append(piece, id, is_after_unknown, ids);
    });
    if (!drop && !has_unknown) memory.keep(word, std::span(ids).subspan(before));
  }
}

void SentencePiece::encode(std::string_view normal, std::vector<std::int32_t>& ids) const {
  if (impl_->unigram != nullptr) return impl_->unigram->encode(normal, ids);
  impl_->encode_bpe(normal, {}, ids);
}

void SentencePiece::sample(std::string_view normal, const SubwordSampling& sampling, SampleCounter& random,
                           std::vector<std::int32_t>& ids) const {
  if (impl_->unigram != nullptr) return impl_->unigram->sample(normal, sampling, random, ids);
  if (!(sampling.dropout > 0)) return encode(normal, ids);
  impl_->encode_bpe(
      normal, [&] { return static_cast<double>(random.next()) < sampling.dropout; }, ids);
}

// piece(i) is {surface, type} of the i-th token.
template <class Piece>
std::string SentencePiece::Impl::join(std::size_t count, bool shows_unknown, const Piece& piece_at) const {
  using Type = SentencePieceFile::Type;
  std::string text, bytes;
  const auto flush = [&] {
    append_bytes_as_utf8(text, bytes);
    bytes.clear();
  };
  bool is_at_start = file.adds_dummy_prefix || file.removes_extra_white_space, has_mark = false;
  for (std::size_t i = 0; i < count; ++i) {
    auto [rest, type] = piece_at(i);
    if (type == Type::byte) {
      bytes += static_cast<char>(byte_of_surface(rest));
      continue;
    }
    flush();
    if (has_mark || !text.empty()) is_at_start = false;
    has_mark = false;
    if (type == Type::control) continue;
    if (type == Type::unknown) {
      if (shows_unknown) text += file.unknown_surface;
      continue;
    }
    if (is_at_start && rest.starts_with(kWordMark)) {
      rest.remove_prefix(kWordMark.size());
      has_mark = !file.removes_extra_white_space;  // where it is removed, all marks in front go
    }
    for (std::size_t at = 0; at < rest.size();) {
      if (rest.substr(at).starts_with(kWordMark)) {
        text += ' ';
        at += kWordMark.size();
      } else {
        text += rest[at++];
      }
    }
  }
  flush();
  return text;
}

std::string SentencePiece::decode(std::span<const std::int32_t> ids, bool shows_unknown) const {
  const std::vector<SentencePieceFile::Piece>& pieces = impl_->file.pieces;
  return impl_->join(ids.size(), shows_unknown, [&](std::size_t i) {
    const std::int32_t id = ids[i];
    if (id < 0 || static_cast<std::size_t>(id) >= pieces.size())
      throw Error("the id " + std::to_string(id) + " is not in 0 .. " + std::to_string(pieces.size() - 1));
    const SentencePieceFile::Piece& piece = pieces[static_cast<std::size_t>(id)];
    return std::pair(std::string_view(piece.surface), piece.type);
  });
}

std::string SentencePiece::join(std::span<const std::string> tokens) const {
  return impl_->join(tokens.size(), true, [&](std::size_t i) {
    const WordTable::Entry* entry = impl_->table.find(tokens[i]);
    const auto type = entry == nullptr ? SentencePieceFile::Type::normal
                                       : impl_->file.pieces[static_cast<std::size_t>(entry->value)].type;
    return std::pair(std::string_view(tokens[i]), type);
  });
}

const SentencePieceFile& SentencePiece::file() const { return impl_->file; }
std::int32_t SentencePiece::unknown_id() const { return impl_->unknown_id; }

namespace {

class SentencePieceModel : public TokenModel {
 public:
  explicit SentencePieceModel(const SentencePiece& sentencepiece) : sentencepiece_(sentencepiece) {}
  void encode(std::string_view piece, std::vector<std::int32_t>& ids) const override {
    sentencepiece_.encode(piece, ids);
  }
  void sample(std::string_view piece, const SubwordSampling& sampling, SampleCounter& random,
              std::vector<std::int32_t>& ids) const override {
    sentencepiece_.sample(piece, sampling, random, ids);
  }

 private:
  SentencePiece sentencepiece_;
};

}  // namespace

std::shared_ptr<const TokenModel> sentencepiece_model(const SentencePiece& sentencepiece) {
  return std::make_shared<SentencePieceModel>(sentencepiece);
}

}  // namespace headwater
