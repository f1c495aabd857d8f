#include "checkpoint/npy.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstddef>
#include <limits>
#include <optional>

#include "support/error.hpp"

namespace headwater {

std::string npy_head(std::span<const std::int64_t> shape) {
  static_assert(std::endian::native == std::endian::little);
  std::string sizes;
  for (const std::int64_t size : shape) sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
  if (shape.size() == 1) sizes += ",";
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + sizes + "), }";
  // magic, version, length of the header
  constexpr std::size_t kPreamble = 10, kAlignment = 64;
  header.append(kAlignment - 1 - (kPreamble + header.size()) % kAlignment, ' ').push_back('\n');
  std::string head("\x93NUMPY\x01\x00", 8);
  head.push_back(static_cast<char>(header.size() & 0xFF));
  head.push_back(static_cast<char>(header.size() >> 8));
  return head + header;
}

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

// The header, a literal of Python: a dictionary of a text, a truth value and a tuple of whole numbers.
class NpyHeaderReader {
 public:
  NpyHeaderReader(std::string_view text, std::string_view where, NpyType type)
      : text_(text), where_(where), type_(type) {}

  std::vector<std::int64_t> shape() {
    std::optional<std::vector<std::int64_t>> shape;
    bool has_type = false, has_order = false;
    expect('{');
    while (!skip('}')) {
      const std::string_view key = quoted();
      expect(':');
      if (key == "descr" && !has_type) {
        has_type = true;
        check_type(quoted());
      } else if (key == "fortran_order" && !has_order) {
        has_order = true;
        check_order(word());
      } else if (key == "shape" && !shape) {
        shape = numbers();
      } else {
        fail("unknown or repeated key " + quote(key));
      }
      if (!skip(',')) {
        expect('}');
        break;
      }
    }
    skip_spaces();
    if (!text_.empty()) fail("text after the }");
    if (!has_type || !has_order || !shape) fail("without descr, fortran_order or shape");
    return *shape;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(std::string(where_) + ": header of an npy file: " + what + " (write it with numpy.save)");
  }
  void check_type(std::string_view type) const {
    if (type_ == NpyType::bytes) {
      if (type == "|i1" || type == "|u1") return;
      throw Error(std::string(where_) + ": numbers of type " + quote(type) + ", expected bytes (|i1)");
    }
    if (type == "<f4") return;
    throw Error(std::string(where_) + ": numbers of type " + quote(type) +
                ", only 32-bit floats (<f4) are read (save x.astype('float32'))");
  }
  void check_order(std::string_view order) const {
    if (order == "False") return;
    if (order != "True") fail("fortran_order is " + quote(order));
    throw Error(std::string(where_) +
                ": columns one after the other, only rows are read (save numpy.ascontiguousarray(x))");
  }

  void skip_spaces() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\n')) text_.remove_prefix(1);
  }
  bool skip(char c) {
    skip_spaces();
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!skip(c)) fail("no " + quote(std::string_view(&c, 1)) + " where one belongs");
  }
  std::string_view taken(std::size_t length) {
    const std::string_view part = text_.substr(0, length);
    text_.remove_prefix(part.size());
    return part;
  }
  std::string_view quoted() {
    skip_spaces();
    const char mark = text_.empty() ? '\0' : text_.front();
    if (mark != '\'' && mark != '"') fail("no text in quotes where one belongs");
    text_.remove_prefix(1);
    const std::size_t end = text_.find(mark);
    if (end == text_.npos) fail("a text without its end");
    const std::string_view part = taken(end);
    text_.remove_prefix(1);
    return part;
  }
  std::string_view word() {
    skip_spaces();
    return taken(std::min(text_.find_first_of(" ,}\n"), text_.size()));
  }
  std::vector<std::int64_t> numbers() {
    std::vector<std::int64_t> numbers;
    expect('(');
    while (!skip(')')) {
      skip_spaces();
      std::int64_t number = 0;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), number);
      if (error != std::errc() || number < 0) fail("a shape of other things than whole numbers");
      text_.remove_prefix(end - text_.data());
      numbers.push_back(number);
      if (!skip(',')) {
        expect(')');
        break;
      }
    }
    return numbers;
  }

  std::string_view text_, where_;
  NpyType type_;
};

}  // namespace

NpyArray read_npy(std::string_view bytes, std::string_view where, NpyType type) {
  const auto fail = [&](const std::string& what) { throw Error(std::string(where) + ": " + what); };
  const auto byte = [&](std::size_t at) { return std::size_t{static_cast<unsigned char>(bytes[at])}; };
  if (!bytes.starts_with(kMagic)) fail("not an npy file (write it with embed -o FILE.npy or numpy.save)");
  const std::size_t preamble = bytes.size() > 6 && byte(6) > 1 ? 12 : 10;
  if (bytes.size() < preamble) fail("the file ends in its header (copy it again)");
  if (byte(6) < 1 || byte(6) > 3)
    fail("version " + std::to_string(byte(6)) + " of npy, this program knows 1 to 3");
  std::size_t header = byte(8) | byte(9) << 8;
  if (preamble == 12) header |= byte(10) << 16 | byte(11) << 24;
  if (bytes.size() - preamble < header) fail("the file ends in its header (copy it again)");
  NpyArray array{NpyHeaderReader(bytes.substr(preamble, header), where, type).shape(),
                 bytes.substr(preamble + header)};
  std::uint64_t needed = type == NpyType::float32 ? sizeof(float) : 1;
  bool is_empty = false, is_too_large = false;
  for (const std::int64_t size : array.shape) {
    if (size == 0) is_empty = true;
    const auto factor = static_cast<std::uint64_t>(size == 0 ? 1 : size);
    is_too_large = is_too_large || needed > std::numeric_limits<std::uint64_t>::max() / factor;
    if (!is_too_large) needed *= factor;
  }
  if (is_empty) needed = 0;
  if (is_empty ? !array.values.empty() : is_too_large || needed != array.values.size()) {
    fail(std::to_string(array.values.size()) + " bytes of numbers, the header promises " +
         (is_too_large ? "more than there can be" : std::to_string(needed)) + " (copy the file again)");
  }
  return array;
}

}  // namespace headwater
