// Any bytes as a file of columns of ids: refused in one line, or examples whose ids are of the vocabularies.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "data/token_dataset.hpp"
#include "support/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headwater;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  TokenDataset columns(
      {{.name = "source", .vocabulary = 100, .max_length = 4},
       {.name = "target", .vocabulary = 50, .max_length = 5, .min_length = 2, .first_id = 2}});
  try {
    columns.add(Safetensors(bytes, "f"));
    columns.finish("f");
  } catch (const Error& error) {
    const std::string_view what = error.what();
    if (what.empty() || what.size() > 1000) std::abort();
    for (const char c : what) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) std::abort();
    }
    return 0;
  }
  for (std::int64_t e = 0; e < columns.examples(); ++e) {
    for (std::size_t c = 0; c < 2; ++c) {
      const auto ids = columns.ids(c, e);
      if (ids.size() != columns.count(c, e) || ids.size() < c + 1 || ids.size() > c + 4) std::abort();
      for (const std::int32_t id : ids) {
        if (id < 0 || id >= (c == 0 ? 100 : 50)) std::abort();
      }
    }
    if (columns.ids(1, e).front() != 2) std::abort();
  }
  return 0;
}
