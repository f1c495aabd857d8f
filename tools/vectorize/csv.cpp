// Columns of CSV files to lines of columns.
#include "tools/vectorize/vectorize.hpp"

namespace headwater::vectorize {

void write_csv_columns(const Options& o) {
  cli::LineReader reader(o.tokens, o.reader);
  reader.show_progress(o.is_quiet);
  cli::LineWriter writer;
  constexpr std::size_t kBatch = 4096;
  reader.for_each_batch(kBatch, [&](const std::vector<std::string>& lines) {
    for (const std::string& line : lines) writer.line(line);
    writer.flush();
  });
  if (!o.is_quiet) reader.note_dropped();
}

}  // namespace headwater::vectorize
