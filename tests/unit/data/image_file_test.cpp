#include "data/image_file.hpp"
#include "error_text.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "naive_crc.hpp"
#include "support/files.hpp"

using namespace headwater;

namespace {

std::string big_endian(std::uint32_t value) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 255);
  return out;
}

std::string chunk(const std::string& type, const std::string& data) {
  const std::string body = type + data;
  return big_endian(static_cast<std::uint32_t>(data.size())) + body + big_endian(naive_crc(body));
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

Values pixels(const std::string& bytes, const ImageShape& shape, const ImageReading& reading = {}) {
  CHECK(read_image_header(bytes, "f", reading).shape == shape);
  const DecodedImage image = decode_image(bytes, "f", reading);
  CHECK(image.shape == shape);
  return {image.pixels.begin(), image.pixels.end()};
}

Values pixels(const Png& png, const ImageShape& shape) { return pixels(png.bytes(), shape); }

Values on(const char* background, const Png& png, const ImageShape& shape) {
  return pixels(png.bytes(), shape, {.background = background_of(background)});
}

bool is_transparent(const Png& png) {
  const bool is = decode_image(png.bytes(), "f").is_transparent;
  CHECK(decode_image(png.bytes(), "f", {.background = background_of("white")}).is_transparent == is);
  if (is) CHECK(read_image_header(png.bytes(), "f").may_be_transparent);
  return is;
}

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
  const std::size_t channels = image.shape.channels;
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

TEST_CASE("PNG: transparent pixels are laid on a background") {
  // 100 at alphas 0, 51 (a fifth) and 255.
  const Png colors{.width = 3,
                   .colour = rgba,
                   .raw = of("\000ddd\000ddd\x33"
                             "ddd\xFF")};
  CHECK(on("white", colors, {1, 3, 3}) == Values{255, 255, 255, 224, 224, 224, 100, 100, 100});
  CHECK(on("black", colors, {1, 3, 3}) == Values{0, 0, 0, 20, 20, 20, 100, 100, 100});
  CHECK(on("#ff8000", colors, {1, 3, 3}) == Values{255, 128, 0, 224, 122, 20, 100, 100, 100});
  const Png greys{.width = 2, .colour = grey_alpha, .raw = of("\000d\000d\x33")};
  CHECK(on("white", greys, {1, 2, 1}) == Values{255, 224});
  CHECK(on("#808080", greys, {1, 2, 1}) == Values{128, 122});
  CHECK(on("#ff8000", greys, {1, 2, 3}) == Values{255, 128, 0, 224, 122, 20});
  const Png deep{.width = 1, .depth = 16, .colour = grey_alpha, .raw = of("\000d\000\x33\000")};
  CHECK(on("white", deep, {1, 1, 1}) == Values{224});
  const Png numbers{.width = 3,
                    .depth = 8,
                    .colour = palette,
                    .raw = of("\000\000\001\002"),
                    .before = chunk("PLTE", "dddddddef") + chunk("tRNS", of("\000\x33"))};
  CHECK(on("white", numbers, {1, 3, 3}) == Values{255, 255, 255, 224, 224, 224, 100, 101, 102});
  const Png key{.width = 2, .raw = of("\000ab"), .before = chunk("tRNS", of("\000a"))};
  CHECK(on("white", key, {1, 2, 1}) == Values{255, 'b'});
  const Png colour_key{
      .width = 2, .colour = rgb, .raw = of("\000abcdef"), .before = chunk("tRNS", of("\000a\000b\000c"))};
  CHECK(on("white", colour_key, {1, 2, 3}) == Values{255, 255, 255, 'd', 'e', 'f'});
  const Png one_bit{.width = 2, .depth = 1, .raw = of("\000\x40"), .before = chunk("tRNS", of("\000\000"))};
  CHECK(on("#010203", one_bit, {1, 2, 3}) == Values{1, 2, 3, 255, 255, 255});
  for (const Png& png : {colors, greys, deep, numbers, key, colour_key, one_bit}) CHECK(is_transparent(png));
}

TEST_CASE("PNG: an image with alpha is transparent only where a pixel is") {
  const Png opaque{.width = 2,
                   .colour = rgba,
                   .raw = of("\000abc\xFF"
                             "def\xFF")};
  CHECK_FALSE(is_transparent(opaque));
  CHECK(on("#ff8000", opaque, {1, 2, 3}) == Values{'a', 'b', 'c', 'd', 'e', 'f'});
  CHECK_FALSE(is_transparent({.width = 1,
                              .colour = palette,
                              .raw = of("\000\001"),
                              .before = chunk("PLTE", "abcdef") + chunk("tRNS", of("\000"))}));
  const Png plain{.width = 1, .colour = rgb, .raw = of("\000abc")};
  CHECK_FALSE(is_transparent(plain));
  CHECK_FALSE(read_image_header(plain.bytes(), "f").may_be_transparent);
}

TEST_CASE("the tag of orientation turns an image, of PNG as of JPEG") {
  // A row of a, b over one of c, d over one of e, f.
  const auto turned = [](int tag, const ImageShape& shape) {
    std::string exif = of("MM\000*\000\000\000\010\000\001\001\022\000\003\000\000\000\001\000\000\000\000");
    exif[19] = static_cast<char>(tag);
    const Png png{.width = 2, .height = 3, .raw = of("\000ab\000cd\000ef"), .before = chunk("eXIf", exif)};
    CHECK(pixels(png, {3, 2, 1}) == Values{'a', 'b', 'c', 'd', 'e', 'f'});
    CHECK(read_image_header(png.bytes(), "f").orientation == tag);
    const Values all = pixels(png.bytes(), shape, {.applies_orientation = true});
    return std::string(all.begin(), all.end());
  };
  const ImageShape upright{3, 2, 1}, on_side{2, 3, 1};
  CHECK(turned(1, upright) == "abcdef");
  CHECK(turned(2, upright) == "badcfe");
  CHECK(turned(3, upright) == "fedcba");
  CHECK(turned(4, upright) == "efcdab");
  CHECK(turned(5, on_side) == "acebdf");
  CHECK(turned(6, on_side) == "ecafdb");
  CHECK(turned(7, on_side) == "fdbeca");
  CHECK(turned(8, on_side) == "bdface");
  const std::string photo = read_file(corpus("jpeg") / "good_orientation");
  const Values all = pixels(photo, {16, 8, 3}, {.applies_orientation = true});
  CHECK(is_near({all.begin(), all.begin() + 3}, {200, 40, 90}));
  CHECK(is_near({all.end() - 3, all.end()}, {10, 120, 250}));
}

TEST_CASE("the tag of orientation: of either order of bytes, and 1 where the data are damaged") {
  const std::string big =
      of("MM\000*\000\000\000\010\000\001\001\022\000\003\000\000\000\001\000\006\000\000");
  const std::string little =
      of("II*\000\010\000\000\000\001\000\022\001\003\000\001\000\000\000\010\000\000\000");
  CHECK(orientation_of_exif(big) == 6);
  CHECK(orientation_of_exif(little) == 8);
  for (std::size_t size = 0; size < big.size(); ++size) CHECK(orientation_of_exif(big.substr(0, size)) == 1);
  std::string beyond = big;
  beyond[19] = 9;
  CHECK(orientation_of_exif(beyond) == 1);
  beyond = big;
  beyond[13] = 4;  // no short number
  CHECK(orientation_of_exif(beyond) == 1);
  beyond = big;
  beyond[4] = '\xFF';  // the directory lies beyond the end
  CHECK(orientation_of_exif(beyond) == 1);
}

TEST_CASE("backgrounds have names") {
  for (const char* word : {"white", "black", "drop", "#ff8000", "#0a0b0c"})
    CHECK(background_of(word).name() == word);
  CHECK(background_of("#FFFFFF").name() == "white");
  CHECK(background_of("#000000").name() == "black");
  for (const char* word : {"", "blue", "#fff", "#ff80", "#ff80zz", "#-1-1-1", "#ff8000 ", "White"}) {
    CHECK(error_text([&] { background_of(word); }) ==
          "\"" + std::string(word) + "\" is no background (white, black, drop, or a colour as #ff8000)");
  }
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
  CHECK(read_image_header(bytes, "f").shape == ImageShape{8, 16, 3});
  CHECK(read_image_header(bytes, "f").orientation == 6);
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

TEST_CASE("JPEG: bytes that are no part of the image do not make it larger") {
  std::string bomb = read_file(corpus("jpeg") / "bad_bomb");
  bomb += std::string(60000, '\0');
  CHECK(fault(bomb) ==
        "f: an image of 8192x8192 pixels in 638 bytes, which cannot hold so many (copy it again)");
}

TEST_CASE("JPEG: the coefficients of several scans are bounded by the file's bytes") {
  // The sides of an image of 16x8 pixels in its frame header become 8192x8192, and a comment makes the file
  // large.
  std::string bomb = read_file(corpus("jpeg") / "good_progressive");
  const std::size_t frame = bomb.find("\xFF\xC2");
  REQUIRE(frame != bomb.npos);
  bomb.replace(frame + 5, 4, of("\x20\x00\x20\x00"));
  const std::string comment = of("\xFF\xFE\xFF\xFF") + std::string(65533, 'x');
  bomb.insert(2, comment);
  const std::string said = fault(bomb);
  CHECK(said.starts_with("f: a JPEG image of 8192x8192 pixels in several scans of "));
  CHECK(said.ends_with(
      "bytes, more than 16 times the file and 64 MiB (save it as a baseline JPEG, not progressive)"));
}

TEST_CASE(
    "PNG: a size that the bytes cannot hold is seen by the bits of its pixels, and by its chunks alone") {
  const auto said = [](std::uint32_t side, Colour colour, char depth, std::size_t bytes) {
    const Png png{
        .width = side, .height = side, .depth = depth, .colour = colour, .raw = std::string(bytes, '\0')};
    return fault(png.bytes() + std::string(100000, 'x'));
  };
  CHECK(said(2048, rgba, 16, 32000).ends_with("which cannot hold so many (copy it again)"));
  CHECK(said(2048, rgba, 16, 33000) == "f: damaged PNG image: Not enough image data (copy it again)");
  CHECK(said(2048, grey, 8, 3900).ends_with("which cannot hold so many (copy it again)"));
  CHECK(said(2048, grey, 8, 4100) == "f: damaged PNG image: Not enough image data (copy it again)");
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
