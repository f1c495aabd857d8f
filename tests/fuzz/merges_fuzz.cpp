// Any bytes as a vocab.json, a line "---", and a merges.txt: an error of one line, or a tokenizer whose one
// loop gives the ids of its parts.
#include <cstdint>
#include <cstdlib>

#include "ids_of_tokens.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/utf8.hpp"
#include "text/formats/foreign_tokenizers.hpp"
#include "text/tokenizer/tokenizer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headwater;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  constexpr std::string_view kCut = "\n---\n";
  const std::size_t cut = bytes.find(kCut);
  const std::string_view vocab = bytes.substr(0, cut);
  const std::string_view merges = cut == bytes.npos ? std::string_view() : bytes.substr(cut + kCut.size());
  try {
    const std::string json = tokenizer_json_of_merges(vocab, "vocab.json", merges, "merges.txt", {});
    const Tokenizer tokenizer = Tokenizer::parse(json, "files");
    Json file = Json::parse(json, "json");
    Json::Array inner = {file.at("pre_tokenizer")};
    file.set("pre_tokenizer", Json::Object{{"type", "Sequence"}, {"pretokenizers", std::move(inner)}});
    const Tokenizer by_parts = Tokenizer::parse(file.dump(), "parts");
    for (const std::string_view text :
         {bytes,
          std::string_view("The red house's  <|endoftext|> \xC3\x89 e\xCC\x81 \xE4\xB8\xAD \\ 12,5\t!")}) {
      if (find_invalid_utf8(text) != text.npos) continue;
      const std::vector<std::int32_t> ids = tokenizer.encode(text);
      if (by_parts.encode(text) != ids || ids_of_tokens(tokenizer, tokenizer.tokens(text)) != ids)
        std::abort();
      (void)tokenizer.decode(tokenizer.with_special_tokens(ids));
    }
  } catch (const Error& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}
