#include "tools/vectorize/options.hpp"

#include <algorithm>

#include "cli/tool.hpp"
#include "families/registry.hpp"
#include "support/decimal.hpp"
#include "support/error.hpp"

namespace headwater::vectorize {

void describe(cli::CommandLine& line, Options& o, ModeOptions& typed) {
  line.add_option("tokens", o.tokens, "token lines from tokenize; - or none: standard input")
      .shown_as("[TOKENS...]")
      .reads();
  describe_ids(line, o, typed);
  line.group("Output");
  typed.add("--header",
            line.add_flag("--header", o.has_header, "write a first line that names the vocabulary"),
            {Mode::ids, Mode::blocks, Mode::label_ids, Mode::bags});
  describe_labels(line, o, typed);
  describe_terms(line, o, typed);
  describe_images(line, o, typed);
  describe_split(line, o, typed);
  line.group("Output");
  typed.add(
      "-o",
      line.add_option("-o", o.output, "where what was learned, or the data set, goes; - is standard output")
          .shown_as("FILE")
          .writes(),
      {Mode::learn_labels, Mode::learn_terms, Mode::id_file, Mode::columns, Mode::images, Mode::split},
      "lines go to standard output");
  typed.add("--allow-empty",
            line.add_flag("--allow-empty", o.allows_empty,
                          "of --output dataset: leave out lines with an empty column, however many"),
            {Mode::columns});
  line.group("Recipe");
  const auto add_of_recipe = [&](std::string_view name, const cli::Option& option) {
    typed.add(name, option,
              {Mode::ids, Mode::blocks, Mode::id_file, Mode::learn_labels, Mode::label_ids, Mode::learn_terms,
               Mode::bags, Mode::csv});
  };
  add_of_recipe("--recipe", line.add_option("-r,--recipe", o.recipe,
                                            "take length, start and end, or a table's terms, from a recipe")
                                .shown_as("FILE")
                                .reads());
  add_of_recipe("--side", line.add_option("--side", o.side, "of the recipe: source or target")
                              .offers({"source", "target"})
                              .with_default());
  add_of_recipe("--scale",
                line.add_option("--scale", o.scale, "of the recipe: full, or quick: its cut-down version")
                    .offers({"full", "quick"})
                    .with_default());
  line.group("Input");
  typed.add("--replace-invalid", cli::add_replace_invalid_option(line, o.reader),
            {Mode::ids, Mode::blocks, Mode::id_file, Mode::columns, Mode::learn_labels, Mode::label_ids,
             Mode::learn_terms, Mode::bags, Mode::csv, Mode::split});
  cli::add_column_options(line, o.reader, cli::Columns::any);
  o.reader.csv_fix.clear();  // of labels alone: token lines are no text
  cli::add_threads_option(line, o.threads);
  cli::add_quiet_option(line, o.is_quiet);
}

double percent_of(const std::string& text) {
  double percent = 0;
  const std::string fault =
      read_number(std::string_view(text).substr(0, text.size() - (text.ends_with('%') ? 1 : 0)), percent);
  if (!fault.empty()) throw UsageError("--max-unknown: " + fault);
  if (percent < 0 || percent > 100)
    throw UsageError("--max-unknown: " + quote(text) + " is not a percentage from 0 to 100");
  return percent;
}

void resolve_recipe(Options& o, const ModeOptions& typed) {
  cli::check_one_reads_input({{"--recipe -", o.recipe == "-"},
                              {"--check -", std::ranges::find(o.check, "-") != o.check.end()},
                              {"the lines", cli::reads_input(o.tokens)}});
  if (o.side != "source" && o.side != "target")
    throw UsageError("--side: unknown value " + quote(o.side) + " (source or target)");
  if (!o.max_unknown.empty()) percent_of(o.max_unknown);
  for (const char* option : {"--side", "--scale"}) {
    if (o.recipe.empty() && typed.is_given(option))
      throw UsageError(std::string(option) + " goes with --recipe only");
  }
  if (o.recipe.empty()) return;
  const Recipe recipe = read_recipe(o.recipe, o.scale);
  o.resolved_recipe = recipe;
  const std::int64_t length = kind_of(recipe.model).max_line_ids(recipe);
  if (!typed.is_given("--length")) o.length = length > 0 ? length : kMaxLength;
  const LineEnds ends = kind_of(recipe.model).line_ends(recipe.model, o.side);
  o.has_start = o.has_start || ends.start;
  o.has_end = o.has_end || ends.end;
  if (!typed.is_given("--ngrams")) o.ngrams = recipe.terms.ngrams;
  if (!typed.is_given("--size")) o.size = recipe.terms.size;
  if (o.form.empty() && (o.learn == "ngrams" || !o.terms.empty())) o.form = recipe.terms.output;
}

}  // namespace headwater::vectorize
