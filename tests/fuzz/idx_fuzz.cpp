// Any bytes as an IDX file: refused in one line, or images or labels that are exactly the end of the bytes.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "data/image_records.hpp"
#include "support/error.hpp"

namespace {

using namespace headwater;

template <class Read>
void check(const Read& read) {
  try {
    read();
  } catch (const Error& error) {
    const std::string_view what = error.what();
    if (!what.starts_with("f: ") || what.size() > 200) std::abort();
    for (const char c : what) {
      if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7E) std::abort();
    }
  }
}

void check_end(std::span<const std::uint8_t> values, std::string_view bytes) {
  const auto* const end = reinterpret_cast<const std::uint8_t*>(bytes.data()) + bytes.size();
  if (values.empty() || values.size() >= bytes.size() || values.data() + values.size() != end) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check([&] {
    const IdxImages images = read_idx_images(bytes, "f");
    check_end(images.pixels, bytes);
    if (images.count * images.shape.bytes() != static_cast<std::int64_t>(images.pixels.size())) std::abort();
  });
  check([&] { check_end(read_idx_labels(bytes, "f"), bytes); });
  return 0;
}
