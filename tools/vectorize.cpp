// vectorize: tokens to ids or bags of words; labels to ids; images to a data set. Manual: tools/vectorize.md.
#include <atomic>
#include <charconv>
#include <filesystem>

#include "cli/line_filter.hpp"
#include "cli/lines.hpp"
#include "cli/result_file.hpp"
#include "cli/tool.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/numbers.hpp"
#include "support/parallel.hpp"
#include "tasks/registry.hpp"
#include "text/csv.hpp"
#include "text/labels.hpp"
#include "text/ngram_vocabulary_learner.hpp"
#include "text/token_lines.hpp"
#include "text/tokenizer.hpp"
#include "tools/vectorize/csv.hpp"
#include "tools/vectorize/images.hpp"
#include "tools/vectorize/stream.hpp"

namespace headwater {
namespace {

struct Options {
  std::vector<std::string> tokens;
  fs::path tokenizer, terms, labels, output, recipe, images, image_labels, validation;
  std::string learn, form, max_unknown, side = "source", scale = "full", resize;
  std::vector<std::string> columns;
  std::string separator = ",";
  std::int64_t length = 0, ngrams = 1, size = 20000, block = 0, stride = 0;
  bool has_start = false, has_end = false, has_header = false;
  bool is_csv = false, has_no_csv_header = false;
  double validation_fraction = vectorize::ImageOptions().validation_fraction;
  std::int64_t seed = 1;
  bool is_quiet = false;
  cli::LineReaderSettings reader;
  int threads = 0;
};

struct TypedOptions {
  cli::Option block, stride, length, start, end, ngrams, size, separator, validation_fraction, seed;
};

struct Command {
  Options options;
  TypedOptions typed;
};

void describe(cli::CommandLine& line, Options& o, TypedOptions& typed) {
  line.add_option("tokens", o.tokens, "token lines from tokenize; - or none: standard input")
      .shown_as("[TOKENS...]")
      .reads();
  line.group("Ids of tokens");
  line.add_option("-t,--tokenizer", o.tokenizer, "the tokenizer.json that made the tokens")
      .shown_as("FILE")
      .reads();
  typed.length =
      line.add_option("-l,--length", o.length, "positions of the model: longer lines are cut").shown_as("L");
  typed.start = line.add_flag("--start", o.has_start, "put the id of [START] before each line");
  typed.end = line.add_flag("--end", o.has_end, "put the id of [END] after each line");
  typed.block = line.add_option("--block", o.block,
                                "all lines are one long text: cut it into lines of N ids and one more")
                    .shown_as("N");
  typed.stride = line.add_option("--stride", o.stride,
                                 "of --block: from the start of one line to that of the next; N where it is "
                                 "not given")
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
  typed.ngrams = line.add_option("--ngrams", o.ngrams, "learn terms of up to N tokens").with_default();
  typed.size = line.add_option("--size", o.size, "learn at most N terms, [UNK] counted").with_default();
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
  line.add_option("--validation", o.validation, "write a share of the images there, the others to -o")
      .shown_as("FILE")
      .writes();
  typed.validation_fraction =
      line.add_option("--validation-fraction", o.validation_fraction, "that share").with_default();
  typed.seed = line.add_option("--seed", o.seed, "draws which images they are").with_default();
  line.group("CSV files");
  line.add_flag("--csv", o.is_csv, "turn CSV files (RFC 4180, with a header) into lines of columns instead");
  typed.separator = line.add_option("--separator", o.separator, "of --csv: what separates fields: ; | tab")
                        .shown_as("C")
                        .with_default();
  line.add_flag("--no-header", o.has_no_csv_header,
                "of --csv: the first record is data; columns are numbers");
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
  line.add_option(
          "--column", o.columns,
          "read this column of each line, from 1; TABs separate columns. Of --csv: its name or number; "
          "repeat it for more")
      .shown_as("N")
      .one_value_each();
  cli::add_threads_option(line, o.threads);
  cli::add_quiet_option(line, o.is_quiet);
}

void check_image_options(const Options& o, const TypedOptions& typed) {
  if (o.images.empty()) {
    throw UsageError(std::string(o.image_labels.empty()
                                     ? "--resize, --validation, --validation-fraction and --seed go"
                                     : "--image-labels goes") +
                     " with --images only");
  }
  if (o.output.empty()) throw UsageError("--images needs -o FILE for the data set");
  if (o.validation.empty() && (typed.validation_fraction.is_given() || typed.seed.is_given()))
    throw UsageError("--validation-fraction and --seed go with --validation FILE only");
  if (!(o.validation_fraction > 0 && o.validation_fraction < 1))
    throw UsageError("--validation-fraction is not above 0 and below 1");
  if (o.seed < 0) throw UsageError("--seed: " + std::to_string(o.seed) + " is negative");
  const bool has_other = !o.tokenizer.empty() || !o.terms.empty() || !o.learn.empty() || !o.form.empty() ||
                         !o.recipe.empty() || o.has_header || o.reader.replace_invalid ||
                         o.reader.column > 0 || !o.max_unknown.empty() || typed.length.is_given() ||
                         typed.start.is_given() || typed.end.is_given() || typed.ngrams.is_given() ||
                         typed.size.is_given();
  if (has_other)
    throw UsageError(
        "--images goes with --image-labels, --labels, --resize, --validation and -o only (see --help)");
}

bool has_image_option(const Options& o, const TypedOptions& typed) {
  return !o.images.empty() || !o.image_labels.empty() || !o.validation.empty() || !o.resize.empty() ||
         typed.validation_fraction.is_given() || typed.seed.is_given();
}

// "5", "0.5%": percent.
double percent_of(const std::string& text) {
  double percent = -1;
  const char* const end = text.data() + text.size() - (text.ends_with('%') ? 1 : 0);
  const auto [stop, error] = std::from_chars(text.data(), end, percent, std::chars_format::fixed);
  if (error != std::errc() || stop != end || !(percent >= 0 && percent <= 100))
    throw UsageError("--max-unknown: " + quote(text) + " is not a percentage from 0 to 100");
  return percent;
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
  if (o.recipe.empty() || !o.columns.empty()) return;
  o.columns = read_recipe(o.recipe, o.scale).data.csv_columns;
  if (o.columns.empty())
    throw UsageError(o.recipe.string() + ": no data.csv_columns (name them there, or by --column)");
}

// Of one long text: --block, or --output dataset.
bool is_stream(const Options& o, const TypedOptions& typed) {
  return typed.block.is_given() || (o.form == "dataset" && o.learn.empty() && o.terms.empty());
}

constexpr std::int64_t kMaxBlock = 1000000;  // as of model.length

void check_stream_options(Options& o, const TypedOptions& typed) {
  const std::string option = typed.block.is_given() ? "--block" : "--output dataset";
  if (o.tokenizer.empty()) throw UsageError(option + " needs --tokenizer FILE");
  if (typed.block.is_given() && !o.form.empty())
    throw UsageError(
        "--block goes without --output (a file of ids is cut when it is trained on: data.stride)");
  if (typed.length.is_given()) throw UsageError("--length does not go with " + option + " (no line is cut)");
  if (typed.block.is_given()) {
    if (o.block < 1 || o.block > kMaxBlock)
      throw UsageError("--block: " + std::to_string(o.block) + " is not in 1 .. " +
                       std::to_string(kMaxBlock));
    if (!typed.stride.is_given()) o.stride = o.block;
    if (o.stride < 1 || o.stride > o.block)
      throw UsageError("--stride: " + std::to_string(o.stride) + " is not in 1 .. " +
                       std::to_string(o.block) + ", the block");
    if (!o.output.empty()) throw UsageError("-o goes with --output dataset (lines go to standard output)");
    return;
  }
  if (typed.stride.is_given()) throw UsageError("--stride goes with --block only");
  if (o.has_header) throw UsageError("--header goes with id lines only (a file of ids names its vocabulary)");
  if (o.output.empty() || o.output == "-")
    throw UsageError("--output dataset needs -o FILE (its beginning is written last)");
}

constexpr std::int64_t kMaxLength = 0x7FFFFFFF;  // also of a model that reads any number of ids

// The command line overrides the recipe.
void resolve(Options& o, const TypedOptions& typed) {
  if (o.is_csv) return resolve_csv(o, typed);
  if (typed.separator.is_given() || o.has_no_csv_header) {
    throw UsageError(std::string(o.has_no_csv_header ? "--no-header" : "--separator") +
                     " goes with --csv only");
  }
  if (o.columns.size() > 1)
    throw UsageError("--column: given " + std::to_string(o.columns.size()) +
                     " times, which goes with --csv only");
  if (!o.columns.empty()) {
    const std::optional<std::int64_t> number = cli::column_number(o.columns.front());
    if (!number) {
      throw UsageError("--column: " + quote(o.columns.front()) +
                       " is not the number of a column (they count from 1; names go with --csv)");
    }
    o.reader.column = *number;
  }
  if (has_image_option(o, typed)) return check_image_options(o, typed);
  cli::check_one_reads_input({{"--recipe -", o.recipe == "-"}, {"the lines", cli::reads_input(o.tokens)}});
  if (o.side != "source" && o.side != "target") {
    throw UsageError("--side: unknown value " + quote(o.side) + " (source or target)");
  }
  if (!o.recipe.empty()) {
    const Recipe recipe = read_recipe(o.recipe, o.scale);
    const std::int64_t length = task_of(recipe.model).max_line_ids(recipe.model);
    if (!typed.length.is_given()) o.length = length > 0 ? length : kMaxLength;
    const LineEnds ends = task_of(recipe.model).line_ends(recipe.model, o.side);
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
    if (o.length < 1 || o.length > kMaxLength) {
      throw UsageError("--length: " + std::to_string(o.length) + " is not in 1 .. " +
                       std::to_string(kMaxLength));
    }
  } else if (typed.length.is_given()) {
    throw UsageError("--length goes with --tokenizer and --output ids only");
  }
  if (o.tokenizer.empty() && (typed.start.is_given() || typed.end.is_given())) {
    throw UsageError("--start and --end go with --tokenizer only");
  }
}

void note_truncated(const Options& o, std::uint64_t cut, std::uint64_t all, std::size_t max_length) {
  if (o.is_quiet || cut == 0) return;
  const auto count = static_cast<std::int64_t>(cut);
  cli::note(format_count(count) + " of " + counted(static_cast<std::int64_t>(all), "line") +
            (count == 1 ? " was" : " were") + " truncated to " +
            counted(static_cast<std::int64_t>(max_length), "id"));
}

// Says how many tokens are unknown; an error where they are more than is allowed.
void report_unknown(const Options& o, const TokenCounts& counts) {
  const double unknown = static_cast<double>(counts.unknown), tokens = static_cast<double>(counts.tokens);
  if (!o.max_unknown.empty() && unknown * 100 > tokens * percent_of(o.max_unknown)) {
    const ColumnTokenCounts column{"", counts};
    throw Error(cli::unknown_tokens(std::span(&column, 1)) + ", more than --max-unknown " + o.max_unknown +
                " (learn the tokenizer or the terms from text like this)");
  }
  if (!o.is_quiet) cli::note_unknown_tokens(counts);
}

void append_number(std::string& out, std::int64_t number) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

std::string header(const std::string& hash, std::int64_t size, std::int64_t pad) {
  return "#ids v1 vocab=" + hash.substr(0, 16) + " size=" + std::to_string(size) +
         " pad=" + std::to_string(pad);
}

void learn_labels(const Options& o) {
  cli::check_result_file(o.output);
  cli::LineReader reader(o.tokens, o.reader);
  reader.show_progress(o.is_quiet, cli::LineReader::Writes::at_the_end);
  WordTable counts;
  std::string_view line;
  while (reader.next(line)) {
    const std::string_view label = trimmed_label(line);
    if (!label.empty()) ++counts.value(label);
  }
  const LabelSet set = LabelSet::learn(counts);
  cli::write_result_file(o.output, set.to_text());
  if (o.is_quiet) return;
  reader.note_dropped();
  cli::note(o.output.string() + ": " + counted(set.size(), "label"));
  for (const std::vector<std::string>& group : near_duplicates(set.labels())) {
    std::string names;
    for (const std::string& label : group) names += (names.empty() ? "" : ", ") + quote(label);
    cli::note(o.output.string() + ": labels that differ in case or white space only: " + names);
  }
}

void write_label_ids(const Options& o) {
  const LabelSet set = LabelSet::load(o.labels);
  cli::LineReader reader(o.tokens, o.reader);
  reader.show_progress(o.is_quiet);
  cli::LineWriter writer;
  if (o.has_header) writer.line(header(set.hash(), set.size(), -1));
  cli::filter_lines(reader, writer, [&](std::string_view line, std::string& out) {
    if (!trimmed_label(line).empty()) {
      const std::int32_t id = set.find(line);
      if (id < 0) {
        const std::string cure = csv_cure(line, 2);
        throw Error(" the label " + quote(line) + " is not in " + o.labels.string() +
                    " (known: " + set.shown() + "; " +
                    (cure.empty() ? "--learn labels makes a set of all that occur" : cure) + ")");
      }
      append_number(out, id);
    }
    out.push_back('\n');
  });
  if (!o.is_quiet) reader.note_dropped();
}

struct LineWorker {
  const Tokenizer& tokenizer;
  SpecialIds special;
  std::size_t max_length;  // special ones counted
  bool has_start, has_end;

  // Appends the ids of the line; returns whether ids were cut off. An empty line stays empty. `counts` are of
  // the tokens that were kept.
  bool operator()(std::string_view line, std::string& out, TokenCounts& counts) const {
    std::string scratch;
    std::size_t count = 0;
    const auto add = [&](std::int32_t id) {
      if (count < max_length) {
        if (count != 0) out.push_back(' ');
        append_number(out, id);
      }
      ++count;
    };
    for_each_token_of_line(line, scratch, [&](std::string_view token) {
      if (count == 0 && has_start) add(tokenizer.start_id());
      const std::int32_t id = tokenizer.id_of_token(token);
      if (count < max_length) counts.add(std::span(&id, 1), special);
      add(id);
    });
    if (count != 0 && has_end) add(tokenizer.end_id());
    return count > max_length;
  }
};

Tokenizer load_tokenizer(const Options& o) {
  Tokenizer tokenizer = Tokenizer::load(o.tokenizer);
  if (!o.is_quiet) {
    for (const std::string& warning : tokenizer.warnings()) cli::note(warning);
  }
  if ((o.has_start && tokenizer.start_id() < 0) || (o.has_end && tokenizer.end_id() < 0)) {
    throw Error(o.tokenizer.string() +
                ": has no [START] and [END] (learn it with tokenize --learn ... --start-end)");
  }
  return tokenizer;
}

void write_id_stream(const Options& o) {
  const Tokenizer tokenizer = load_tokenizer(o);
  const std::string first_line =
      o.has_header ? header(tokenizer.hash(), tokenizer.vocabulary_size(), tokenizer.pad_id()) : "";
  report_unknown(o, vectorize::write_stream({.tokens = o.tokens,
                                             .block = o.block,
                                             .stride = o.stride,
                                             .output = o.output,
                                             .has_start = o.has_start,
                                             .has_end = o.has_end,
                                             .is_quiet = o.is_quiet,
                                             .header = first_line,
                                             .reader = o.reader},
                                            tokenizer));
}

void write_ids(const Options& o) {
  const Tokenizer tokenizer = load_tokenizer(o);
  // A target holds one id more than the model has positions: all but the last are read, all but the first
  // predicted.
  const std::size_t max_length = static_cast<std::size_t>(o.length) + (o.has_start && o.has_end ? 1 : 0);
  cli::LineReader reader(o.tokens, o.reader);
  reader.show_progress(o.is_quiet);
  cli::LineWriter writer;
  if (o.has_header) writer.line(header(tokenizer.hash(), tokenizer.vocabulary_size(), tokenizer.pad_id()));
  const LineWorker worker{tokenizer, tokenizer.special_ids(), max_length, o.has_start, o.has_end};
  std::atomic<std::uint64_t> all_lines = 0, truncated_lines = 0;
  std::atomic<std::int64_t> tokens = 0, unknown = 0;
  cli::filter_lines(reader, writer, [&](std::string_view line, std::string& out) {
    TokenCounts counts;
    truncated_lines += worker(line, out, counts) ? 1 : 0;
    tokens += counts.tokens;
    unknown += counts.unknown;
    ++all_lines;
    out.push_back('\n');
  });
  if (!o.is_quiet) reader.note_dropped();
  note_truncated(o, truncated_lines, all_lines, max_length);
  report_unknown(o, {tokens, unknown});
}

// --- Bags of words -----------------------------------------------------------------------------------------

TermOutput form_of(const Options& o, TermOutput otherwise) {
  if (o.form.empty()) return otherwise;
  try {
    return parse_term_output(o.form);
  } catch (const UsageError& error) {
    throw UsageError(std::string("--output: ") + error.what());
  }
}

void learn_terms(const Options& o) {
  const TermOutput form = form_of(o, o.learn == "tf-idf" ? TermOutput::tf_idf : TermOutput::multi_hot);
  NgramVocabularyLearner learner({.ngrams = o.ngrams, .output = form}, o.size);
  cli::check_result_file(o.output);
  cli::LineReader reader(o.tokens, o.reader);
  reader.show_progress(o.is_quiet, cli::LineReader::Writes::at_the_end);
  cli::LineWriter none;
  cli::filter_lines(reader, none, [&](std::string_view line, std::string&) { learner.add(line); });
  NgramVocabularyLearner::Summary summary;
  const NgramVocabulary table = learner.finish(&summary);
  cli::write_result_file(o.output, table.to_text());
  if (!o.is_quiet) reader.note_dropped();
  if (o.is_quiet) return;
  const auto number = [](std::uint64_t n) { return static_cast<std::int64_t>(n); };
  cli::note(o.output.string() + ": " + counted(table.size(), "term") + " of " +
            counted(number(summary.distinct), "distinct n-gram") + "; they cover " +
            format_count(number(summary.covered)) + " of " + format_count(number(summary.ngrams)) + " in " +
            counted(number(summary.documents), "line"));
}

// The ids of the row's n-grams one by one, as the framework's integer mode has them; returns whether some
// were cut off.
bool append_ngram_ids(const NgramVocabulary& table, const TokenRow& row, std::size_t most, std::string& out) {
  std::size_t count = 0;
  for_each_ngram(row, static_cast<std::size_t>(table.settings().ngrams), [&](std::string_view ngram) {
    if (count < most) {
      if (count != 0) out.push_back(' ');
      append_number(out, table.find(ngram) + 1);
    }
    ++count;
  });
  return count > most;
}

void write_terms(const Options& o) {
  const NgramVocabulary table = NgramVocabulary::load(o.terms);
  const TermOutput form = form_of(o, table.settings().output);
  if (form == TermOutput::ids && o.length < 1) {
    throw UsageError("--length is missing (" + o.terms.string() + " is for ids)");
  }
  cli::LineReader reader(o.tokens, o.reader);
  reader.show_progress(o.is_quiet);
  cli::LineWriter writer;
  const bool has_pad = form == TermOutput::ids;
  if (o.has_header) writer.line(header(table.hash(), table.size() + (has_pad ? 1 : 0), has_pad ? 0 : -1));
  const auto most = static_cast<std::size_t>(o.length);
  std::atomic<std::uint64_t> all_lines = 0, truncated_lines = 0;
  std::atomic<std::int64_t> tokens = 0, unknown = 0;
  cli::filter_lines(reader, writer, [&](std::string_view line, std::string& out) {
    TokenRow row;
    row.read(line);
    const TokenCounts counts = table.counts(row);
    tokens += counts.tokens;
    unknown += counts.unknown;
    if (form == TermOutput::ids) {
      truncated_lines += append_ngram_ids(table, row, most, out) ? 1 : 0;
    } else {
      std::vector<TermValue> values;
      table.values(row, form, values);
      append_term_values(out, values, form);
    }
    ++all_lines;
    out.push_back('\n');
  });
  if (!o.is_quiet) reader.note_dropped();
  note_truncated(o, truncated_lines, all_lines, most);
  report_unknown(o, {tokens, unknown});
}

void run(const Options& o) {
  if (o.is_csv) {
    vectorize::write_csv_columns({.files = o.tokens,
                                  .columns = o.columns,
                                  .separator = o.separator,
                                  .has_header = !o.has_no_csv_header,
                                  .reader = o.reader,
                                  .is_quiet = o.is_quiet});
  } else if (!o.images.empty()) {
    std::vector<fs::path> images{o.images};
    images.insert(images.end(), o.tokens.begin(), o.tokens.end());
    const auto [height, width] = vectorize::image_sides(o.resize);
    vectorize::write_images({.images = std::move(images),
                             .labels = o.image_labels,
                             .label_names = o.labels,
                             .output = o.output,
                             .validation = o.validation,
                             .height = height,
                             .width = width,
                             .validation_fraction = o.validation_fraction,
                             .seed = static_cast<std::uint64_t>(o.seed),
                             .is_quiet = o.is_quiet});
  } else if (o.learn == "labels") {
    learn_labels(o);
  } else if (!o.learn.empty()) {
    learn_terms(o);
  } else if (!o.labels.empty()) {
    write_label_ids(o);
  } else if (!o.terms.empty()) {
    write_terms(o);
  } else if (o.block > 0 || o.form == "dataset") {
    write_id_stream(o);
  } else {
    write_ids(o);
  }
}

}  // namespace
}  // namespace headwater

int main(int argc, char** argv) {
  using namespace headwater;
  return cli::tool_main<Command>(
      argc, argv,
      {"vectorize",
       "turn token lines into id lines or bags of words, labels into ids, images into a data set",
       "cut -f1 train.tsv | tokenize --tokenizer en.json | vectorize --tokenizer en.json --length 20 > "
       "en.ids\n"
       "cut -f2 train.tsv | tokenize --tokenizer es.json | vectorize --tokenizer es.json --length 20 --start "
       "--end > es.ids\n"
       "cut -f2 reviews.tsv | vectorize --learn labels -o labels.txt\n"
       "cut -f1 reviews.tsv | tokenize --tokenizer en.json | vectorize --learn tf-idf --ngrams 2 -o "
       "terms.tsv\n"
       "cut -f1 reviews.tsv | tokenize --tokenizer en.json | vectorize --terms terms.tsv > reviews.bags\n"
       "vectorize --csv --column text --column label reviews.csv > reviews.tsv\n"
       "vectorize --images train-images.idx --image-labels train-labels.idx -o train.safetensors\n"
       "vectorize --images photos --resize 64x64 -o train.safetensors --validation validation.safetensors\n"
       "vectorize --images data_batch_*.bin --labels batches.meta.txt -o train.safetensors --validation "
       "validation.safetensors"},
      [](cli::CommandLine& line, Command& c) { describe(line, c.options, c.typed); },
      [](const Command& c) {
        Options options = c.options;
        resolve(options, c.typed);
        ThreadPool(options.threads).run([&] { run(options); });
      });
}
