#include <algorithm>
#include <charconv>
#include <span>

#include "cli/tool.hpp"
#include "families/registry.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "tools/vectorize/vectorize.hpp"

namespace headwater::vectorize {

std::string section(const Options& o, std::string_view title) {
  return o.command->name.empty() ? std::string(title) : "Options";
}

void describe(cli::CommandLine& line, Options& o) {
  line.add_option("files", o.tokens, o.command->operands)
      .shown_as("[FILE...]")
      .reads_lines("the lines", "--images");
  describe_ids(line, o);
  line.group("Output");
  line.add_flag(
      "--header", o.has_header,
      "write a first line `#ids v1 vocab=HASH size=V pad=ID`, which `train` compares with its tokenizers");
  describe_labels(line, o);
  describe_terms(line, o);
  describe_images(line, o);
  describe_split(line, o);
  describe_pairs(line, o);
  describe_shortlist(line, o);
  line.group("Output");
  line.add_option("-o", o.output, "where what was learned, or the data set, goes; - is standard output")
      .writes();
  line.add_flag("--allow-empty", o.allows_empty,
                "of id lines: leave out any number of examples with an empty column (more than 1 % are an "
                "error otherwise)");
  line.group("Recipe");
  line.add_option("-r,--recipe", o.recipe,
                  "take length, start and end, or a table's terms, from a recipe ([below](#from-a-recipe)); "
                  "the command line overrides it")
      .reads();
  line.add_option("--side", o.side, "of the recipe")
      .one_of({"source", "target"})
      .with_default()
      .goes_with("--recipe");
  line.add_option("--scale", o.scale, "of the recipe: quick is its cut-down version")
      .offers({"full", "quick"})
      .with_default()
      .goes_with("--recipe");
  line.group("Input");
  cli::add_replace_invalid_option(line, o.reader);
  cli::add_column_options(line, o.reader, cli::Columns::any);
  if (o.command->implied == "--csv") {
    o.reader.is_csv = true;
    line.condition("--csv", [] { return true; });
  }
  o.reader.csv_fix.clear();  // of labels alone: token lines are no text
  cli::add_threads_option(line, o.threads);
  cli::add_quiet_option(line, o.is_quiet);
}

double percent_of(const std::string& text) {
  double percent = 0;
  const std::string fault =
      read_number(std::string_view(text).substr(0, text.size() - (text.ends_with('%') ? 1 : 0)), percent);
  if (!fault.empty()) throw Error(fault);
  if (percent < 0 || percent > 100) throw Error(quote(text) + " is not a percentage from 0 to 100");
  return percent;
}

void check_length(const Options& o, const std::string& what) {
  if (o.length < 1) throw UsageError("--length is missing (" + what + ")");
}

void resolve_recipe(Options& o, const ModeOptions& typed) {
  if (o.recipe.empty()) return;
  const Recipe recipe = read_recipe(o.recipe, o.scale);
  o.resolved_recipe = recipe;
  const std::int64_t length = family_of(recipe.model).max_line_ids(recipe);
  if (!typed.is_given("--length")) o.length = length > 0 ? length : kMaxLength;
  const LineEnds ends = family_of(recipe.model).line_form(recipe.model).ends(o.side);
  o.has_start = o.has_start || ends.start;
  o.has_end = o.has_end || ends.end;
  if (!typed.is_given("--ngrams")) o.ngrams = recipe.terms.ngrams;
  if (!typed.is_given("--size")) o.size = recipe.terms.size;
  if (o.form.empty() && (o.learn == "ngrams" || !o.terms.empty())) o.form = recipe.terms.output;
}

void note_truncated(const Options& o, std::uint64_t cut, std::uint64_t all, std::size_t max_length) {
  if (cut == 0) return;
  const auto count = static_cast<std::int64_t>(cut);
  cli::warn(format_count(count) + " of " + counted(static_cast<std::int64_t>(all), "line") +
                (count == 1 ? " was" : " were") + " truncated to " +
                counted(static_cast<std::int64_t>(max_length), "id"),
            o.is_quiet);
}

void report_unknown(const Options& o, const TokenCounts& counts) {
  const double unknown = static_cast<double>(counts.unknown), tokens = static_cast<double>(counts.tokens);
  if (!o.max_unknown.empty() && unknown * 100 > tokens * percent_of(o.max_unknown)) {
    const ColumnTokenCounts column{"", counts};
    throw Error(cli::unknown_tokens(std::span(&column, 1)) + ", more than --max-unknown " + o.max_unknown +
                " (learn the tokenizer or the terms from text like this)");
  }
  cli::note_unknown_tokens(counts, o.is_quiet);
}

void append_number(std::string& out, std::int64_t number) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

std::string header(const std::string& hash, std::int64_t size, std::int64_t pad) {
  return "#ids v1 vocab=" + hash.substr(0, 16) + " size=" + std::to_string(size) +
         " pad=" + std::to_string(pad);
}

}  // namespace headwater::vectorize
