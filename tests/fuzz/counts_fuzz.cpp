// Any bytes as the lines of a file of counts: a line is refused in one sentence, or it is what its count and
// piece are written as.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "support/error.hpp"
#include "text/learning/piece_counts.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headwater;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    try {
      const CountedPiece counted = parse_counted_piece(line);
      std::string written;
      append_counted_piece(written, counted.piece, counted.count);
      const CountedPiece again = parse_counted_piece(std::string_view(written).substr(0, written.size() - 1));
      if (again.piece != counted.piece || again.count != counted.count) std::abort();
    } catch (const Error& error) {
      if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
    }
  }
  return 0;
}
