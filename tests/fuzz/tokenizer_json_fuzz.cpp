// Any bytes as tokenizer.json: an error of one line, or a tokenizer that encodes, decodes and reads back as
// itself.
#include <cstdint>
#include <cstdlib>

#include "ids_of_tokens.hpp"
#include "support/error.hpp"
#include "text/tokenizer/tokenizer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headwater;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const Tokenizer tokenizer = Tokenizer::parse(bytes, "fuzz");
    const std::string_view text = "The red house [UNK] \xC3\x89 e\xCC\x81 \xE2\x96\x81 \\ 12,5\t!";
    const std::vector<std::int32_t> ids = tokenizer.encode(text);
    for (const std::int32_t id : ids) {
      if (id < 0 || id >= tokenizer.vocabulary_size()) std::abort();
    }
    if (ids_of_tokens(tokenizer, tokenizer.tokens(text)) != ids) std::abort();
    (void)tokenizer.decode(ids);
    if (Tokenizer::parse(tokenizer.to_json(), "again").hash() != tokenizer.hash()) std::abort();
  } catch (const Error& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}
