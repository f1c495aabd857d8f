// tokenize: learns a tokenizer; splits text into tokens; joins tokens back. Manual: tools/tokenize.md.
#include <algorithm>
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
#include "text/token_lines.hpp"
#include "text/tokenizer.hpp"
#include "text/tokenizer_learner.hpp"

namespace headwater {
namespace {

struct Options {
  std::vector<std::string> texts;
  fs::path tokenizer, output, recipe;
  std::string side = "source", scale = "full";
  std::vector<std::string> csv_columns;  // of the recipe
  TokenizerSettings learn;               // the defaults of recipes are those of the tool
  bool is_learning = false, has_start_end = false;
  bool is_decoding = false, is_checking = false;
  bool is_quiet = false;
  cli::LineReaderSettings reader;
  int threads = 0;
};

// The options that a recipe gives defaults for, to see which of them were typed.
struct TypedOptions {
  cli::Option learn, size, standardize, lower, split_punctuation, start_end;
};

struct Command {
  Options options;
  TypedOptions typed;
};

void describe(cli::CommandLine& line, Options& o, TypedOptions& typed) {
  line.add_option("text", o.texts, "text files, one example a line; - or none: standard input")
      .shown_as("[TEXT...]")
      .reads();
  line.group("Tokens");
  line.add_option("-t,--tokenizer", o.tokenizer, "split text with this tokenizer.json; - is standard input")
      .shown_as("FILE")
      .reads();
  line.add_flag("--decode", o.is_decoding, "join token lines back to text");
  line.add_flag("--check", o.is_checking,
                "check that joining the tokens of each line gives its standardised text");
  line.group("A tokenizer to learn");
  typed.learn = line.add_option("--learn", o.learn.kind, "learn a tokenizer from the text: word or character")
                    .values(0, 1)
                    .shown_as("KIND");
  typed.size = line.add_option("--size", o.learn.size, "maximum number of tokens, special ones counted")
                   .with_default();
  line.group("Output");
  line.add_option("-o,--output", o.output, "where the learned tokenizer.json goes; - is standard output")
      .shown_as("FILE")
      .writes();
  line.group("A tokenizer to learn");
  typed.standardize = line.add_option("--standardize", o.learn.standardize,
                                      "lower_and_strip_punctuation, lower, strip_punctuation, none, or "
                                      "unicode_punctuation: typographic quotes and dashes are stripped too")
                          .with_default();
  typed.lower =
      line.add_option("--lower", o.learn.lower, "what is lower-cased: ascii or unicode").with_default();
  typed.split_punctuation = line.add_flag(
      "--split-punctuation", o.learn.split_punctuation,
      "of words: keep punctuation, as tokens of its own, and case unless --standardize lower is given");
  typed.start_end =
      line.add_flag("--start-end", o.has_start_end, "add [START] and [END] (a translator's target side)");
  line.add_option("-r,--recipe", o.recipe, "take what is to be learned from a recipe")
      .shown_as("FILE")
      .reads();
  line.add_option("--side", o.side, "of the recipe: source or target").with_default();
  line.add_option("--scale", o.scale, "of the recipe: full, or quick: its cut-down version").with_default();
  line.group("Input");
  cli::add_replace_invalid_option(line, o.reader);
  cli::add_column_option(line, o.reader);
  cli::add_threads_option(line, o.threads);
  cli::add_quiet_option(line, o.is_quiet);
}

SplitKind parse_kind(const std::string& kind, bool splits_punctuation) {
  if (kind == "word") return splits_punctuation ? SplitKind::word_and_punctuation : SplitKind::word;
  if (kind != "character") throw UsageError("--learn: unknown kind " + quote(kind) + " (word or character)");
  if (splits_punctuation) throw UsageError("--split-punctuation is for --learn word");
  return SplitKind::character;
}

// The command line overrides the recipe, the recipe the defaults.
void resolve(Options& o, const TypedOptions& typed) {
  o.reader.refuses_tabs = !o.is_decoding;  // a TAB in a token line has an error of its own
  cli::check_one_reads_input({{"--recipe -", o.recipe == "-"},
                              {"--tokenizer -", o.tokenizer == "-"},
                              {"the text", cli::reads_input(o.texts)}});
  if (o.side != "source" && o.side != "target") {
    throw UsageError("--side: unknown value " + quote(o.side) + " (source or target)");
  }
  o.is_learning = typed.learn.is_given() || (!o.recipe.empty() && !o.output.empty());
  if (!o.recipe.empty()) {
    const Recipe recipe = read_recipe(o.recipe, o.scale);
    const TokenizerSettings& section = o.side == "target" ? recipe.target_tokenizer : recipe.source_tokenizer;
    o.csv_columns = recipe.data.csv_columns;
    if (!typed.learn.is_given() || o.learn.kind.empty()) o.learn.kind = section.kind;
    if (!typed.size.is_given()) o.learn.size = section.size;
    if (!typed.standardize.is_given()) o.learn.standardize = section.standardize;
    if (!typed.lower.is_given()) o.learn.lower = section.lower;
    if (!typed.split_punctuation.is_given()) o.learn.split_punctuation = section.split_punctuation;
    if (!typed.start_end.is_given()) o.has_start_end = o.side == "target";
  }
  if (typed.split_punctuation.is_given()) {
    const bool strips = StandardizeSettings{parse_standardization(o.learn.standardize)}.strips();
    if (strips && typed.standardize.is_given()) {
      throw UsageError("--split-punctuation goes with --standardize none or lower (" + o.learn.standardize +
                       " strips what is to be split)");
    }
    if (strips) o.learn.standardize = name_of(Standardization::none);
  }
  if (o.is_learning) {
    if (!o.tokenizer.empty())
      throw UsageError("--learn and --tokenizer do not go together (learn first, then use)");
    if (o.output.empty()) throw UsageError("--learn needs -o FILE for the tokenizer");
    if (o.is_decoding || o.is_checking) throw UsageError("--learn goes with neither --decode nor --check");
  } else {
    if (o.tokenizer.empty()) {
      throw UsageError(
          "what to do? (--tokenizer FILE to split text, --learn KIND -o FILE to learn; see --help)");
    }
    if (!o.output.empty()) throw UsageError("-o goes with --learn only (tokens go to standard output)");
    for (const auto& [option, name] : {std::pair{typed.size, "--size"},
                                       {typed.standardize, "--standardize"},
                                       {typed.lower, "--lower"},
                                       {typed.split_punctuation, "--split-punctuation"},
                                       {typed.start_end, "--start-end"}}) {
      if (option.is_given()) {
        throw UsageError(std::string(name) + " goes with --learn only (" + o.tokenizer.string() +
                         " stays what was learned)");
      }
    }
    if (o.is_decoding && o.is_checking) throw UsageError("--decode and --check do not go together");
  }
}

// Whether the line is a header of CSV with all of these columns; of no columns it is none.
bool names_columns(std::string_view line, const std::vector<std::string>& columns) {
  if (columns.empty() || line.find('\t') != line.npos) return false;
  for (const char separator : {',', ';', '|'}) {
    try {
      CsvParser parser("", separator);
      if (!parser.add_line(line)) continue;
      const auto has = [&](const std::string& column) {
        for (std::size_t i = 0; i < parser.fields(); ++i) {
          if (trimmed_label(parser.field(i)) == column) return true;
        }
        return false;
      };
      if (parser.fields() > 1 && std::all_of(columns.begin(), columns.end(), has)) return true;
    } catch (const Error&) {  // no CSV
    }
  }
  return false;
}

void learn(const Options& o) {
  cli::check_result_file(o.output);
  TokenizerLearner learner({.split = parse_kind(o.learn.kind, o.learn.split_punctuation),
                            .size = o.learn.size,
                            .standardize = {.standardize = parse_standardization(o.learn.standardize),
                                            .lower = parse_lowering(o.learn.lower)},
                            .has_start_end = o.has_start_end});
  constexpr std::size_t kBlockBytes = std::size_t{4} << 20;
  cli::LineReader reader(o.texts, o.reader);
  reader.show_progress(o.is_quiet, cli::LineReader::Writes::at_the_end);
  std::string block;
  std::string_view line;
  bool is_first = true;
  // A header is not told by columns that are numbers; the first lines then are.
  constexpr std::int64_t kLooked = 10;
  std::int64_t looked = 0, of_csv = 0;
  while (reader.next(line)) {
    if (!o.csv_columns.empty() && looked < kLooked) {
      ++looked;
      of_csv += csv_separator(line, o.csv_columns.size()) != 0 ? 1 : 0;
    }
    if (is_first && names_columns(line, o.csv_columns)) {
      throw Error(reader.place() +
                  ": the header of a CSV file, where text is wanted (make columns of it first: vectorize " +
                  "--csv --recipe " + o.recipe.string() + " FILE | cut -f N)");
    }
    is_first = false;
    block += line;
    block.push_back('\n');
    if (block.size() >= kBlockBytes) {
      learner.add(block);
      block.clear();
    }
  }
  learner.add(block);
  if (!o.is_quiet && looked > 1 && of_csv == looked) {
    cli::note("the text looks like CSV (make columns of it first: vectorize --csv --recipe " +
              o.recipe.string() + " FILE | cut -f N)");
  }
  if (!o.is_quiet) reader.note_dropped();
  TokenizerLearner::Summary summary;
  const Tokenizer tokenizer = learner.finish(&summary);
  cli::write_result_file(o.output, tokenizer.to_json());
  if (!o.is_quiet) {
    cli::note(o.output.string() + ": " + counted(tokenizer.vocabulary_size(), "token") + "; " +
              counted(static_cast<std::int64_t>(summary.distinct), "different one") + " in the text, " +
              format_percent(static_cast<std::int64_t>(summary.covered),
                             static_cast<std::int64_t>(summary.tokens)) +
              " of " + format_count(static_cast<std::int64_t>(summary.tokens)) + " are in the vocabulary");
  }
}

// Runs of the white space that separates words become one space, none at the ends.
std::string collapsed(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (!is_ascii_space(static_cast<unsigned char>(c))) {
      out.push_back(c);
    } else if (!out.empty() && out.back() != ' ') {
      out.push_back(' ');
    }
  }
  if (out.ends_with(' ')) out.pop_back();
  return out;
}

std::string text_of_tokens(const Tokenizer& tokenizer, std::string_view token_line) {
  return tokenizer.join(tokens_of_line(token_line));
}

void check_line(const Tokenizer& tokenizer, std::string_view line) {
  std::string tokens;
  tokenizer.for_each_token(line, [&](std::string_view token) { append_token(tokens, 0, token); });
  const std::string back = collapsed(text_of_tokens(tokenizer, tokens));
  const std::string expected = collapsed(tokenizer.normalize(line));
  if (back != expected) throw Error(" decoding gives " + quote(back) + ", not " + quote(expected));
}

// Text to token lines, or token lines to text (--decode), or nothing but a look at each line (--check).
void convert(const Options& o) {
  const Tokenizer tokenizer = o.tokenizer == "-" ? Tokenizer::parse(read_any_file("-", kMaxTextFile), "-")
                                                 : Tokenizer::load(o.tokenizer);
  if (!o.is_quiet) {
    for (const std::string& warning : tokenizer.warnings()) cli::note(warning);
  }
  cli::LineReader reader(o.texts, o.reader);
  using Writes = cli::LineReader::Writes;
  reader.show_progress(o.is_quiet, o.is_checking ? Writes::at_the_end : Writes::meanwhile);
  cli::LineWriter writer;
  cli::filter_lines(reader, writer, [&](std::string_view line, std::string& out) {
    if (o.is_checking) {
      check_line(tokenizer, line);
      return;
    }
    if (o.is_decoding) {
      out += text_of_tokens(tokenizer, line);
    } else {
      const std::size_t begin = out.size();
      tokenizer.for_each_token(line, [&](std::string_view token) { append_token(out, begin, token); });
    }
    out.push_back('\n');
  });
  if (!o.is_quiet) reader.note_dropped();
}

}  // namespace
}  // namespace headwater

int main(int argc, char** argv) {
  using namespace headwater;
  return cli::tool_main<Command>(
      argc, argv,
      {"tokenize", "learn a tokenizer; split text into tokens; join tokens back",
       "tokenize --learn word --size 15000 -o en.json train.en\n"
       "cut -f1 train.tsv | tokenize --tokenizer en.json > train.tokens\n"
       "tokenize --tokenizer en.json --decode train.tokens"},
      [](cli::CommandLine& line, Command& c) { describe(line, c.options, c.typed); },
      [](const Command& c) {
        Options options = c.options;
        resolve(options, c.typed);
        ThreadPool(options.threads).run([&] { options.is_learning ? learn(options) : convert(options); });
      });
}
