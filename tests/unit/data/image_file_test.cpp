#include "data/image_file.hpp"
#include "error_text.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include "support/files.hpp"

using namespace headwater;

namespace {

std::string big_endian(std::uint32_t value) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 255);
  return out;
}

// CRC-32 as of PNG, bit by bit.
std::uint32_t crc(const std::string& bytes) {
  std::uint32_t c = 0xFFFFFFFF;
  for (const char byte : bytes) {
    c ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) c = (c & 1) != 0 ? 0xEDB88320 ^ c >> 1 : c >> 1;
  }
  return ~c;
}

std::string chunk(const std::string& type, const std::string& data) {
  const std::string body = type + data;
  return big_endian(static_cast<std::uint32_t>(data.size())) + body + big_endian(crc(body));
}

// One stored block of deflate in a zlib stream.
std::string stored(const std::string& raw) {
  std::uint32_t a = 1, b = 0;
  for (const char byte : raw) {
    a = (a + static_cast<unsigned char>(byte)) % 65521;
    b = (b + a) % 65521;
  }
  const auto size = static_cast<unsigned>(raw.size());
  std::string out{'\x78',
                  '\x01',
                  '\x01',
                  static_cast<char>(size),
                  static_cast<char>(size >> 8),
                  static_cast<char>(~size),
                  static_cast<char>(~size >> 8)};
  return out + raw + big_endian(b << 16 | a);
}

enum Colour : char { grey = 0, rgb = 2, palette = 3, grey_alpha = 4, rgba = 6 };

struct Png {
  std::uint32_t width = 1, height = 1;
  char depth = 8;
  Colour colour = grey;
  std::string raw = {};     // rows, each after its filter
  std::string before = {};  // chunks before the pixels
  char interlace = 0;

  std::string bytes() const {
    const std::string header = big_endian(width) + big_endian(height) +
                               std::string{depth, static_cast<char>(colour), '\0', '\0', interlace};
    return "\x89PNG\r\n\x1A\n" + chunk("IHDR", header) + before + chunk("IDAT", stored(raw)) +
           chunk("IEND", "");
  }
};

using Values = std::vector<int>;

Values pixels(const std::string& bytes, const ImageShape& shape) {
  CHECK(read_image_shape(bytes, "f") == shape);
  const DecodedImage image = decode_image(bytes, "f");
  CHECK(image.shape == shape);
  return {image.pixels.begin(), image.pixels.end()};
}

Values pixels(const Png& png, const ImageShape& shape) { return pixels(png.bytes(), shape); }

std::string fault(const std::string& bytes) {
  return error_text([&] { decode_image(bytes, "f"); });
}

// The two bytes or more of a literal, whatever they are.
template <std::size_t N>
std::string of(const char (&literal)[N]) {
  return {literal, N - 1};
}

std::filesystem::path corpus(const std::string& format) {
  return std::filesystem::path(HEADWATER_SOURCE_DIR) / "tests/fuzz/corpus" / format;
}

// The two halves of an image of 16x8 pixels of one of our own JPEG files.
struct Halves {
  Values left, right;
};

Halves halves(const std::string& name) {
  const DecodedImage image = decode_image(read_file(corpus("jpeg") / name), name);
  const auto channels = static_cast<std::size_t>(image.shape.channels);
  const auto& p = image.pixels;
  return {{p.begin(), p.begin() + static_cast<std::ptrdiff_t>(channels)},
          {p.end() - static_cast<std::ptrdiff_t>(channels), p.end()}};
}

bool is_near(const Values& a, const Values& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](int x, int y) { return std::abs(x - y) <= 2; });
}

}  // namespace

TEST_CASE("PNG: grey of 1, 2, 4, 8 and 16 bits fills 0 .. 255") {
  CHECK(pixels({.width = 3, .depth = 1, .raw = of("\000\xA0")}, {1, 3, 1}) == Values{255, 0, 255});
  CHECK(pixels({.width = 4, .depth = 2, .raw = of("\000\x1B")}, {1, 4, 1}) == Values{0, 85, 170, 255});
  CHECK(pixels({.width = 2, .depth = 4, .raw = of("\000\x0F")}, {1, 2, 1}) == Values{0, 255});
  CHECK(pixels({.width = 1, .height = 2, .raw = of("\000a\000b")}, {2, 1, 1}) == Values{'a', 'b'});
  // 0x80FF is 128.996 of 255, and 0x0001 nothing.
  CHECK(pixels({.width = 2, .depth = 16, .raw = of("\000\x80\xFF\000\x01")}, {1, 2, 1}) == Values{128, 0});
}

TEST_CASE("PNG: colours and palettes are red, green, blue; transparency is dropped") {
  CHECK(pixels({.width = 2, .colour = rgb, .raw = of("\000abcdef")}, {1, 2, 3}) ==
        Values{'a', 'b', 'c', 'd', 'e', 'f'});
  CHECK(pixels({.width = 1, .colour = rgba, .raw = of("\000abc\000")}, {1, 1, 3}) == Values{'a', 'b', 'c'});
  CHECK(pixels({.width = 2, .colour = grey_alpha, .raw = of("\000axb\000")}, {1, 2, 1}) == Values{'a', 'b'});
  const std::string table = chunk("PLTE", "abcdefghi");
  CHECK(pixels({.width = 2, .depth = 4, .colour = palette, .raw = of("\000\x20"), .before = table},
               {1, 2, 3}) == Values{'g', 'h', 'i', 'a', 'b', 'c'});
  CHECK(pixels({.width = 2,
                .depth = 4,
                .colour = palette,
                .raw = of("\000\x20"),
                .before = table + chunk("tRNS", of("\000\x80"))},
               {1, 2, 3}) == Values{'g', 'h', 'i', 'a', 'b', 'c'});
  CHECK(pixels({.width = 2, .raw = of("\000ab"), .before = chunk("tRNS", of("\000a"))}, {1, 2, 1}) ==
        Values{'a', 'b'});
}

TEST_CASE("PNG: interlaced rows come into their places") {
  // 2x2 pixels have passes 1 (top left), 6 (top right) and 7 (the second row).
  CHECK(pixels({.width = 2, .height = 2, .raw = of("\000a\000b\000cd"), .interlace = 1}, {2, 2, 1}) ==
        Values{'a', 'b', 'c', 'd'});
}

TEST_CASE("PNG: gamma and other notes change no pixel") {
  CHECK(pixels({.raw = of("\000a"), .before = chunk("gAMA", big_endian(100000))}, {1, 1, 1}) == Values{'a'});
  CHECK(pixels({.raw = of("\000a"), .before = chunk("acTL", big_endian(2) + big_endian(0))}, {1, 1, 1}) ==
        Values{'a'});
}

TEST_CASE("PNG: damaged files are refused, wherever they end") {
  const std::string good = Png{.width = 2, .height = 2, .raw = of("\000ab\000cd")}.bytes();
  REQUIRE(fault(good) == "(no error)");
  for (std::size_t size = 8; size < good.size(); ++size) {
    INFO(size);
    CHECK(fault(good.substr(0, size)).starts_with("f: damaged PNG image: "));
  }
  std::string damaged = good;
  damaged[good.size() - 13] ^= 1;  // of the checksum of the pixels
  CHECK(fault(damaged) == "f: damaged PNG image: IDAT: CRC error (copy it again)");
  CHECK(fault(Png{.width = 2, .height = 2, .raw = of("\000ab")}.bytes()) ==
        "f: damaged PNG image: Not enough image data (copy it again)");
  CHECK(fault(Png{.colour = palette, .raw = of("\000\000")}.bytes()).starts_with("f: damaged PNG image: "));
}

TEST_CASE("PNG: sizes are compared before memory is taken") {
  CHECK(fault(Png{.width = 100000, .height = 100000}.bytes()) ==
        "f: an image of 100000x100000 pixels, height and width are 1 .. 8192 (make it smaller)");
  CHECK(fault(Png{.width = 0xFFFFFFFF}.bytes()).starts_with("f: an image of 1x4294967295 pixels"));
  CHECK(fault(Png{.width = 0}.bytes()).starts_with("f: an image of 1x0 pixels"));
  CHECK(fault(Png{.width = 8192, .height = 8192, .colour = rgb}.bytes()) ==
        "f: an image of 8192x8192 pixels in 68 bytes, which cannot hold so many (copy it again)");
}

TEST_CASE("JPEG: grey, colour, subsampled, progressive, with restarts, CMYK") {
  const Values left{200, 40, 90}, right{10, 120, 250};
  for (const char* name :
       {"good_rgb", "good_rgb_subsampled", "good_progressive", "good_restart", "good_tail"}) {
    INFO(name);
    CHECK(is_near(halves(name).left, left));
    CHECK(is_near(halves(name).right, right));
  }
  CHECK(is_near(halves("good_grey").left, {30}));
  CHECK(is_near(halves("good_grey").right, {220}));
  // Full cyan; and half of black. Stored inverted, as usual.
  CHECK(is_near(halves("good_cmyk").left, {0, 255, 255}));
  CHECK(is_near(halves("good_cmyk").right, {127, 127, 127}));
}

TEST_CASE("JPEG: the orientation in EXIF is not applied") {
  const std::string bytes = read_file(corpus("jpeg") / "good_orientation");
  CHECK(read_image_shape(bytes, "f") == ImageShape{8, 16, 3});
  CHECK(is_near(halves("good_orientation").left, {200, 40, 90}));
}

TEST_CASE("JPEG: damaged files are refused, wherever they end") {
  const std::string good = read_file(corpus("jpeg") / "good_rgb");
  for (std::size_t size = 3; size < good.size(); ++size) {
    INFO(size);
    CHECK(fault(good.substr(0, size)).starts_with("f: damaged JPEG image: "));
  }
  CHECK(fault(read_file(corpus("jpeg") / "bad_scans")) ==
        "f: damaged JPEG image: more than 100 scans (copy it again)");
  CHECK(fault(read_file(corpus("jpeg") / "bad_huge")) ==
        "f: an image of 65500x65500 pixels, height and width are 1 .. 8192 (make it smaller)");
  CHECK(fault(read_file(corpus("jpeg") / "bad_bomb")) ==
        "f: an image of 8192x8192 pixels in 638 bytes, which cannot hold so many (copy it again)");
}

TEST_CASE("our own files: those called good are images, the others are refused") {
  for (const char* format : {"png", "jpeg"}) {
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(corpus(format))) {
      INFO(entry.path());
      const bool is_good = entry.path().filename().string().starts_with("good");
      CHECK((fault(read_file(entry.path())) == "(no error)") == is_good);
      ++files;
    }
    CHECK(files > 10);
  }
}

TEST_CASE("other formats are named") {
  CHECK(fault("") == "f: the file is empty, not a PNG or JPEG image (copy it again)");
  CHECK(fault("GIF89a") == "f: is a GIF image, only PNG and JPEG images are read (convert it)");
  CHECK(fault("hello\nworld") == "f: is no PNG or JPEG image, it begins with \"hello\\x0awo\"");
}
