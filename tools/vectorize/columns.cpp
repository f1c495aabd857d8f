// Id lines of one or more columns as a file of columns that train maps; columns of CSV files as lines.
#include <algorithm>
#include <memory>
#include <span>

#include "cli/result_file.hpp"
#include "cli/tool.hpp"
#include "data/id_columns.hpp"
#include "data/token_dataset.hpp"
#include "families/registry.hpp"
#include "support/bytes.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "tools/vectorize/vectorize.hpp"

namespace headwater::vectorize {

namespace {

using Part = IdColumnsHead::Part;

constexpr std::string_view kHeaderStart = "#ids ";

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t tab = line.find('\t'); tab != line.npos; tab = line.find('\t')) {
    fields.push_back(line.substr(0, tab));
    line.remove_prefix(tab + 1);
  }
  fields.push_back(line);
  return fields;
}

// The columns of lines as they are read; the first line says how many there are.
class Columns {
 public:
  void add(const std::vector<std::string>& lines, const cli::LineReader& reader) {
    if (columns_.empty()) {
      const std::size_t count = fields_of(lines.front()).size();
      if (count > kMaxIdColumns)
        throw Error(reader.place(0) + ": " + format_count(static_cast<std::int64_t>(count)) +
                    " columns, a data set has at most " + std::to_string(kMaxIdColumns) +
                    " (leave some out: cut -f)");
      columns_.resize(count);
    }
    find_values(lines);
    std::vector<TokenColumnSettings> settings;
    for (std::size_t c = 0; c < columns_.size(); ++c)
      settings.push_back({.name = std::to_string(c + 1),
                          .vocabulary = std::int64_t{1} << 31,
                          .has_values = columns_[c].head.has_values});
    TokenDataset batch(settings);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (lines[i].starts_with(kHeaderStart)) {
        take_header(lines[i], reader.place(i));
      } else {
        batch.add_line(lines[i], reader.place(i));
      }
    }
    lines_ += batch.lines();
    examples_ += batch.examples();
    for (std::size_t c = 0; c < columns_.size(); ++c) columns_[c].write(batch, c);
  }

  void finish(const Options& o) {
    const std::string where = o.tokens.empty() ? "-" : o.tokens.front();
    if (lines_ == 0) throw Error(where + ": no examples (is the stage before it still alive?)");
    const std::int64_t skipped = lines_ - examples_;
    if (skipped * 100 > lines_ && !o.allows_empty)
      throw Error(where + ": " + format_count(skipped) + " of " + counted(lines_, "line") +
                  (skipped == 1 ? " has" : " have") +
                  " an empty column, more than 1 % (did a stage of the pipe die? if not, --allow-empty "
                  "leaves them out)");
    if (examples_ == 0)
      throw Error(where + ": no line without an empty column, of " + format_count(lines_) + " (give some)");
    std::vector<IdColumnsHead::Column> heads;
    for (const Column& column : columns_) heads.push_back(column.head);
    const IdColumnsHead head = id_columns_head(examples_, heads);
    cli::write_result_file(o.output, [&](const cli::TakePiece& take) {
      take(head.bytes);
      for (const IdColumnsHead::Place& place : head.order)
        copy(*columns_[place.column].file(place.part), take);
    });
    if (o.is_quiet) return;
    std::int64_t ids = 0;
    for (const Column& column : columns_) ids += column.head.ids;
    cli::note(cli::output_name(o.output) + ": " + counted(examples_, "example") + " of " +
              counted(static_cast<std::int64_t>(columns_.size()), "column") + ", " + counted(ids, "id") +
              (skipped > 0 ? "; " + format_count(skipped) + " with an empty column left out" : ""));
  }

 private:
  struct Column {
    IdColumnsHead::Column head;
    bool is_known = false;  // whether it has values
    std::unique_ptr<UnnamedFile> ends = std::make_unique<UnnamedFile>(),
                                 ids = std::make_unique<UnnamedFile>(),
                                 values = std::make_unique<UnnamedFile>();

    const std::unique_ptr<UnnamedFile>& file(Part part) const {
      return part == Part::ends ? ends : part == Part::ids ? ids : values;
    }
    void write(const TokenDataset& batch, std::size_t c) {
      std::vector<std::int64_t> new_ends;
      std::vector<std::int32_t> new_ids;
      std::vector<float> new_values;
      for (std::int64_t e = 0; e < batch.examples(); ++e) {
        const std::span<const std::int32_t> list = batch.ids(c, e);
        const std::span<const float> list_values = batch.values(c, e);
        new_ids.insert(new_ids.end(), list.begin(), list.end());
        new_values.insert(new_values.end(), list_values.begin(), list_values.end());
        new_ends.push_back(head.ids + static_cast<std::int64_t>(new_ids.size()));
      }
      head.ids += static_cast<std::int64_t>(new_ids.size());
      ends->write(raw_bytes(new_ends));
      ids->write(raw_bytes(new_ids));
      values->write(raw_bytes(new_values));
    }
  };

  static void copy(const UnnamedFile& file, const cli::TakePiece& take) {
    if (file.size() == 0) return;
    constexpr std::size_t kPiece = std::size_t{1} << 22;  // bytes
    const MappedFile mapped = file.mapped();
    for (std::size_t at = 0; at < mapped.bytes().size(); at += kPiece) {
      take(mapped.bytes().substr(at, kPiece));
      mapped.release();
    }
  }

  // Whether a column has values shows in the first id that it has.
  void find_values(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
      if (line.starts_with(kHeaderStart)) continue;
      const std::vector<std::string_view> fields = fields_of(line);
      for (std::size_t c = 0; c < std::min(fields.size(), columns_.size()); ++c) {
        if (columns_[c].is_known || fields[c].empty()) continue;
        columns_[c].is_known = true;
        columns_[c].head.has_values =
            fields[c].substr(0, fields[c].find(' ')).find(':') != std::string_view::npos;
      }
    }
  }

  // Kept for train, which compares it with its tokenizers.
  void take_header(std::string_view line, const std::string& place) {
    const std::vector<std::string_view> fields = fields_of(line);
    if (fields.size() != columns_.size())
      throw Error(place + ": a header of " + counted(static_cast<std::int64_t>(fields.size()), "column") +
                  " before " + std::to_string(columns_.size()) +
                  " (vectorize all of them with --header, or none)");
    for (std::size_t c = 0; c < fields.size(); ++c) {
      if (!fields[c].starts_with("#ids v1 "))
        throw Error(place + ": column " + std::to_string(c + 1) +
                    ": not a header of ids that this program knows (v1)");
      const auto value_of = [&](std::string_view name) {
        const std::size_t at = fields[c].find(name);
        if (at == std::string_view::npos) return std::string_view();
        const std::string_view rest = fields[c].substr(at + name.size());
        return rest.substr(0, rest.find(' '));
      };
      IdColumnsHead::Column& head = columns_[c].head;
      const std::string_view hash = value_of(" vocab="), size = value_of(" size=");
      if (has_header_ && (head.vocabulary_hash != hash || head.vocabulary_size != size))
        throw Error(
            place + ": column " + std::to_string(c + 1) +
            ": ids of another vocabulary than those before (vectorize all of them with one tokenizer)");
      head.vocabulary_hash = hash;
      head.vocabulary_size = size;
    }
    has_header_ = true;
  }

  std::vector<Column> columns_;
  bool has_header_ = false;
  std::int64_t lines_ = 0, examples_ = 0;
};

}  // namespace

void resolve_columns(Options& o, const ModeOptions&) { cli::check_ending(o.output, "-o", "safetensors"); }

void write_columns(const Options& o) {
  cli::check_result_file(o.output);
  cli::LineReader reader(o.tokens, o.reader);
  reader.show_progress(o.is_quiet, cli::LineReader::Writes::at_the_end);
  Columns columns;
  reader.for_each_batch(4096, [&](const std::vector<std::string>& lines) { columns.add(lines, reader); });
  if (!o.is_quiet) reader.note_dropped();
  columns.finish(o);
}

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
