// Any bytes as the settings beside a tokenizer (tokenizer_config.json, special_tokens_map.json,
// added_tokens.json), and as the vocabulary of a Marian directory: an error of one line that names the file,
// or a tokenizer that reads a text.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "scratch_directory.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "text/formats/marian_tokenizer.hpp"
#include "text/tokenizer/tokenizer.hpp"

namespace {

using namespace headwater;

template <class F>
void check(const fs::path& folder, const F& f) {
  try {
    f();
  } catch (const Error& error) {
    const std::string_view what = error.what();
    if (!what.starts_with(folder.string()) || what.find('\n') != what.npos) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const ScratchDirectory scratch;
  const fs::path& folder = scratch.path();
  write_file(folder / "vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\n##b\n");
  for (const char* name : {"tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"}) {
    write_file(folder / name, text);
    check(folder, [&] {
      const Tokenizer tokenizer = Tokenizer::load(folder);
      if (tokenizer.encode("a ab").empty()) std::abort();
      for (const std::int32_t id : {tokenizer.pad_id(), tokenizer.start_id(), tokenizer.end_id()})
        if (id < -1 || id >= tokenizer.vocabulary_size()) std::abort();
    });
  }
  write_file(folder / "vocab.json", text);
  check(folder, [&] { (void)read_marian_vocabulary(folder / "vocab.json"); });
  return 0;
}
