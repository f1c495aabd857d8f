// Any bytes as MANIFEST.json: an error, or exactly the text that its contents give, naming only files beside
// it.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "checkpoint/directory.hpp"
#include "support/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headwater;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const Manifest manifest = parse_manifest(text, "f");
    if (manifest_text(manifest) != text || manifest.files.empty()) std::abort();
    for (const Manifest::File& file : manifest.files) {
      if (file.name.empty() || file.name.find('/') != file.name.npos || file.name == ".." ||
          file.name == kManifestName)
        std::abort();
    }
  } catch (const Error& error) {
    const std::string_view what = error.what();
    if (!what.starts_with("f:")) std::abort();
    for (const char c : what) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) std::abort();
    }
  }
  return 0;
}
