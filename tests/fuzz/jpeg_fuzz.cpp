// Any bytes as a JPEG image: refused in one line, or an image of the shape that its header promises.
#include "image_file_check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check_image_file(bytes);
  return 0;
}
