// Any bytes as a file of ids: refused in one line, or windows whose ids are of the vocabulary and which hold
// every id.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "data/token_stream.hpp"
#include "support/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headwater;
  constexpr std::int64_t kVocabulary = 1000;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  TokenStream stream({.cut = {.length = 5, .stride = 3}, .vocabulary = kVocabulary});
  try {
    stream.add(Safetensors(bytes, "f"));
    stream.finish("f", false);
  } catch (const Error& error) {
    const std::string_view what = error.what();
    if (!what.starts_with("f: ") || what.size() > 1000) std::abort();
    for (const char c : what) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) std::abort();
    }
    return 0;
  }
  std::vector<std::int32_t> window;
  std::int64_t end = 0;
  for (std::int64_t i = 0; i < stream.examples(); ++i) {
    const std::int64_t begin = stream.cut().begin(i);
    stream.read_window(begin, window);
    if (window.size() < 2 || window.size() > 6 || begin > end) std::abort();
    end = begin + static_cast<std::int64_t>(window.size());
    for (const std::int32_t id : window) {
      if (id < 0 || id >= kVocabulary) std::abort();
    }
  }
  if (end != stream.ids()) std::abort();
  return 0;
}
