#include "data/image_records.hpp"

#include <limits>
#include <string>
#include <vector>

#include "support/error.hpp"
#include "support/numbers.hpp"

namespace headwater {

namespace {

constexpr std::size_t kPlane = 32 * 32, kCifarPixels = 3 * kPlane;

struct CifarForm {
  std::string_view name;
  std::size_t label_bytes;
  std::int64_t classes[2];  // of each label byte

  std::size_t record_bytes() const { return label_bytes + kCifarPixels; }
};
constexpr CifarForm kCifar10{"CIFAR-10", 1, {10, 0}}, kCifar100{"CIFAR-100", 2, {20, 100}};

// The place of the first label that the form does not have, or npos.
std::size_t find_bad_label(std::string_view bytes, const CifarForm& form) {
  for (std::size_t at = 0; at < bytes.size(); at += form.record_bytes()) {
    for (std::size_t i = 0; i < form.label_bytes; ++i) {
      if (static_cast<unsigned char>(bytes[at + i]) >= form.classes[i]) return at + i;
    }
  }
  return std::string_view::npos;
}

[[noreturn]] void fail_label(std::string_view bytes, std::string_view where, const CifarForm& form,
                             std::size_t at) {
  const std::size_t image = at / form.record_bytes(), which = at % form.record_bytes();
  throw Error(std::string(where) + ": byte " + std::to_string(at) + ": image " + std::to_string(image) +
              " (from 0) has the label " + std::to_string(static_cast<unsigned char>(bytes[at])) +
              ", not one of 0 .. " + std::to_string(form.classes[which] - 1) + " (is it a file of " +
              std::string(form.name) + "?)");
}

}  // namespace

std::span<const std::uint8_t> CifarImages::record(std::int64_t image) const {
  const std::size_t bytes = label_bytes + kCifarPixels;
  return records.subspan(static_cast<std::size_t>(image) * bytes, bytes);
}

void CifarImages::read_pixels(std::int64_t image, std::span<std::uint8_t> out) const {
  const std::span<const std::uint8_t> planes = record(image).subspan(label_bytes);
  for (std::size_t i = 0; i < kPlane; ++i) {
    for (std::size_t c = 0; c < 3; ++c) out[3 * i + c] = planes[c * kPlane + i];
  }
}

CifarImages read_cifar_images(std::string_view bytes, std::string_view where) {
  if (bytes.starts_with("\x1F\x8B")) {
    throw Error(std::string(where) + ": is compressed (tar -xzf it first)");
  }
  const bool may_be_10 = bytes.size() % kCifar10.record_bytes() == 0;
  const bool may_be_100 = bytes.size() % kCifar100.record_bytes() == 0;
  if (bytes.empty() || (!may_be_10 && !may_be_100)) {
    throw Error(std::string(where) + ": has " + format_count(static_cast<std::int64_t>(bytes.size())) +
                " bytes, not records of " + format_count(kCifar10.record_bytes()) + " (CIFAR-10) or " +
                format_count(kCifar100.record_bytes()) + " (CIFAR-100) (copy it again)");
  }
  // Where both lengths fit, the labels decide.
  const bool is_10 = may_be_10 && (!may_be_100 || find_bad_label(bytes, kCifar100) != std::string_view::npos);
  const CifarForm& form = is_10 ? kCifar10 : kCifar100;
  const std::size_t bad = find_bad_label(bytes, form);
  if (bad != std::string_view::npos) fail_label(bytes, where, form, bad);
  CifarImages out;
  out.count = static_cast<std::int64_t>(bytes.size() / form.record_bytes());
  out.classes = form.classes[form.label_bytes - 1];
  out.label_bytes = form.label_bytes;
  out.records = {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
  return out;
}

namespace {

constexpr std::size_t kMagicBytes = 4, kSizeBytes = 4;
constexpr unsigned char kUnsignedBytes = 0x08;

static_assert(kMaxImages <= std::numeric_limits<std::int64_t>::max() / 2 / kMaxImageSide / kMaxImageSide /
                                kMaxImageChannels,
              "sizes within the limits have a product of 63 bits");

[[noreturn]] void fail(std::string_view where, std::size_t byte, const std::string& what) {
  throw Error(std::string(where) + ": byte " + std::to_string(byte) + ": " + what);
}

unsigned byte_at(std::string_view bytes, std::size_t at) { return static_cast<unsigned char>(bytes[at]); }

std::string hex(unsigned byte) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  return {'0', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
}

// Checks the magic number and gives the number of dimensions.
int read_magic(std::string_view bytes, std::string_view where) {
  if (bytes.starts_with("\x1F\x8B")) {
    throw Error(std::string(where) + ": is compressed (gzip -d it first)");
  }
  if (bytes.size() < kMagicBytes) {
    fail(where, 0,
         "the file has " + std::to_string(bytes.size()) + " bytes, an IDX file at least 4 (copy it again)");
  }
  for (std::size_t i = 0; i < 2; ++i) {
    if (bytes[i] != 0) fail(where, i, hex(byte_at(bytes, i)) + " instead of 0x00 (is it an IDX file?)");
  }
  if (byte_at(bytes, 2) != kUnsignedBytes) {
    fail(where, 2,
         "the values have the type " + hex(byte_at(bytes, 2)) + ", only unsigned bytes (0x08) are read");
  }
  return static_cast<int>(byte_at(bytes, 3));
}

std::vector<std::int64_t> read_sizes(std::string_view bytes, std::string_view where, int dimensions) {
  std::vector<std::int64_t> sizes;
  for (int d = 0; d < dimensions; ++d) {
    const std::size_t at = kMagicBytes + static_cast<std::size_t>(d) * kSizeBytes;
    if (bytes.size() < at + kSizeBytes) {
      fail(where, bytes.size(),
           "the file ends before the sizes of its " + std::to_string(dimensions) +
               " dimensions (copy it again)");
    }
    std::int64_t size = 0;
    for (std::size_t i = 0; i < kSizeBytes; ++i) size = size << 8 | byte_at(bytes, at + i);
    if (size == 0) fail(where, at, "dimension " + std::to_string(d + 1) + " has the size 0");
    sizes.push_back(size);
  }
  return sizes;
}

// The values after the header: exactly `count` bytes up to the end of the file.
std::span<const std::uint8_t> read_values(std::string_view bytes, std::string_view where, int dimensions,
                                          std::int64_t count) {
  const std::size_t begin = kMagicBytes + static_cast<std::size_t>(dimensions) * kSizeBytes;
  const std::size_t end = begin + static_cast<std::size_t>(count);
  if (bytes.size() < end) {
    fail(where, bytes.size(),
         "the file ends, its sizes promise " + std::to_string(end) + " bytes (copy it again)");
  }
  if (bytes.size() > end) {
    fail(where, end,
         "the last value ends here, the file at byte " + std::to_string(bytes.size()) + " (copy it again)");
  }
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()) + begin, static_cast<std::size_t>(count)};
}

void check_limit(std::string_view where, std::size_t dimension, std::string_view name, std::int64_t size,
                 std::int64_t max) {
  if (size <= max) return;
  fail(where, kMagicBytes + dimension * kSizeBytes,
       "a " + std::string(name) + " of " + std::to_string(size) + ", more than " + std::to_string(max));
}

}  // namespace

IdxImages read_idx_images(std::string_view bytes, std::string_view where) {
  const int dimensions = read_magic(bytes, where);
  if (dimensions != 3 && dimensions != 4) {
    fail(where, 3,
         std::to_string(dimensions) + (dimensions == 1 ? " dimension" : " dimensions") +
             ", images have 3 or 4" + (dimensions == 1 ? " (are these the labels?)" : ""));
  }
  const std::vector<std::int64_t> sizes = read_sizes(bytes, where, dimensions);
  check_limit(where, 1, "height", sizes[1], kMaxImageSide);
  check_limit(where, 2, "width", sizes[2], kMaxImageSide);
  if (dimensions == 4) check_limit(where, 3, "number of channels", sizes[3], kMaxImageChannels);
  IdxImages out{.count = sizes[0],
                .shape = {.height = sizes[1], .width = sizes[2], .channels = dimensions == 4 ? sizes[3] : 1},
                .pixels = {}};
  out.pixels = read_values(bytes, where, dimensions, out.count * out.shape.bytes());
  return out;
}

std::span<const std::uint8_t> read_idx_labels(std::string_view bytes, std::string_view where) {
  const int dimensions = read_magic(bytes, where);
  if (dimensions != 1) {
    fail(where, 3,
         std::to_string(dimensions) + " dimensions, labels have 1" +
             (dimensions == 3 || dimensions == 4 ? " (are these the images?)" : ""));
  }
  return read_values(bytes, where, dimensions, read_sizes(bytes, where, dimensions)[0]);
}

}  // namespace headwater
