// Any bytes as a file of CIFAR records: refused in one line, or images whose labels are within the classes.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "data/image_records.hpp"
#include "support/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headwater;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const CifarImages images = read_cifar_images(bytes, "f");
    if (images.count < 1 || (images.classes != 10 && images.classes != 100)) std::abort();
    std::array<std::uint8_t, 32 * 32 * 3> pixels{};
    for (std::int64_t i = 0; i < images.count; ++i) {
      if (images.label(i) < 0 || images.label(i) >= images.classes) std::abort();
      images.read_pixels(i, pixels);
    }
  } catch (const Error& error) {
    const std::string_view what = error.what();
    if (!what.starts_with("f: ") || what.size() > 200) std::abort();
  }
  return 0;
}
