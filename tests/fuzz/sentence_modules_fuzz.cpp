// Any bytes as each of the files that a directory of sentence-transformers has beside its encoder: an error
// that names the file, or what the file may say.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "families/text_encoder/sentence_transformers.hpp"
#include "support/error.hpp"

namespace {

using namespace headwater;

template <class F>
void check(const F& f) {
  try {
    f("f");
  } catch (const Error& error) {
    const std::string_view what = error.what();
    if (!what.starts_with("f:") || what.find('\n') != what.npos) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check([&](const std::string& where) {
    const std::string folder = parse_sentence_modules(text, where).pooling_folder;
    if (folder.empty() || folder == "." || folder == ".." || folder.find('/') != folder.npos ||
        folder.find('\0') != folder.npos)
      std::abort();
  });
  check([&](const std::string& where) {
    const std::string pooling = parse_sentence_pooling(text, where, 384);
    if (pooling != "max" && pooling != "mean" && pooling != "first") std::abort();
  });
  check([&](const std::string& where) {
    const std::int64_t length = parse_sentence_length(text, where);
    if (length < 0 || length > 1000000) std::abort();
  });
  check([&](const std::string& where) { check_sentence_prompts(text, where); });
  return 0;
}
