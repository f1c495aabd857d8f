// PNG by libpng. Its errors come back by longjmp to functions without objects of their own, which say whether
// they came to their end; whoever called them throws.
#include <png.h>

#include <csetjmp>
#include <cstring>
#include <new>

#include "data/image_decoder.hpp"

namespace headwater {
namespace {

// zlib packs at most 1,032 bytes in one, and a byte has at most 8 pixels.
constexpr std::int64_t kMaxPngRatio = 1032 * 8;
constexpr png_uint_32 kMaxPngChunks = 1000;  // that are kept
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

bool prepare_png(PngReader& reader) {
  if (setjmp(png_jmpbuf(reader.png)) != 0) return false;
  if (is_palette(reader)) {
    png_set_packing(reader.png);  // a byte each, which libpng would take for black where no colour has it
  } else {
    png_set_expand(reader.png);  // grey to 8 bits
  }
  png_set_scale_16(reader.png);
  png_set_strip_alpha(reader.png);
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

// The colours that these numbers have in the palette.
std::vector<std::uint8_t> colours_of(const PngReader& reader, const std::vector<std::uint8_t>& numbers,
                                     std::string_view where) {
  png_colorp palette = nullptr;
  int count = 0;
  png_get_PLTE(reader.png, reader.info, &palette, &count);
  std::vector<std::uint8_t> out;
  out.reserve(numbers.size() * 3);
  for (const std::uint8_t number : numbers) {
    if (number >= count) fail_damaged(where, "PNG", "a pixel has a colour beyond the palette's end");
    const png_color& colour = palette[number];
    out.insert(out.end(), {colour.red, colour.green, colour.blue});
  }
  return out;
}

std::int64_t big_endian(std::string_view bytes, std::size_t at) {
  std::int64_t value = 0;
  for (std::size_t i = at; i < at + 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

// Before libpng takes memory for a row.
void check_png_size(std::string_view bytes, std::string_view where) {
  constexpr std::size_t kHeader = 16;  // signature, length and type of the first chunk
  if (bytes.size() < kHeader + 8) fail_damaged(where, "PNG", "the file ends early");
  if (bytes.substr(12, 4) != "IHDR") fail_damaged(where, "PNG", "it does not begin with the chunk IHDR");
  check_image_size(where, bytes, big_endian(bytes, kHeader + 4), big_endian(bytes, kHeader), kMaxPngRatio);
}

ImageShape read_shape(PngReader& reader, std::string_view where) {
  check_png_size(reader.bytes, where);
  if (!read_png_info(reader)) fail_damaged(where, "PNG", reader.message);
  const int colour = png_get_color_type(reader.png, reader.info);
  return {.height = png_get_image_height(reader.png, reader.info),
          .width = png_get_image_width(reader.png, reader.info),
          .channels = (colour & PNG_COLOR_MASK_COLOR) != 0 ? 3 : 1};
}

}  // namespace

ImageShape read_png_shape(std::string_view bytes, std::string_view where) {
  PngReader reader(bytes);
  return read_shape(reader, where);
}

DecodedImage decode_png(std::string_view bytes, std::string_view where) {
  PngReader reader(bytes);
  DecodedImage out{.shape = read_shape(reader, where), .pixels = {}};
  const bool has_palette = is_palette(reader);
  const auto row = static_cast<std::size_t>(out.shape.width * (has_palette ? 1 : out.shape.channels));
  if (!prepare_png(reader)) fail_damaged(where, "PNG", reader.message);
  if (png_get_rowbytes(reader.png, reader.info) != row) {
    fail_damaged(where, "PNG", "its rows are not as long as its header says");
  }
  out.pixels.resize(row * static_cast<std::size_t>(out.shape.height));
  std::vector<png_bytep> rows;
  for (std::size_t begin = 0; begin < out.pixels.size(); begin += row) rows.push_back(&out.pixels[begin]);
  if (!read_png_rows(reader, rows.data())) fail_damaged(where, "PNG", reader.message);
  if (has_palette) out.pixels = colours_of(reader, out.pixels, where);
  return out;
}

}  // namespace headwater
