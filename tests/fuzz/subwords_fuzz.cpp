// Any bytes as a .subwords file: an error of one line, or an encoder that loses nothing and writes what it
// read.
#include <cstdint>
#include <cstdlib>

#include "ids_of_tokens.hpp"
#include "support/error.hpp"
#include "text/models/subword_text_encoder.hpp"
#include "text/tokenizer/tokenizer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headwater;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const std::vector<std::string> subwords = parse_subwords(bytes, "fuzz");
    if (parse_subwords(subwords_file(subwords), "again") != subwords) std::abort();
    const Tokenizer tokenizer = Tokenizer::parse(subword_text_encoder_json(subwords), "fuzz");
    const std::string_view text = "The red_house  \\&undsc \xC3\x89 e\xCC\x81 _ a_ 12,5 <EOS>!";
    const std::vector<std::int32_t> ids = tokenizer.encode(text);
    for (const std::int32_t id : ids) {
      if (id <= 0 || id >= tokenizer.vocabulary_size()) std::abort();
    }
    if (ids_of_tokens(tokenizer, tokenizer.tokens(text)) != ids) std::abort();
    (void)tokenizer.decode(ids);
  } catch (const Error& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}
