// Any bytes as a generation_config.json: an error, or a search within its bounds that is written and read
// back as it is.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "families/generation_config.hpp"
#include "support/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headwater;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const GenerationConfig config = generation_config_of_json(Json::parse(text, "f"));
    if (config.return_sequences < 1 || !(config.repetition_penalty > 0)) std::abort();
    const DecodingSettings read = config.decoding;
    if (read.num_beams < 1 || read.num_beams > 256 || !(read.max_length_ratio >= 0)) std::abort();
    Json written = Json(Json::Object{});
    write_decoding(written, read);
    const DecodingSettings again = decoding_of(written);
    // greedy decoding keeps nothing of what it does not read
    if (read.num_beams > 1 && !(again == read)) std::abort();
    if (again.num_beams != read.num_beams || again.min_new_tokens != read.min_new_tokens) std::abort();
  } catch (const Error& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}
