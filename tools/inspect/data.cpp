// Data sets.
#include <algorithm>
#include <optional>

#include "data/id_columns.hpp"
#include "pretrained/registry.hpp"
#include "reports/data_summary.hpp"
#include "reports/stream_summary.hpp"
#include "support/error.hpp"
#include "tools/inspect/inspect.hpp"

namespace headwater::inspect {

void inspect_data(const Options& o) {
  if (!o.contact_sheet.empty() || !o.draws.empty()) {
    throw UsageError(
        "--contact-sheet and --draws are of data sets of images (vectorize --images makes them)");
  }
  std::vector<std::string> names = o.columns;
  for (const std::string& name : names) {
    static constexpr std::string_view kKnown[] = {"source", "target", "label"};
    if (std::find(std::begin(kKnown), std::end(kKnown), name) != std::end(kKnown)) continue;
    const std::string_view nearest = nearest_word(name, kKnown);
    throw UsageError("--columns: unknown column " + quote(name) + " (source, target or label" +
                     (nearest.empty() ? "" : "; did you mean " + quote(nearest) + "?") + ")");
  }
  cli::check_one_reads_input({{"--recipe -", o.recipe == "-"}, {"the data", cli::reads_input(o.data)}});
  bool is_csv = false;  // by the recipe
  if (!o.recipe.empty()) {
    const DataSettings data = read_recipe(o.recipe, o.scale).data;
    if (names.empty()) names = data.columns;
    is_csv = !data.csv_columns.empty();
  }
  DataSummary summary(names);
  std::optional<Tokenizer> tokenizer;
  if (!o.tokenizer.empty()) summary.count_tokens_of(tokenizer.emplace(Tokenizer::load(o.tokenizer)));
  cli::LineReaderSettings columns = o.reader;
  columns.has_columns = true;
  cli::LineReader reader(o.data, columns);
  reader.show_progress(false, cli::LineReader::Writes::at_the_end);
  for (std::string_view line; reader.next(line);) {
    if (is_csv && names.size() > 1 && line.find('\t') == line.npos) {
      throw Error(reader.place() + ": 1 column where " + std::to_string(names.size()) + " are wanted (" +
                  o.recipe + " says the files are CSV: vectorize --csv --recipe " + o.recipe +
                  " FILE makes such lines)");
    }
    if (line.starts_with("#ids v1 ")) continue;  // the header of vectorize --header, which is no sample
    try {
      summary.add(line);
    } catch (const Error& error) {
      throw Error(reader.place() + ":" + error.what());
    }
  }
  reader.note_dropped();
  cli::LineWriter out;
  if (o.is_json) {
    for (const Json& json : summary.json()) out.line(json.dump());
  } else {
    out.text(summary.text());
  }
  out.flush();
}

bool is_of_ids(const Options& o) {
  for (const std::string& path : o.data) {
    if (holds_id_columns(path))
      throw UsageError("--data: " + path + " is a file of columns of ids (inspect " + path +
                       " shows its tensors; the text that they are of says more)");
  }
  return std::any_of(o.data.begin(), o.data.end(), [](const std::string& path) {
    return begins_as_safetensors(path) && Safetensors(path).find("ids") != nullptr;
  });
}

void inspect_ids(const Options& o) {
  if (o.data.size() > 1)
    throw UsageError("--data: one file of ids at a time, not " + std::to_string(o.data.size()));
  if (!o.columns.empty() || !o.recipe.empty() || !o.contact_sheet.empty() || !o.draws.empty())
    throw UsageError(o.data.front() + " is a file of ids (which goes with --tokenizer and --json)");
  std::optional<Tokenizer> tokenizer;
  if (!o.tokenizer.empty()) tokenizer = Tokenizer::load(o.tokenizer);
  const StreamSummary summary(Safetensors(o.data.front()), tokenizer ? &*tokenizer : nullptr);
  cli::LineWriter out;
  out.text(o.is_json ? summary.json().dump() + "\n" : summary.text());
  out.flush();
}

}  // namespace headwater::inspect
