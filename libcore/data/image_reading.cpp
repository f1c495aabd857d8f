#include "data/image_reading.hpp"

#include <charconv>

#include "support/error.hpp"

namespace headwater {
namespace {

constexpr std::array<std::uint8_t, 3> kWhite{255, 255, 255}, kBlack{0, 0, 0};

// Numbers of a TIFF file in its own order of bytes. Beyond the end all bytes are 0.
class TiffNumbers {
 public:
  explicit TiffNumbers(std::string_view bytes) : bytes_(bytes), is_little_(bytes.starts_with("II")) {}
  std::uint32_t read(std::size_t at, std::size_t count) const {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t place = at + (is_little_ ? count - 1 - i : i);
      value = value << 8 | (place < bytes_.size() ? static_cast<unsigned char>(bytes_[place]) : 0U);
    }
    return value;
  }

 private:
  std::string_view bytes_;
  bool is_little_;
};

}  // namespace

std::string Background::name() const {
  if (drops_transparency) return "drop";
  if (color == kWhite) return "white";
  if (color == kBlack) return "black";
  constexpr char kHex[] = "0123456789abcdef";
  std::string text = "#";
  for (const std::uint8_t part : color) text += {kHex[part >> 4], kHex[part & 15]};
  return text;
}

Background background_of(std::string_view word) {
  if (word == "drop") return {};
  if (word == "white") return {.drops_transparency = false, .color = kWhite};
  if (word == "black") return {.drops_transparency = false, .color = kBlack};
  Background out{.drops_transparency = false};
  bool is_color = word.size() == 7 && word.front() == '#';
  for (std::size_t i = 0; is_color && i < out.color.size(); ++i) {
    const char* const begin = word.data() + 1 + 2 * i;
    is_color = std::from_chars(begin, begin + 2, out.color[i], 16).ptr == begin + 2;
  }
  if (is_color) return out;
  throw Error(quote(word) + " is no background (white, black, drop, or a colour as #ff8000)");
}

int orientation_of_exif(std::string_view tiff) {
  constexpr std::uint32_t kTag = 0x0112, kShort = 3;
  const TiffNumbers numbers(tiff);
  if (!(tiff.starts_with("II") || tiff.starts_with("MM")) || numbers.read(2, 2) != 42) return 1;
  const std::size_t directory = numbers.read(4, 4), entries = numbers.read(directory, 2);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t entry = directory + 2 + 12 * i;
    if (entry + 12 > tiff.size()) break;
    if (numbers.read(entry, 2) != kTag) continue;
    const std::uint32_t value = numbers.read(entry + 8, 2);
    const bool is_one = numbers.read(entry + 2, 2) == kShort && value >= 1 && value <= 8;
    return is_one ? static_cast<int>(value) : 1;
  }
  return 1;
}

}  // namespace headwater
