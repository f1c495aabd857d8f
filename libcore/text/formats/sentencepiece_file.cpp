// Reading `.model`: messages of Protocol Buffers, fields by number. Fields that mean nothing here are passed
// over, as that format wants it; nothing is allocated that the file does not hold.
#include <bit>
#include <cmath>

#include "support/error.hpp"
#include "support/utf8.hpp"
#include "text/formats/sentencepiece.hpp"
#include "text/tokenizer/word_table.hpp"

namespace headwater {
namespace {

constexpr std::size_t kMaxPieces = std::size_t{1} << 22;

// The fields of one message. Places in errors count from the beginning of the file.
class MessageReader {
 public:
  MessageReader(std::string_view bytes, std::size_t offset, std::string_view where)
      : bytes_(bytes), offset_(offset), where_(where) {}

  // False at the end of the message.
  bool next_field() {
    if (at_ == bytes_.size()) return false;
    field_begin_ = at_;
    const std::uint64_t tag = varint();
    field_ = tag >> 3;
    wire_type_ = static_cast<unsigned>(tag & 7);
    if (field_ == 0 || field_ >> 29 != 0) fail("field number " + std::to_string(field_));
    return true;
  }
  std::uint64_t field() const { return field_; }

  std::uint64_t number() {
    expect(0, "a number");
    return varint();
  }
  bool truth() { return number() != 0; }
  float real() {
    expect(5, "a 32-bit number");
    std::uint32_t bits = 0;
    for (int i = 0; i < 4; ++i) bits |= std::uint32_t{byte()} << (8 * i);
    return std::bit_cast<float>(bits);
  }
  std::string_view block() {
    expect(2, "a text");
    const std::uint64_t length = varint();
    if (length > bytes_.size() - at_) {
      fail("a length of " + std::to_string(length) + " where " + std::to_string(bytes_.size() - at_) +
           " bytes are left (is the file cut off?)");
    }
    const std::string_view found = bytes_.substr(at_, length);
    at_ += length;
    return found;
  }
  std::string text(const char* name) {
    const std::string_view found = block();
    if (find_invalid_utf8(found) != std::string_view::npos) fail(std::string(name) + " is not UTF-8");
    return std::string(found);
  }
  MessageReader message() {
    const std::string_view found = block();
    return {found, offset_ + at_ - found.size(), where_};
  }
  void skip() {
    switch (wire_type_) {
      case 0:
        varint();
        break;
      case 1:
        for (int i = 0; i < 8; ++i) byte();
        break;
      case 2:
        block();
        break;
      case 5:
        for (int i = 0; i < 4; ++i) byte();
        break;
      default:
        fail("wire type " + std::to_string(wire_type_));
    }
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(std::string(where_) + ": byte " + std::to_string(offset_ + field_begin_) + ": " + what);
  }

 private:
  void expect(unsigned wire_type, const char* what) {
    if (wire_type_ != wire_type) {
      fail("field " + std::to_string(field_) + " has wire type " + std::to_string(wire_type_) +
           " (expected " + what + ")");
    }
  }
  unsigned char byte() {
    if (at_ == bytes_.size()) fail("the message ends inside a field (is the file cut off?)");
    return static_cast<unsigned char>(bytes_[at_++]);
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::uint64_t bits = byte();
      if (shift == 63 && bits > 1) break;
      value |= (bits & 0x7F) << shift;
      if (bits < 0x80) return value;
    }
    fail("a number of more than 64 bits");
  }

  std::string_view bytes_;
  std::size_t offset_ = 0, at_ = 0, field_begin_ = 0;
  std::string_view where_;
  std::uint64_t field_ = 0;
  unsigned wire_type_ = 0;
};

SentencePieceFile::Piece read_piece(MessageReader message) {
  SentencePieceFile::Piece piece;
  while (message.next_field()) {
    switch (message.field()) {
      case 1:
        piece.surface = message.text("a piece");
        break;
      case 2:
        piece.score = message.real();
        if (!std::isfinite(piece.score)) message.fail("the score of a piece is not finite");
        break;
      case 3: {
        const std::uint64_t type = message.number();
        if (type < 1 || type > 6) message.fail("piece type " + std::to_string(type) + " (1 to 6 are known)");
        piece.type = static_cast<SentencePieceFile::Type>(type);
        break;
      }
      default:
        message.skip();
    }
  }
  if (piece.surface.empty()) message.fail("a piece without text");
  return piece;
}

void read_trainer(MessageReader message, SentencePieceFile& file) {
  while (message.next_field()) {
    switch (message.field()) {
      case 3: {
        const std::uint64_t type = message.number();
        if (type != 1 && type != 2) {
          const std::string name = type == 3 ? "WORD" : type == 4 ? "CHAR" : std::to_string(type);
          message.fail("unsupported model type " + name + " (supported: UNIGRAM, BPE)");
        }
        file.algorithm = static_cast<SentencePieceFile::Algorithm>(type);
        break;
      }
      case 24:
        if (message.truth()) message.fail("treat_whitespace_as_suffix is not supported");
        break;
      case 35:
        file.has_byte_fallback = message.truth();
        break;
      case 44:
        file.unknown_surface = message.text("unk_surface");
        break;
      case 46:
        file.start_piece = message.text("bos_piece");
        break;
      case 47:
        file.end_piece = message.text("eos_piece");
        break;
      case 48:
        file.pad_piece = message.text("pad_piece");
        break;
      default:
        message.skip();
    }
  }
}

void read_normalizer(MessageReader message, SentencePieceFile& file) {
  while (message.next_field()) {
    switch (message.field()) {
      case 2:
        file.charsmap = message.block();
        break;
      case 3:
        file.adds_dummy_prefix = message.truth();
        break;
      case 4:
        file.removes_extra_white_space = message.truth();
        break;
      case 5:
        file.escapes_white_space = message.truth();
        break;
      default:
        message.skip();
    }
  }
}

void refuse_denormalizer(MessageReader message) {
  while (message.next_field()) {
    if (message.field() != 2) {
      message.skip();
    } else if (!message.block().empty()) {
      message.fail("denormalizer_spec is not supported");
    }
  }
}

}  // namespace

bool is_sentencepiece_file(std::string_view bytes, std::string_view where) {
  constexpr std::size_t kFew = 4;
  if (bytes.size() < kFew && (where.ends_with(".spm") || where.ends_with(".model"))) return true;
  // The first field is a piece with its text. JSON has no control characters but TAB, LF and CR.
  if (!bytes.starts_with('\n')) return false;
  for (const char c : bytes.substr(0, 64)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') return true;
  }
  return false;
}

SentencePieceFile read_sentencepiece_file(std::string_view bytes, std::string_view where) {
  SentencePieceFile file;
  if (bytes.empty())
    throw Error(std::string(where) + ": an empty file, no SentencePiece model (copy it again)");
  MessageReader message(bytes, 0, where);
  WordTable seen;
  bool has_unknown = false;
  while (message.next_field()) {
    switch (message.field()) {
      case 1: {
        if (file.pieces.size() == kMaxPieces)
          message.fail("more than " + std::to_string(kMaxPieces) + " pieces");
        SentencePieceFile::Piece piece = read_piece(message.message());
        std::uint64_t& count = seen.value(piece.surface);
        if (count++ > 0) message.fail("the piece " + quote(piece.surface) + " stands twice");
        if (piece.type == SentencePieceFile::Type::unknown) {
          if (has_unknown) message.fail("a second unknown piece, " + quote(piece.surface));
          has_unknown = true;
        }
        file.pieces.push_back(std::move(piece));
        break;
      }
      case 2:
        read_trainer(message.message(), file);
        break;
      case 3:
        read_normalizer(message.message(), file);
        break;
      case 5:
        refuse_denormalizer(message.message());
        break;
      default:
        message.skip();
    }
  }
  if (!has_unknown) throw Error(std::string(where) + ": no piece of type UNKNOWN");
  return file;
}

}  // namespace headwater
