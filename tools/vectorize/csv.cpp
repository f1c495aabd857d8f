// Columns of CSV files to lines of columns.
#include "families/registry.hpp"
#include "support/error.hpp"
#include "tools/vectorize/vectorize.hpp"

namespace headwater::vectorize {

// With a recipe the columns are those that it names.
void resolve_csv(Options& o, const ModeOptions& /*typed*/) {
  std::vector<std::string>& columns = o.reader.csv.columns;
  if (o.recipe.empty() || !columns.empty()) return;
  columns = read_recipe(o.recipe, o.scale).data.csv_columns;
  if (columns.empty())
    throw UsageError(o.recipe.string() + ": no data.csv_columns (name them there, or by --column)");
}

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
