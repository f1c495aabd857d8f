// Any bytes as a safetensors file: an error that names a byte, or tensors that lie inside the file, can be
// read, and are written and read back the same.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "checkpoint/safetensors.hpp"
#include "support/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headwater;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const Safetensors file(bytes, "f");
    std::size_t covered = 0;
    for (const TensorView& tensor : file.tensors()) {
      if (tensor.bytes.data() != file.data().data() + covered) std::abort();
      covered += tensor.bytes.size();
      if (file.find(tensor.name) != &tensor) std::abort();
      (void)read_floats(tensor);
      try {
        (void)read_integers(tensor);
      } catch (const Error&) {  // not of whole numbers
      }
    }
    if (covered != file.data().size()) std::abort();

    Metadata metadata;
    for (const auto& entry : file.metadata()) {
      if (entry.first != "format") metadata.push_back(entry);
    }
    const std::string written = to_safetensors(file.tensors(), metadata);
    const Safetensors again(written, "again");
    if (again.tensors().size() != file.tensors().size()) std::abort();
    for (const TensorView& tensor : again.tensors()) {
      const TensorView* before = file.find(tensor.name);
      if (before == nullptr || before->shape != tensor.shape || before->dtype != tensor.dtype ||
          before->bytes != tensor.bytes)
        std::abort();
    }
    if (to_safetensors(again.tensors(), metadata) != written) std::abort();
  } catch (const Error& error) {
    const std::string_view what = error.what();
    if (!what.starts_with("f: byte ") || what.size() > 1000) std::abort();
    for (const char c : what) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) std::abort();
    }
  }
  return 0;
}
