// Any bytes as a weight file of Marian: refused in one line, or tensors whose numbers can be read.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "checkpoint/marian_file.hpp"
#include "support/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headwater;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const MarianFile file(bytes, "f");
    for (const TensorView& tensor : file.tensors().tensors()) {
      std::int64_t elements = 1;
      for (const std::int64_t length : tensor.shape) elements *= length;
      if (elements != tensor.elements() || file.tensors().find(tensor.name) != &tensor) std::abort();
      (void)read_floats(tensor);
    }
  } catch (const Error& error) {
    const std::string_view what = error.what();
    if (!what.starts_with("f: ")) std::abort();
    for (const char c : what) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) std::abort();
    }
  }
  return 0;
}
