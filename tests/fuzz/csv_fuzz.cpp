// Any bytes as lines of CSV: refused with the place, or fields that can be columns of a line, and that read
// back where they are written in quotes. The first byte chooses the separator.
#include "support/csv.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "support/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headwater;
  if (size < 1) return 0;
  const char separator = (data[0] & 1) != 0 ? ';' : (data[0] & 2) != 0 ? '\t' : ',';
  std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  CsvParser parser("f", separator);
  try {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const std::string_view line = text.substr(0, end);
      const bool is_record = parser.add_line(line);
      const char guess = csv_separator(line, 2);
      if (guess != 0 && (line.find(guess) == line.npos || line.find('\t') != line.npos)) std::abort();
      if (csv_cure(line, 2).empty() != (guess == 0)) std::abort();
      text.remove_prefix(std::min(end + 1, text.size()));
      if (!is_record) continue;
      if (parser.fields() == 0) std::abort();
      std::string written;
      for (std::size_t i = 0; i < parser.fields(); ++i) {
        if (parser.field(i).find_first_of("\t\n\r") != std::string_view::npos) std::abort();
        if (i > 0) written += separator;
        written += '"';
        for (const char c : parser.field(i)) written.append(c == '"' ? 2 : 1, c);
        written += '"';
      }
      CsvParser again("g", separator);
      if (!again.add_line(written) || again.fields() != parser.fields()) std::abort();
      for (std::size_t i = 0; i < parser.fields(); ++i) {
        if (again.field(i) != parser.field(i)) std::abort();
      }
    }
    parser.finish();
  } catch (const Error& error) {
    if (!std::string_view(error.what()).starts_with("f:")) std::abort();
  }
  return 0;
}
