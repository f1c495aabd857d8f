// Any bytes as a lexical shortlist of three source and 20 target tokens: refused in one line, or lists whose
// tokens are of the vocabulary, ascending.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "families/translator/shortlist.hpp"
#include "support/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headwater;
  try {
    const Shortlist list = read_shortlist({reinterpret_cast<const char*>(data), size}, "f", {3, 20, 1});
    for (const std::vector<std::int32_t>& source :
         {std::vector<std::int32_t>{}, {0}, {2, 1, 2}, {0, 1, 2, 3, 1000}}) {
      const std::vector<std::int32_t> tokens = list.tokens_for(source);
      for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i] < 0 || tokens[i] >= 20 || (i > 0 && tokens[i] <= tokens[i - 1])) std::abort();
      }
    }
  } catch (const Error& error) {
    const std::string_view what = error.what();
    if (!what.starts_with("f: ") || what.find('\n') != what.npos) std::abort();
  }
  return 0;
}
