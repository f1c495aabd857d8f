// Options of lines, and who reads standard input.
#include <algorithm>
#include <memory>

#include "cli/lines.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"

namespace headwater::cli {

bool reads_input(const std::vector<std::string>& paths) {
  return paths.empty() || std::find(paths.begin(), paths.end(), "-") != paths.end();
}

std::optional<std::int64_t> column_number(const std::string& text) {
  std::int64_t number = 0;
  if (!read_number(text, number).empty() || number < 1) return std::nullopt;
  return number;
}

namespace {

// As typed.
struct ColumnOptions {
  std::vector<std::string> columns;
  std::string separator = ",";
  bool has_no_header = false;
};

char separator_of(const std::string& text) {
  if (text == "tab") return '\t';
  const bool is_one = text.size() == 1 && text[0] > ' ' && text[0] <= '~';
  if (text != "\t" && (!is_one || text == "\"")) {
    throw UsageError("--separator: " + quote(text) +
                     " is not one character of ASCII but a quote (\",\", \";\", \"|\", or tab)");
  }
  return text[0];
}

void resolve_columns(const ColumnOptions& o, LineReaderSettings& settings, Columns columns) {
  if (o.columns.size() > 1 && (!settings.is_csv || columns == Columns::one)) {
    throw UsageError("--column: given " + std::to_string(o.columns.size()) + " times" +
                     (columns == Columns::one ? ", where one text is read" : ", which goes with --csv only"));
  }
  if (settings.is_csv) {
    settings.csv = {.columns = o.columns,
                    .separator = separator_of(o.separator),
                    .has_header = !o.has_no_header,
                    .wanted = columns == Columns::one ? std::size_t{1} : 0};
    return;
  }
  if (o.columns.empty()) return;
  const std::optional<std::int64_t> number = column_number(o.columns.front());
  if (!number) {
    throw UsageError("--column: " + quote(o.columns.front()) +
                     " is not the number of a column (they count from 1; names go with --csv)");
  }
  settings.column = *number;
}

}  // namespace

void add_column_options(CommandLine& line, LineReaderSettings& settings, Columns columns) {
  const auto typed = std::make_shared<ColumnOptions>();
  line.add_option(
          "--column", typed->columns,
          std::string("read column N of each line, from 1; TABs separate columns. Of --csv: by its name "
                      "in the header, or its number. Without it a line is one text without TABs") +
              (columns == Columns::any ? "; with --csv it may be given again" : ""))
      .group("Input")
      .shown_as("N|NAME")
      .one_value_each();
  line.add_flag("--csv", settings.is_csv,
                "read records of CSV (RFC 4180, with a header) instead of lines "
                "([FORMATS.md](../libcore/FORMATS.md#csv))")
      .group("Input");
  line.add_option("--separator", typed->separator, "what separates fields: `;`, `|`, or `tab`")
      .group("Input")
      .shown_as("C")
      .with_default()
      .goes_with("--csv");
  line.add_flag("--no-header", typed->has_no_header, "the first record is data; columns are numbers")
      .group("Input")
      .goes_with("--csv");
  settings.csv_fix = "read a column of it: --csv --column NAME";
  line.after_parse([typed, &settings, columns] { resolve_columns(*typed, settings, columns); });
}

void add_json_input_option(CommandLine& line, LineReaderSettings& settings) {
  line.add_flag("--json-input", settings.is_json,
                "each line is a JSON object, whose member `text` is read; it may have line ends and TABs "
                "([FORMATS.md](../libcore/FORMATS.md#json))")
      .group("Input")
      .goes_without("--csv --column");
}

LineReaderSettings beside(LineReaderSettings settings, std::string tab_fix) {
  settings.column = 0;
  settings.is_csv = settings.is_json = settings.is_whole = false;
  settings.csv_fix.clear();
  settings.tab_fix = std::move(tab_fix);
  return settings;
}

Option add_replace_invalid_option(CommandLine& line, LineReaderSettings& settings) {
  settings.invalid_fix += ", or try --replace-invalid";
  return line.add_flag("--replace-invalid", settings.replace_invalid,
                       "turn invalid UTF-8 and NUL into U+FFFD instead of ending with an error");
}

}  // namespace headwater::cli
