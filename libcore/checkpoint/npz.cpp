#include "checkpoint/npz.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>

#include "support/error.hpp"
#include "support/utf8.hpp"

namespace headwater {

namespace {

// Signatures and sizes of PKWARE's APPNOTE.TXT, sections 4.3.7, 4.3.12 and 4.3.16.
constexpr std::string_view kLocal("PK\x03\x04", 4), kEntry("PK\x01\x02", 4), kEnd("PK\x05\x06", 4);
constexpr std::size_t kLocalBytes = 30, kEntryBytes = 46, kEndBytes = 22, kMaxComment = 65535;
constexpr std::string_view kEnding = ".npy";

// CRC-32 of zip and PNG: the remainder of the bytes by the reflected polynomial 0xEDB88320, a byte a step.
constexpr std::array<std::uint32_t, 256> kRemainders = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ ((rest & 1) != 0 ? 0xEDB88320 : 0);
    table[byte] = rest;
  }
  return table;
}();

std::uint32_t crc32_of(std::string_view bytes) {
  std::uint32_t rest = 0xFFFFFFFF;
  for (const char byte : bytes)
    rest = (rest >> 8) ^ kRemainders[(rest ^ static_cast<unsigned char>(byte)) & 255];
  return ~rest;
}

class ZipReader {
 public:
  ZipReader(std::string_view bytes, std::string_view where) : bytes_(bytes), where_(where) {}

  std::vector<NpzMember> members() const {
    const std::size_t end = end_record();
    std::size_t at = number(end + 16, 4);
    std::vector<NpzMember> found;
    std::set<std::string_view> names;
    for (std::size_t left = number(end + 10, 2); left > 0; --left) {
      if (at > end || end - at < kEntryBytes || bytes_.substr(at, 4) != kEntry)
        fail("its directory is damaged at byte " + std::to_string(at) + " (copy it again)");
      const std::size_t name_bytes = number(at + 28, 2),
                        after = at + kEntryBytes + name_bytes + number(at + 30, 2) + number(at + 32, 2);
      if (after > end) fail("its directory is damaged at byte " + std::to_string(at) + " (copy it again)");
      const std::string_view name = bytes_.substr(at + kEntryBytes, name_bytes);
      check_name(name);
      if (!names.insert(name).second) fail("member " + quote(name) + " occurs twice");
      found.push_back({std::string(name.substr(0, name.size() - kEnding.size())), data_of(at, name)});
      at = after;
    }
    return found;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw Error(std::string(where_) + ": " + what); }
  std::size_t number(std::size_t at, std::size_t bytes) const {
    std::size_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i)
      value |= std::size_t{static_cast<unsigned char>(bytes_[at + i])} << (8 * i);
    return value;
  }
  // The last record, behind which a comment may stand.
  std::size_t end_record() const {
    if (bytes_.size() >= kEndBytes) {
      const std::size_t last = bytes_.size() - kEndBytes;
      for (std::size_t comment = 0; comment <= std::min(last, kMaxComment); ++comment) {
        const std::size_t at = last - comment;
        if (bytes_.substr(at, 4) == kEnd && number(at + 20, 2) == comment) return at;
      }
    }
    fail("no zip archive, or cut short: it has no directory at its end (copy it again)");
  }
  void check_name(std::string_view name) const {
    if (find_invalid_utf8(name) != name.npos) fail("a member's name is not UTF-8");
    if (!name.ends_with(kEnding) || name.size() == kEnding.size())
      fail("member " + quote(name) + " is no array: its name does not end with .npy");
  }
  std::string_view data_of(std::size_t entry, std::string_view name) const {
    const auto refuse = [&](const std::string& what) { fail("member " + quote(name) + " " + what); };
    if ((number(entry + 8, 2) & 1) != 0) refuse("is encrypted (write the file with numpy.savez)");
    if (number(entry + 10, 2) != 0) refuse("is compressed (write the file with numpy.savez)");
    const std::size_t packed = number(entry + 20, 4), size = number(entry + 24, 4),
                      at = number(entry + 42, 4);
    if (size == 0xFFFFFFFF || at == 0xFFFFFFFF) refuse("has 4 GiB or stands behind them, which is not read");
    const bool has_local = at <= bytes_.size() && bytes_.size() - at >= kLocalBytes &&
                           bytes_.substr(at, 4) == kLocal && packed == size;
    if (!has_local) refuse("is not where the directory has it (copy the file again)");
    const std::size_t data = at + kLocalBytes + number(at + 26, 2) + number(at + 28, 2);
    if (data > bytes_.size() || bytes_.size() - data < size) refuse("is cut short (copy the file again)");
    const std::string_view member = bytes_.substr(data, size);
    if (crc32_of(member) != number(entry + 16, 4))
      refuse("is damaged: its CRC-32 differs (copy the file again)");
    return member;
  }

  std::string_view bytes_, where_;
};

}  // namespace

bool begins_as_zip(std::string_view bytes) { return bytes.starts_with(kLocal); }

std::vector<NpzMember> read_npz(std::string_view bytes, std::string_view where) {
  return ZipReader(bytes, where).members();
}

}  // namespace headwater
