// JPEG by libjpeg. Its errors come back by longjmp, as those of png.cpp; it never prints or exits.
#include <csetjmp>
#include <cstdio>  // jpeglib.h needs it before itself
#include <cstring>

#include <jpeglib.h>

#include <jerror.h>

#include "data/image_decoder.hpp"
#include "support/error.hpp"

namespace headwater {
namespace {

// A block of 64 pixels takes at least a bit or two of a scan, and arithmetic coding less where all is even.
constexpr std::int64_t kMaxJpegRatio = 4096;
// Of a progressive image: ten are usual, and each costs a pass over all blocks.
constexpr int kMaxJpegScans = 100;
// The coefficients of the largest progressive image, and some.
constexpr long kMaxJpegBytes = 640L << 20;

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

bool read_jpeg_header(JpegReader& reader, const unsigned char* bytes, unsigned long count) {
  if (setjmp(reader.jump) != 0) return false;
  jpeg_decompress_struct& jpeg = reader.jpeg;
  jpeg.client_data = &reader;  // errors of the next line need it, and it keeps it
  jpeg_create_decompress(&jpeg);
  jpeg.mem->max_memory_to_use = kMaxJpegBytes;
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

ImageShape read_shape(JpegReader& reader, std::string_view bytes, std::string_view where) {
  const auto* const begin = reinterpret_cast<const unsigned char*>(bytes.data());
  if (!read_jpeg_header(reader, begin, bytes.size())) fail_damaged(where, "JPEG", reader.message);
  jpeg_decompress_struct& jpeg = reader.jpeg;
  check_image_size(where, bytes, jpeg.image_height, jpeg.image_width, kMaxJpegRatio);
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
  return {.height = jpeg.image_height,
          .width = jpeg.image_width,
          .channels = jpeg.out_color_space == JCS_GRAYSCALE ? 1 : 3};
}

// Programs that write CMYK into JPEG files invert it, as Adobe's do: 255 is no ink.
std::vector<std::uint8_t> rgb_of_inverted_cmyk(const std::vector<std::uint8_t>& cmyk) {
  std::vector<std::uint8_t> rgb;
  rgb.reserve(cmyk.size() / 4 * 3);
  for (std::size_t i = 0; i < cmyk.size(); i += 4) {
    for (std::size_t c = 0; c < 3; ++c) {
      rgb.push_back(static_cast<std::uint8_t>((cmyk[i + c] * cmyk[i + 3] + 127) / 255));
    }
  }
  return rgb;
}

}  // namespace

ImageShape read_jpeg_shape(std::string_view bytes, std::string_view where) {
  JpegReader reader;
  return read_shape(reader, bytes, where);
}

DecodedImage decode_jpeg(std::string_view bytes, std::string_view where) {
  JpegReader reader;
  DecodedImage out{.shape = read_shape(reader, bytes, where), .pixels = {}};
  const bool is_cmyk = reader.jpeg.out_color_space == JCS_CMYK;
  const std::int64_t values = is_cmyk ? 4 : out.shape.channels;
  out.pixels.resize(static_cast<std::size_t>(out.shape.height * out.shape.width * values));
  if (!read_jpeg_rows(reader, out.pixels.data())) fail_damaged(where, "JPEG", reader.message);
  if (is_cmyk) out.pixels = rgb_of_inverted_cmyk(out.pixels);
  return out;
}

}  // namespace headwater
