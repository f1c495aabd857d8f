#include "tools/vectorize/options.hpp"

#include <optional>

#include "cli/tool.hpp"
#include "data/image_reading.hpp"
#include "pretrained/registry.hpp"
#include "support/decimal.hpp"
#include "support/error.hpp"

namespace headwater::vectorize {

namespace {

constexpr std::int64_t kMaxBlock = 1000000;      // as of model.length
constexpr std::int64_t kMaxLength = 0x7FFFFFFF;  // also of a model that reads any number of ids

}  // namespace

void describe(cli::CommandLine& line, Options& o, TypedOptions& typed) {
  line.add_option("tokens", o.tokens, "token lines from tokenize; - or none: standard input")
      .shown_as("[TOKENS...]")
      .reads();
  line.group("Ids of tokens");
  line.add_option("-t,--tokenizer", o.tokenizer, "the tokenizer.json that made the tokens")
      .shown_as("FILE")
      .reads();
  typed.length = line.add_option("-l,--length", o.length, "positions of the model: longer lines are cut")
                     .between(1, kMaxLength)
                     .shown_as("L");
  typed.start = line.add_flag("--start", o.has_start, "put the id of [START] before each line");
  typed.end = line.add_flag("--end", o.has_end, "put the id of [END] after each line");
  typed.block = line.add_option("--block", o.block,
                                "all lines are one long text: cut it into lines of N ids and one more")
                    .between(1, kMaxBlock)
                    .shown_as("N");
  typed.stride = line.add_option("--stride", o.stride,
                                 "of --block: from the start of one line to that of the next; N where it is "
                                 "not given")
                     .between(1, kMaxBlock)
                     .shown_as("M");
  line.add_option("--max-unknown", o.max_unknown,
                  "an error where more than P percent of the tokens are unknown")
      .shown_as("P");
  line.group("Output");
  line.add_flag("--header", o.has_header, "write a first line that names the vocabulary");
  line.group("Labels and bags of words");
  line.add_option("--labels", o.labels,
                  "turn lines into the ids of this label set instead; of images: name their labels by it")
      .shown_as("FILE")
      .reads();
  line.add_option("--terms", o.terms,
                  "turn token lines into bags of the words or n-grams of this table instead")
      .shown_as("FILE")
      .reads();
  line.add_option(
          "--output", o.form,
          "of bags of words: multi-hot, count, tf-idf, sublinear-tf-idf, or ids (of n-grams, one by one); "
          "the table's own "
          "where it is not given. Of tokens: dataset, with -o FILE: all lines as one long text, a file of "
          "ids")
      .shown_as("FORM");
  line.add_option(
          "--learn", o.learn,
          "labels: collect a label set from the lines; ngrams or tf-idf: a table of terms from token lines")
      .shown_as("labels|ngrams|tf-idf");
  line.add_option("--check", o.check,
                  "with --learn labels: the lines of this file must have labels that were learned; give it "
                  "again for more files")
      .shown_as("FILE")
      .one_value_each()
      .reads();
  typed.ngrams =
      line.add_option("--ngrams", o.ngrams, "learn terms of up to N tokens").between(1, 100).with_default();
  typed.size = line.add_option("--size", o.size, "learn at most N terms, [UNK] counted")
                   .between(2, 0x7FFFFFF0)
                   .with_default();
  line.group("Images");
  line.add_option(
          "--images", o.images,
          "turn images into a data set, with -o: a folder that has one for each label, a list (path, TAB, "
          "label), CIFAR files (.bin), or an IDX file with --image-labels")
      .shown_as("FILE")
      .reads();
  line.add_option("--image-labels", o.image_labels, "the labels of an IDX file, another one")
      .shown_as("FILE")
      .reads();
  line.add_option("--resize", o.resize, "of a folder or list: make all images so many pixels high and wide")
      .shown_as("HxW");
  typed.background =
      line.add_option(
              "--background", o.background,
              "of a folder or list: lay transparent pixels on white, black or a colour (#ff8000), or drop "
              "their transparency")
          .shown_as("COLOUR")
          .with_default();
  line.add_flag("--apply-orientation", o.applies_orientation,
                "of a folder or list: turn images as their tags of orientation say");
  line.add_option("--validation", o.validation, "write a share of the images there, the others to -o")
      .shown_as("FILE")
      .writes();
  typed.validation_fraction =
      line.add_option("--validation-fraction", o.validation_fraction, "that share").with_default();
  typed.seed = line.add_option("--seed", o.seed, "draws which they are").with_default();
  line.group("Lines");
  line.add_option(
          "--split", o.split,
          "write a share of the lines there (--validation-fraction), the others to -o; with --column N "
          "the same share of those of each label, which that column has")
      .shown_as("FILE")
      .writes();
  line.group("Output");
  line.add_option("-o", o.output, "where what was learned, or the data set, goes; - is standard output")
      .shown_as("FILE")
      .writes();
  line.group("Recipe");
  line.add_option("-r,--recipe", o.recipe, "take length, start and end, or a table's terms, from a recipe")
      .shown_as("FILE")
      .reads();
  line.add_option("--side", o.side, "of the recipe: source or target").with_default();
  line.add_option("--scale", o.scale, "of the recipe: full, or quick: its cut-down version").with_default();
  line.group("Input");
  cli::add_replace_invalid_option(line, o.reader);
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

namespace {

void check_share(const Options& o) {
  if (!(o.validation_fraction > 0 && o.validation_fraction < 1))
    throw UsageError("--validation-fraction is not above 0 and below 1");
}

void check_image_options(const Options& o, const TypedOptions& typed) {
  if (o.images.empty()) {
    throw UsageError(std::string(o.image_labels.empty()
                                     ? "--resize, --background, --apply-orientation, --validation, "
                                       "--validation-fraction and --seed go"
                                     : "--image-labels goes") +
                     " with --images only");
  }
  if (o.output.empty()) throw UsageError("--images needs -o FILE for the data set");
  if (o.validation.empty() && (typed.validation_fraction.is_given() || typed.seed.is_given()))
    throw UsageError("--validation-fraction and --seed go with --validation FILE only");
  try {
    background_of(o.background);
  } catch (const Error& error) {
    throw UsageError("--background: " + std::string(error.what()));
  }
  check_share(o);
  const bool has_other = !o.tokenizer.empty() || !o.terms.empty() || !o.learn.empty() || !o.form.empty() ||
                         !o.recipe.empty() || o.has_header || o.reader.replace_invalid ||
                         o.reader.column > 0 || !o.max_unknown.empty() || typed.length.is_given() ||
                         typed.start.is_given() || typed.end.is_given() || typed.ngrams.is_given() ||
                         typed.size.is_given();
  if (has_other)
    throw UsageError(
        "--images goes with --image-labels, --labels, --resize, --background, --apply-orientation, "
        "--validation "
        "and -o only (see --help)");
}

bool has_image_option(const Options& o, const TypedOptions& typed) {
  return !o.images.empty() || !o.image_labels.empty() || !o.validation.empty() || !o.resize.empty() ||
         typed.background.is_given() || o.applies_orientation || typed.validation_fraction.is_given() ||
         typed.seed.is_given();
}

void resolve_split(Options& o, const TypedOptions& typed) {
  const bool has_other = !o.tokenizer.empty() || !o.terms.empty() || !o.labels.empty() || !o.learn.empty() ||
                         !o.form.empty() || !o.recipe.empty() || !o.images.empty() ||
                         !o.image_labels.empty() || !o.validation.empty() || !o.resize.empty() ||
                         !o.max_unknown.empty() || o.has_header || o.reader.is_csv || !o.check.empty() ||
                         typed.background.is_given() || o.applies_orientation || typed.length.is_given() ||
                         typed.start.is_given() || typed.end.is_given() || typed.ngrams.is_given() ||
                         typed.size.is_given() || typed.block.is_given() || typed.stride.is_given();
  if (has_other)
    throw UsageError("--split goes with --validation-fraction, --seed, --column and -o only (see --help)");
  if (o.output.empty()) throw UsageError("--split needs -o FILE for the other lines");
  check_share(o);
}

// With a recipe the columns are those that it names.
void resolve_csv(Options& o, const TypedOptions& typed) {
  const bool has_other = !o.tokenizer.empty() || !o.terms.empty() || !o.labels.empty() || !o.learn.empty() ||
                         !o.form.empty() || !o.output.empty() || has_image_option(o, typed) ||
                         !o.max_unknown.empty() || o.has_header || typed.length.is_given() ||
                         typed.start.is_given() || typed.end.is_given() || typed.ngrams.is_given() ||
                         typed.size.is_given();
  if (has_other) {
    throw UsageError(
        "--csv goes with --column, --separator, --no-header and --recipe only (pipe its lines on: cut -f1)");
  }
  std::vector<std::string>& columns = o.reader.csv.columns;
  if (o.recipe.empty() || !columns.empty()) return;
  columns = read_recipe(o.recipe, o.scale).data.csv_columns;
  if (columns.empty())
    throw UsageError(o.recipe.string() + ": no data.csv_columns (name them there, or by --column)");
}

// Whether the input is one long text: --block, or --output dataset.
bool is_stream(const Options& o, const TypedOptions& typed) {
  return typed.block.is_given() || (o.form == "dataset" && o.learn.empty() && o.terms.empty());
}

void check_stream_options(Options& o, const TypedOptions& typed) {
  const std::string option = typed.block.is_given() ? "--block" : "--output dataset";
  if (o.tokenizer.empty()) throw UsageError(option + " needs --tokenizer FILE");
  if (typed.block.is_given() && !o.form.empty())
    throw UsageError(
        "--block goes without --output (a file of ids is cut when it is trained on: data.stride)");
  if (typed.length.is_given()) throw UsageError("--length does not go with " + option + " (no line is cut)");
  if (typed.block.is_given()) {
    if (!typed.stride.is_given()) o.stride = o.block;
    if (o.stride > o.block)
      throw UsageError("--stride: " + std::to_string(o.stride) + " is more than " + std::to_string(o.block) +
                       ", the block (it leaves tokens out)");
    if (!o.output.empty()) throw UsageError("-o goes with --output dataset (lines go to standard output)");
    return;
  }
  if (typed.stride.is_given()) throw UsageError("--stride goes with --block only");
  if (o.has_header) throw UsageError("--header goes with id lines only (a file of ids names its vocabulary)");
  if (o.output.empty() || o.output == "-")
    throw UsageError("--output dataset needs -o FILE (its beginning is written last)");
}

}  // namespace

void resolve(Options& o, const TypedOptions& typed) {
  if (!o.split.empty()) return resolve_split(o, typed);
  if (o.reader.is_csv) return resolve_csv(o, typed);
  if (has_image_option(o, typed)) {
    o.chooses_reading = typed.background.is_given() || o.applies_orientation;
    return check_image_options(o, typed);
  }
  cli::check_one_reads_input({{"--recipe -", o.recipe == "-"}, {"the lines", cli::reads_input(o.tokens)}});
  if (o.side != "source" && o.side != "target") {
    throw UsageError("--side: unknown value " + quote(o.side) + " (source or target)");
  }
  if (!o.recipe.empty()) {
    const Recipe recipe = read_recipe(o.recipe, o.scale);
    o.resolved_recipe = recipe;
    const std::int64_t length = kind_of(recipe.model).max_line_ids(recipe.model);
    if (!typed.length.is_given()) o.length = length > 0 ? length : kMaxLength;
    const LineEnds ends = kind_of(recipe.model).line_ends(recipe.model, o.side);
    if (!typed.start.is_given()) o.has_start = ends.start;
    if (!typed.end.is_given()) o.has_end = ends.end;
    if (!typed.ngrams.is_given()) o.ngrams = recipe.terms.ngrams;
    if (!typed.size.is_given()) o.size = recipe.terms.size;
    if (o.form.empty() && (o.learn == "ngrams" || !o.terms.empty())) o.form = recipe.terms.output;
  }
  const auto named = [](const fs::path& path) { return path.empty() ? 0 : 1; };
  if (named(o.tokenizer) + named(o.terms) + named(o.labels) + (o.learn.empty() ? 0 : 1) != 1) {
    throw UsageError(
        "give one of --tokenizer, --terms, --labels, --images, each with a FILE, --learn and --csv (see "
        "--help)");
  }
  if (!is_stream(o, typed) && typed.stride.is_given()) throw UsageError("--stride goes with --block only");
  if (is_stream(o, typed)) {
    check_stream_options(o, typed);
    if (!o.max_unknown.empty()) percent_of(o.max_unknown);
    return;
  }
  o.reader.refuses_tabs = !o.labels.empty() || o.learn == "labels";  // token lines have an error of their own
  if (o.reader.refuses_tabs) o.reader.csv_fix = "make lines of a column of it: vectorize --csv --column NAME";
  if (!o.check.empty() && o.learn != "labels") throw UsageError("--check goes with --learn labels only");
  if (!o.learn.empty()) {
    if (o.learn != "labels" && o.learn != "ngrams" && o.learn != "tf-idf") {
      throw UsageError("--learn: unknown kind " + quote(o.learn) + " (labels, ngrams or tf-idf)");
    }
    if (o.output.empty()) throw UsageError("--learn needs -o FILE for what was learned");
  } else if (!o.output.empty()) {
    throw UsageError("-o goes with --learn and --images only (lines go to standard output)");
  }
  const bool learns_terms = o.learn == "ngrams" || o.learn == "tf-idf";
  if (!learns_terms && (typed.ngrams.is_given() || typed.size.is_given())) {
    throw UsageError("--ngrams and --size go with --learn ngrams and --learn tf-idf only");
  }
  if (!o.max_unknown.empty()) {
    if (o.tokenizer.empty() && o.terms.empty())
      throw UsageError("--max-unknown goes with --tokenizer and --terms only");
    percent_of(o.max_unknown);
  }
  if (!o.form.empty() && o.terms.empty() && !learns_terms) {
    throw UsageError("--output goes with --terms FILE only (learn one with --learn ngrams)");
  }
  const bool makes_ids = !o.tokenizer.empty() || (!o.terms.empty() && o.form == "ids");
  if (makes_ids) {
    if (!typed.length.is_given() && o.recipe.empty()) {
      throw UsageError("--length is missing (the model's number of positions)");
    }
  } else if (typed.length.is_given()) {
    throw UsageError("--length goes with --tokenizer and --output ids only");
  }
  if (o.tokenizer.empty() && (typed.start.is_given() || typed.end.is_given())) {
    throw UsageError("--start and --end go with --tokenizer only");
  }
}

}  // namespace headwater::vectorize
