#include "text/formats/sentencepiece.hpp"

#include <array>
#include <optional>

#include "support/error.hpp"
#include "text/formats/sentencepiece_bpe.hpp"
#include "text/formats/sentencepiece_normalizer.hpp"
#include "text/models/unigram.hpp"
#include "text/models/word_memory.hpp"
#include "text/tokenizer/byte_pieces.hpp"
#include "text/tokenizer/token_text.hpp"
#include "text/tokenizer/word_cuts.hpp"

namespace headwater {

struct SentencePiece::Impl {
  SentencePieceFile file;
  std::string where;
  std::optional<SentencePieceNormalizer> normalizer;
  std::array<std::int32_t, 256> byte_ids{};
  std::int32_t unknown_id = -1;
  std::unique_ptr<const Unigram> unigram;
  std::unique_ptr<const SentencePieceBpe> bpe;
  bool has_cuts = true;  // see Unigram
  WordMemory memory;     // of BPE
  WordTable table;       // of all pieces, their ids

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
  const bool is_unigram = file.algorithm == SentencePieceFile::Algorithm::unigram;
  std::vector<UnigramPiece> pieces;
  if (is_unigram) pieces.reserve(file.pieces.size());
  impl->byte_ids.fill(-1);
  for (std::size_t id = 0; id < file.pieces.size(); ++id) {
    const SentencePieceFile::Piece& piece = file.pieces[id];
    const auto fail_at = [&](const std::string& what) {
      fail("piece " + std::to_string(id) + " " + quote(piece.surface) + what);
    };
    if (piece.surface.size() > 1024)
      fail_at(" has " + std::to_string(piece.surface.size()) + " bytes (at most 1024)");
    impl->table.value(piece.surface) = id;
    if (piece.type == Type::unknown) impl->unknown_id = static_cast<std::int32_t>(id);
    if (piece.type == Type::byte) {
      const int byte = byte_of_surface(piece.surface);
      if (byte < 0) fail_at(" is of type BYTE (expected <0x00> to <0xFF>)");
      if (!file.has_byte_fallback) fail_at(" is of type BYTE, but byte_fallback is false");
      impl->byte_ids[byte] = static_cast<std::int32_t>(id);
    }
    const bool is_found =
        piece.type == Type::normal || piece.type == Type::user_defined || piece.type == Type::unused;
    if (is_found) impl->has_cuts = impl->has_cuts && end_of_word(piece.surface, 0) == piece.surface.size();
    const PieceKind kind = piece.type == Type::normal         ? PieceKind::ordinary
                           : piece.type == Type::user_defined ? PieceKind::user_defined
                                                              : PieceKind::hidden;
    if (is_unigram) pieces.push_back({piece.surface, static_cast<double>(piece.score), kind});
  }
  if (file.has_byte_fallback) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      if (impl->byte_ids[byte] < 0)
        fail("no piece " + byte_surface(static_cast<unsigned char>(byte)) + " (byte_fallback wants all 256)");
    }
  }
  impl->normalizer.emplace(file, where);
  impl->file = std::move(file);
  impl->where = where;
  try {
    if (is_unigram) {
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
  return impl_->normalizer->normalize(text);
}

std::string SentencePiece::standardize(std::string_view text) const {
  return impl_->normalizer->standardize(text);
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
    const bool is_remembered = !drop && word.size() <= WordMemory::kMaxBytes;
    const WordMemory::Key key = is_remembered ? WordMemory::key_of(word) : WordMemory::Key();
    const WordMemory::Place* known = is_remembered ? memory.find(key) : nullptr;
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
    if (is_remembered && !has_unknown) memory.keep(key, std::span(ids).subspan(before));
  }
}

void SentencePiece::encode(std::string_view normal, std::vector<std::int32_t>& ids) const {
  if (impl_->unigram != nullptr) return impl_->unigram->encode(normal, ids);
  impl_->encode_bpe(normal, {}, ids);
}

void SentencePiece::encode_text(std::string_view text, std::vector<std::int32_t>& ids) const {
  const SentencePieceNormalizer& normalizer = *impl_->normalizer;
  const Unigram* const unigram = impl_->unigram.get();
  if (unigram == nullptr || !unigram->has_cuts() || !normalizer.keeps_ascii_words())
    return encode(normalize(text), ids);
  const std::size_t before = ids.size();
  Unigram::Progress progress;
  std::string normal;
  std::size_t bytes = 0;  // of the normalised text so far
  std::size_t at = 0;
  if (impl_->file.adds_dummy_prefix) at = unigram->encode_ascii_words(text, at, progress, bytes, ids);
  while (at < text.size()) {
    normal.clear();
    const bool is_first = at == 0;
    at = normalizer.normalize_part(text, at, bytes, normal);
    bytes += normal.size();
    if (!is_first && !normal.empty() && !normal.starts_with(kWordMark)) {  // it goes on with the word before
      ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(before), ids.end());
      return encode(normalize(text), ids);
    }
    unigram->encode_part(normal, progress, ids);
    at = unigram->encode_ascii_words(text, at, progress, bytes, ids);
  }
}

void SentencePiece::sample(std::string_view normal, const SubwordSampling& sampling, SampleCounter& random,
                           std::vector<std::int32_t>& ids) const {
  if (impl_->unigram != nullptr) return impl_->unigram->sample(normal, sampling, random, ids);
  if (!(sampling.dropout > 0)) return encode(normal, ids);
  impl_->encode_bpe(
      normal, [&] { return static_cast<double>(random.next()) < sampling.dropout; }, ids);
}

namespace {

void append_with_spaces(std::string& text, std::string_view piece) {
  for (std::size_t at = 0; at < piece.size();) {
    if (piece.substr(at).starts_with(kWordMark)) {
      text += ' ';
      at += kWordMark.size();
    } else {
      text += piece[at++];
    }
  }
}

}  // namespace

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
    append_with_spaces(text, rest);
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
    const SentencePieceFile::Piece& piece = pieces[id];
    return std::pair(std::string_view(piece.surface), piece.type);
  });
}

std::string SentencePiece::join(std::span<const std::string> tokens) const {
  return impl_->join(tokens.size(), true, [&](std::size_t i) {
    const WordTable::Entry* entry = impl_->table.find(tokens[i]);
    const auto type =
        entry == nullptr ? SentencePieceFile::Type::normal : impl_->file.pieces[entry->value].type;
    return std::pair(std::string_view(tokens[i]), type);
  });
}

std::string SentencePiece::piece_text(std::string_view surface) const {
  std::string text;
  append_with_spaces(text, surface);
  return impl_->file.has_byte_fallback ? text_of_byte_piece(text) : text;
}

const SentencePieceFile& SentencePiece::file() const { return impl_->file; }
std::int32_t SentencePiece::unknown_id() const { return impl_->unknown_id; }

}  // namespace headwater
