// PNG by libpng. Its errors come back by longjmp to functions without objects of their own, which say whether
// they came to their end; whoever called them throws.
#include <png.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstring>
#include <new>
#include <utility>

#include "data/image_file.hpp"
#include "support/error.hpp"

namespace headwater {

namespace {

constexpr std::int64_t kMaxZlibRatio = 1032;  // zlib packs at most so many bytes in one
constexpr png_uint_32 kMaxPngChunks = 1000;   // that are kept
constexpr png_alloc_size_t kMaxPngChunkBytes = png_alloc_size_t{1} << 23;

struct PngReader {
  std::string_view bytes;
  std::size_t at = 0;
  png_structp png = nullptr;
  png_infop info = nullptr;
  char message[160] = "";

  explicit PngReader(std::string_view all);
  ~PngReader() { png_destroy_read_struct(&png, &info, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;
};

[[noreturn]] void keep_png_error(png_structp png, png_const_charp what) {
  auto* const reader = static_cast<PngReader*>(png_get_error_ptr(png));
  std::strncpy(reader->message, what, sizeof(reader->message) - 1);
  png_longjmp(png, 1);
}

void ignore_png_warning(png_structp, png_const_charp) {}

void take_png_bytes(png_structp png, png_bytep out, std::size_t count) {
  auto* const reader = static_cast<PngReader*>(png_get_io_ptr(png));
  if (count > reader->bytes.size() - reader->at) png_error(png, "the file ends early");
  std::memcpy(out, reader->bytes.data() + reader->at, count);
  reader->at += count;
}

PngReader::PngReader(std::string_view all) : bytes(all) {
  png = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, keep_png_error, ignore_png_warning);
  if (png != nullptr) info = png_create_info_struct(png);
  if (info != nullptr) return;
  png_destroy_read_struct(&png, nullptr, nullptr);
  throw std::bad_alloc();
}

bool read_png_info(PngReader& reader) {
  if (setjmp(png_jmpbuf(reader.png)) != 0) return false;
  png_set_user_limits(reader.png, kMaxImageSide, kMaxImageSide);
  // Texts, profiles and what else no pixel depends on are passed over, not unpacked.
  png_set_keep_unknown_chunks(reader.png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
  png_set_chunk_cache_max(reader.png, kMaxPngChunks);
  png_set_chunk_malloc_max(reader.png, kMaxPngChunkBytes);
  png_set_read_fn(reader.png, &reader, take_png_bytes);
  png_read_info(reader.png, reader.info);
  return true;
}

bool is_palette(const PngReader& reader) {
  return png_get_color_type(reader.png, reader.info) == PNG_COLOR_TYPE_PALETTE;
}

// Has an alpha channel, or names transparent colours.
bool has_alpha(const PngReader& reader) {
  return (png_get_color_type(reader.png, reader.info) & PNG_COLOR_MASK_ALPHA) != 0 ||
         png_get_valid(reader.png, reader.info, PNG_INFO_tRNS) != 0;
}

bool prepare_png(PngReader& reader) {
  if (setjmp(png_jmpbuf(reader.png)) != 0) return false;
  if (is_palette(reader)) {
    png_set_packing(reader.png);  // a byte each, which libpng would take for black where no colour has it
  } else {
    png_set_expand(reader.png);  // grey to 8 bits, transparent colours to alpha
  }
  png_set_scale_16(reader.png);
  png_set_interlace_handling(reader.png);
  png_read_update_info(reader.png, reader.info);
  return true;
}

bool read_png_rows(PngReader& reader, png_bytepp rows) {
  if (setjmp(png_jmpbuf(reader.png)) != 0) return false;
  png_read_image(reader.png, rows);
  png_read_end(reader.png, nullptr);
  return true;
}

std::uint8_t laid_on(std::uint8_t color, std::uint8_t alpha, std::uint8_t background) {
  return static_cast<std::uint8_t>((color * alpha + background * (255 - alpha) + 127) / 255);
}

// The numbers that end the pixels become the colours that they have in the palette.
void look_up_colors(const PngReader& reader, const Background& background, std::string_view where,
                    DecodedImage& image) {
  png_colorp palette = nullptr;
  png_bytep alphas = nullptr;
  int count = 0, alpha_count = 0;
  png_get_PLTE(reader.png, reader.info, &palette, &count);
  if (has_alpha(reader)) png_get_tRNS(reader.png, reader.info, &alphas, &alpha_count, nullptr);
  const std::size_t pixels = image.pixels.size() / 3;
  for (std::size_t i = 0; i < pixels; ++i) {  // never writes over a number that was not read
    const std::uint8_t number = image.pixels[2 * pixels + i];
    if (number >= count) fail_damaged(where, "PNG", "a pixel has a colour beyond the palette's end");
    const png_color& color = palette[number];
    std::array<std::uint8_t, 3> parts{color.red, color.green, color.blue};
    const std::uint8_t alpha = number < alpha_count ? alphas[number] : 255;
    image.is_transparent = image.is_transparent || alpha < 255;
    if (!background.drops_transparency) {
      for (std::size_t c = 0; c < 3; ++c) parts[c] = laid_on(parts[c], alpha, background.color[c]);
    }
    std::copy(parts.begin(), parts.end(), image.pixels.begin() + static_cast<std::ptrdiff_t>(3 * i));
  }
}

// Pixels of so many colours, each followed by its alpha, become those of the image's shape.
void take_alpha(std::size_t colors, const Background& background, DecodedImage& image) {
  const std::size_t channels = image.shape.channels;
  const std::size_t pixels = image.pixels.size() / (colors + 1);
  std::vector<std::uint8_t> wider(channels > colors ? pixels * channels : 0);
  std::vector<std::uint8_t>& out = channels > colors ? wider : image.pixels;
  for (std::size_t i = 0; i < pixels; ++i) {
    const std::size_t in = i * (colors + 1);
    const std::uint8_t alpha = image.pixels[in + colors];
    image.is_transparent = image.is_transparent || alpha < 255;
    for (std::size_t c = 0; c < channels; ++c) {
      const std::uint8_t color = image.pixels[in + std::min(c, colors - 1)];
      out[i * channels + c] =
          background.drops_transparency ? color : laid_on(color, alpha, background.color[c]);
    }
  }
  out.resize(pixels * channels);
  if (channels > colors) image.pixels = std::move(wider);
}

std::int64_t big_endian(std::string_view bytes, std::size_t at) {
  std::int64_t value = 0;
  for (std::size_t i = at; i < at + 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

// What is known before libpng reads the file: where it ends, and what its tag of orientation says.
struct PngParts {
  std::string_view bytes;  // to the end of the last chunk
  std::string_view exif;
};

PngParts parts_of_png(std::string_view bytes) {
  constexpr std::size_t kSignature = 8, kAround = 12;  // length, type and checksum of a chunk
  PngParts parts{bytes, {}};
  for (std::size_t at = kSignature; at + kAround <= bytes.size();) {
    const std::size_t length = big_endian(bytes, at);
    if (length > bytes.size() - at - kAround) break;
    const std::string_view type = bytes.substr(at + 4, 4);
    if (type == "eXIf") parts.exif = bytes.substr(at + 8, length);
    at += kAround + length;
    if (type == "IEND") parts.bytes = bytes.substr(0, at);
    if (type == "IEND") break;
  }
  return parts;
}

std::int64_t bits_of_pixel(std::string_view header) {
  const auto depth = std::clamp<std::int64_t>(static_cast<unsigned char>(header[8]), 1, 16);
  switch (header[9]) {
    case PNG_COLOR_TYPE_RGB:
      return 3 * depth;
    case PNG_COLOR_TYPE_GRAY_ALPHA:
      return 2 * depth;
    case PNG_COLOR_TYPE_RGB_ALPHA:
      return 4 * depth;
    default:
      return depth;
  }
}

// Before libpng takes memory for a row. `bytes`: to the end of the image.
void check_png_size(std::string_view bytes, std::string_view where) {
  constexpr std::size_t kHeader = 16;  // signature, length and type of the first chunk
  if (bytes.size() < kHeader + 10) fail_damaged(where, "PNG", "the file ends early");
  if (bytes.substr(12, 4) != "IHDR") fail_damaged(where, "PNG", "it does not begin with the chunk IHDR");
  check_image_size(where, bytes, big_endian(bytes, kHeader + 4), big_endian(bytes, kHeader),
                   kMaxZlibRatio * 8 / bits_of_pixel(bytes.substr(kHeader)));
}

ImageHeader read_header(PngReader& reader, std::string_view where, const Background& background) {
  const PngParts parts = parts_of_png(reader.bytes);
  check_png_size(parts.bytes, where);
  if (!read_png_info(reader)) fail_damaged(where, "PNG", reader.message);
  const int color = png_get_color_type(reader.png, reader.info);
  ImageHeader header{.shape = {.height = png_get_image_height(reader.png, reader.info),
                               .width = png_get_image_width(reader.png, reader.info),
                               .channels = (color & PNG_COLOR_MASK_COLOR) != 0 ? 3 : 1},
                     .may_be_transparent = has_alpha(reader),
                     .orientation = orientation_of_exif(parts.exif)};
  if (header.may_be_transparent && !background.drops_transparency && !background.is_grey())
    header.shape.channels = 3;
  return header;
}

}  // namespace

ImageHeader read_png_header(std::string_view bytes, std::string_view where, const Background& background) {
  PngReader reader(bytes);
  return read_header(reader, where, background);
}

DecodedImage decode_png(std::string_view bytes, std::string_view where, const Background& background) {
  PngReader reader(bytes);
  const ImageHeader header = read_header(reader, where, background);
  const bool has_palette = is_palette(reader), takes = header.may_be_transparent && !has_palette;
  const bool is_color = (png_get_color_type(reader.png, reader.info) & PNG_COLOR_MASK_COLOR) != 0;
  const std::size_t colors = is_color && !has_palette ? 3 : 1;  // numbers, of a palette
  const auto height = static_cast<std::size_t>(header.shape.height),
             width = static_cast<std::size_t>(header.shape.width);
  const std::size_t row = width * (colors + (takes ? 1 : 0));
  if (!prepare_png(reader)) fail_damaged(where, "PNG", reader.message);
  if (png_get_rowbytes(reader.png, reader.info) != row) {
    fail_damaged(where, "PNG", "its rows are not as long as its header says");
  }
  DecodedImage out{.shape = header.shape,
                   .pixels = std::vector<std::uint8_t>(height * (has_palette ? 3 * width : row)),
                   .orientation = header.orientation};
  std::vector<png_bytep> rows;
  for (std::size_t y = 0; y < height; ++y)
    rows.push_back(&out.pixels[out.pixels.size() - (height - y) * row]);
  if (!read_png_rows(reader, rows.data())) fail_damaged(where, "PNG", reader.message);
  if (has_palette) look_up_colors(reader, background, where, out);
  if (takes) take_alpha(colors, background, out);
  return out;
}

// PNG files by libpng's function for whole images, which answers errors instead of jumping.
std::string encode_png(const ImageShape& shape, std::span<const std::uint8_t> pixels) {
  const bool is_grey = shape.channels == 1;
  if ((!is_grey && shape.channels != 3) || shape.height < 1 || shape.width < 1 ||
      shape.height > kMaxPictureSide || shape.width > kMaxPictureSide ||
      static_cast<std::int64_t>(pixels.size()) != shape.bytes()) {
    throw Error("png: " + std::to_string(pixels.size()) + " bytes for an image of " + shape.text());
  }
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(shape.width);
  image.height = static_cast<png_uint_32>(shape.height);
  image.format = is_grey ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string file(size, '\0');
  if (png_image_write_to_memory(&image, file.data(), &size, 0, pixels.data(), 0, nullptr) == 0)
    throw Error("png: " + std::string(image.message));
  file.erase(size);
  return file;
}

}  // namespace headwater
