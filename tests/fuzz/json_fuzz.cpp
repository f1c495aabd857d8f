// Any bytes as JSON: an error of one line with a place, or a value that is written and read back the same,
// pretty or not.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "support/json.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headwater;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Json value;
  try {
    value = Json::parse(text, "f");
  } catch (const JsonError& error) {
    if (error.at > size) std::abort();
    const std::string_view what = error.what();
    if (!what.starts_with("f:") || !what.ends_with(error.problem)) std::abort();
    for (const char c : what) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) std::abort();
    }
    return 0;
  }
  const std::string written = value.dump();
  if (Json::parse(written, "again").dump() != written) std::abort();
  if (Json::parse(value.dump(2), "pretty").dump() != written) std::abort();
  return 0;
}
