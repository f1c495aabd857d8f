// JPEG by libjpeg. Its errors come back by longjmp, as those of png.cpp; it never prints or exits.
#include <csetjmp>
#include <cstdio>  // jpeglib.h needs it before itself
#include <cstring>

#include <jpeglib.h>

#include <jerror.h>

#include "data/image_file.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"

namespace headwater {
namespace {

// A block of 64 pixels takes at least a bit or two of a scan, and arithmetic coding less where all is even.
constexpr std::int64_t kMaxJpegRatio = 4096;
// The most scans of a progressive image: ten are usual, and each costs a pass over all blocks.
constexpr int kMaxJpegScans = 100;
// An image in several scans is kept as coefficients until its last one: at most so many bytes of them, and
// more where the file is larger.
constexpr std::int64_t kMaxCoefficientBytes = std::int64_t{64} << 20;
constexpr std::int64_t kMaxCoefficientRatio = 16;

struct JpegReader {
  jpeg_decompress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg_progress_mgr progress{};
  std::jmp_buf jump{};
  char message[JMSG_LENGTH_MAX] = "";

  JpegReader();
  ~JpegReader() { jpeg_destroy_decompress(&jpeg); }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;
};

JpegReader& reader_of(j_common_ptr jpeg) { return *static_cast<JpegReader*>(jpeg->client_data); }

[[noreturn]] void keep_jpeg_error(j_common_ptr jpeg) {
  JpegReader& reader = reader_of(jpeg);
  jpeg->err->format_message(jpeg, reader.message);
  std::longjmp(reader.jump, 1);
}

// A warning that pixels are lost is an error; superfluous bytes and odd markers are none.
void take_jpeg_message(j_common_ptr jpeg, int level) {
  if (level >= 0) return;
  switch (jpeg->err->msg_code) {
    case JWRN_JPEG_EOF:
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_MUST_RESYNC:
    case JWRN_ARITH_BAD_CODE:
    case JWRN_BOGUS_PROGRESSION:
    case JWRN_NOT_SEQUENTIAL:
      keep_jpeg_error(jpeg);
    default:
      break;
  }
}

void show_no_jpeg_message(j_common_ptr) {}

void count_jpeg_scans(j_common_ptr jpeg) {
  JpegReader& reader = reader_of(jpeg);
  if (reader.jpeg.input_scan_number <= kMaxJpegScans) return;
  std::snprintf(reader.message, sizeof(reader.message), "more than %d scans", kMaxJpegScans);
  std::longjmp(reader.jump, 1);
}

JpegReader::JpegReader() {
  jpeg.err = jpeg_std_error(&errors);
  errors.error_exit = keep_jpeg_error;
  errors.emit_message = take_jpeg_message;
  errors.output_message = show_no_jpeg_message;
  progress.progress_monitor = count_jpeg_scans;
}

bool read_jpeg_start(JpegReader& reader, const unsigned char* bytes, unsigned long count) {
  if (setjmp(reader.jump) != 0) return false;
  jpeg_decompress_struct& jpeg = reader.jpeg;
  jpeg.client_data = &reader;  // errors of the next line need it, and it keeps it
  jpeg_create_decompress(&jpeg);
  jpeg_mem_src(&jpeg, bytes, count);
  jpeg_read_header(&jpeg, TRUE);
  return true;
}

bool read_jpeg_rows(JpegReader& reader, unsigned char* out) {
  if (setjmp(reader.jump) != 0) return false;
  jpeg_decompress_struct& jpeg = reader.jpeg;
  jpeg.progress = &reader.progress;
  jpeg_start_decompress(&jpeg);
  const std::size_t row = std::size_t{jpeg.output_width} * static_cast<std::size_t>(jpeg.output_components);
  while (jpeg.output_scanline < jpeg.output_height) {
    unsigned char* line = out + row * jpeg.output_scanline;
    jpeg_read_scanlines(&jpeg, &line, 1);
  }
  jpeg_finish_decompress(&jpeg);
  return true;
}

// What is known before libjpeg reads the file: where the image ends, and what its tag of orientation says.
struct JpegParts {
  std::string_view bytes;  // to the end of the image; of a file that ends early all
  std::string_view exif;
};

// Where the bytes after `at` hold the next marker that ends a scan: FF and neither 00, which stands for FF
// itself, nor a restart, nor FF, which may fill.
std::size_t end_of_scan(std::string_view bytes, std::size_t at) {
  for (; (at = bytes.find('\xFF', at)) < bytes.size(); ++at) {
    const unsigned next = at + 1 < bytes.size() ? static_cast<unsigned char>(bytes[at + 1]) : 0;
    if (next != 0 && next != 0xFF && !(next >= JPEG_RST0 && next < JPEG_RST0 + 8)) return at;
  }
  return bytes.size();
}

JpegParts parts_of_jpeg(std::string_view bytes) {
  constexpr unsigned kExif = JPEG_APP0 + 1, kScan = 0xDA;
  constexpr std::string_view kExifName("Exif\0\0", 6);
  JpegParts parts{bytes, {}};
  for (std::size_t at = 2; at + 4 <= bytes.size() && bytes[at] == '\xFF';) {
    const unsigned marker = static_cast<unsigned char>(bytes[at + 1]);
    if (marker == 0xFF) {
      ++at;
      continue;
    }
    const std::size_t length = static_cast<std::size_t>(static_cast<unsigned char>(bytes[at + 2])) << 8 |
                               static_cast<unsigned char>(bytes[at + 3]);
    const std::string_view segment = bytes.substr(at + 4, length < 2 ? 0 : length - 2);
    if (marker == kExif && parts.exif.empty() && segment.starts_with(kExifName))
      parts.exif = segment.substr(kExifName.size());
    at += 2 + length;
    if (marker == kScan) at = end_of_scan(bytes, at);
    if (at + 2 <= bytes.size() && bytes.substr(at, 2) == "\xFF\xD9") {
      parts.bytes = bytes.substr(0, at + 2);
      break;
    }
  }
  return parts;
}

// What decoding keeps for an image whose header was read.
std::int64_t coefficient_bytes(jpeg_decompress_struct& jpeg) {
  if (jpeg_has_multiple_scans(&jpeg) == FALSE) return 0;
  std::int64_t blocks = 0;
  for (int c = 0; c < jpeg.num_components; ++c)
    blocks += std::int64_t{jpeg.comp_info[c].width_in_blocks} * jpeg.comp_info[c].height_in_blocks;
  return blocks * DCTSIZE2 * static_cast<std::int64_t>(sizeof(JCOEF));
}

void check_coefficients(jpeg_decompress_struct& jpeg, std::string_view bytes, std::string_view where) {
  const std::int64_t coefficients = coefficient_bytes(jpeg), size = static_cast<std::int64_t>(bytes.size());
  if (coefficients <= kMaxCoefficientBytes + kMaxCoefficientRatio * size) return;
  throw Error(std::string(where) + ": a JPEG image of " + std::to_string(jpeg.image_height) + "x" +
              std::to_string(jpeg.image_width) + " pixels in several scans of " + format_count(size) +
              " bytes: its coefficients take " + format_count(coefficients) +
              " bytes, more than 16 times the file and 64 MiB (save it as a baseline JPEG, not progressive)");
}

ImageHeader read_header(JpegReader& reader, std::string_view bytes, std::string_view where) {
  const JpegParts parts = parts_of_jpeg(bytes);
  const auto* const begin = reinterpret_cast<const unsigned char*>(bytes.data());
  if (!read_jpeg_start(reader, begin, bytes.size())) fail_damaged(where, "JPEG", reader.message);
  jpeg_decompress_struct& jpeg = reader.jpeg;
  check_image_size(where, parts.bytes, jpeg.image_height, jpeg.image_width, kMaxJpegRatio);
  check_coefficients(jpeg, parts.bytes, where);
  switch (jpeg.jpeg_color_space) {
    case JCS_GRAYSCALE:
      jpeg.out_color_space = JCS_GRAYSCALE;
      break;
    case JCS_RGB:
    case JCS_YCbCr:
      jpeg.out_color_space = JCS_RGB;
      break;
    case JCS_CMYK:
    case JCS_YCCK:
      jpeg.out_color_space = JCS_CMYK;
      break;
    default:
      throw Error(std::string(where) + ": a JPEG image of " + std::to_string(jpeg.num_components) +
                  " components, 1, 3 or 4 are read (convert it)");
  }
  return {.shape = {.height = jpeg.image_height,
                    .width = jpeg.image_width,
                    .channels = jpeg.out_color_space == JCS_GRAYSCALE ? 1 : 3},
          .orientation = orientation_of_exif(parts.exif)};
}

// Programs that write CMYK into JPEG files invert it, as Adobe's do: 255 is no ink.
void become_rgb(std::vector<std::uint8_t>& inverted_cmyk) {
  std::size_t out = 0;
  for (std::size_t i = 0; i < inverted_cmyk.size(); i += 4) {
    const int black = inverted_cmyk[i + 3];
    for (std::size_t c = 0; c < 3; ++c)
      inverted_cmyk[out++] = static_cast<std::uint8_t>((inverted_cmyk[i + c] * black + 127) / 255);
  }
  inverted_cmyk.resize(out);
}

}  // namespace

ImageHeader read_jpeg_header(std::string_view bytes, std::string_view where) {
  JpegReader reader;
  return read_header(reader, bytes, where);
}

DecodedImage decode_jpeg(std::string_view bytes, std::string_view where) {
  JpegReader reader;
  const ImageHeader header = read_header(reader, bytes, where);
  const bool is_cmyk = reader.jpeg.out_color_space == JCS_CMYK;
  const std::int64_t values = is_cmyk ? 4 : header.shape.channels;
  DecodedImage out{.shape = header.shape,
                   .pixels = std::vector<std::uint8_t>(
                       static_cast<std::size_t>(header.shape.height * header.shape.width * values)),
                   .orientation = header.orientation};
  if (!read_jpeg_rows(reader, out.pixels.data())) fail_damaged(where, "JPEG", reader.message);
  if (is_cmyk) become_rgb(out.pixels);
  return out;
}

}  // namespace headwater
