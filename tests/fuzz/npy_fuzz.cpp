// Any bytes as an npy file: refused in one line, or an array whose numbers are exactly the end of the bytes.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "checkpoint/npy.hpp"
#include "support/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headwater;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const NpyArray array = read_npy(bytes, "f");
    std::uint64_t numbers = 1;
    for (const std::int64_t length : array.shape) {
      if (length < 0) std::abort();
      numbers *= static_cast<std::uint64_t>(length);
    }
    if (numbers * sizeof(float) != array.values.size()) std::abort();
    if (array.values.data() + array.values.size() != bytes.data() + bytes.size()) std::abort();
  } catch (const Error& error) {
    const std::string_view what = error.what();
    if (!what.starts_with("f: ")) std::abort();
    for (const char c : what) {
      if (static_cast<unsigned char>(c) < 0x20) std::abort();
    }
  }
  return 0;
}
