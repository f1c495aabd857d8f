// tokenize: learns a tokenizer; splits text into tokens; joins tokens back. Manual: tools/tokenize.md.
#include "tools/tokenize/tokenize.hpp"

#include <utility>

#include "cli/result_file.hpp"
#include "cli/tool.hpp"
#include "families/registry.hpp"
#include "support/error.hpp"
#include "support/name_list.hpp"
#include "support/parallel.hpp"
#include "support/split.hpp"
#include "text/tokenizer/tokenizer_json.hpp"
#include "text/unicode/standardize.hpp"

namespace headwater::tokenize {
namespace {

// The options that a recipe gives defaults for, to see which of them were typed.
struct TypedOptions {
  cli::Option learn, size, standardize, lower, split_punctuation, start_end, special, symbols, text_template,
      min_frequency, suffix, coverage, recipe, output;
  std::vector<cli::Option> of_learning = {};  // what a tokenizer has once it is learned

  bool is_learning() const { return learn.is_given() || (recipe.is_given() && output.is_given()); }
};

// What only a tokenizer to learn has.
constexpr std::string_view kOfLearning =
    "--size --standardize --lower --split-punctuation --min-frequency --end-of-word-suffix "
    "--character-coverage --special --user-defined-symbols --template --start-end --counts --merge";

// Which options go together: a tokenizer is learned, or it splits text.
void add_rules(cli::CommandLine& line, const TypedOptions& typed) {
  line.condition(
      "learning", [&typed] { return typed.is_learning(); }, "--learn");
  line.condition(
      "splitting", [&typed] { return !typed.is_learning(); }, "--tokenizer");
  line.goes_without("--tokenizer", "learning", "learn first, then use");
  line.goes_with(kOfLearning, "learning", "a tokenizer stays what was learned");
  line.goes_with("--recipe --columns", "learning", "a tokenizer stays what was learned");
  line.goes_with("--output", "learning", "tokens go to standard output");
  line.goes_with("--show --dropout --alpha --seed --sentences --line-ends --decode --check", "splitting",
                 "a tokenizer learns from lines of text");
  line.needs("--learn", "--output --counts", "for the tokenizer");
  line.needs("--merge", "text", "the files that --counts wrote");
  line.goes_without("--counts", "--output --merge", "count first, then merge");
  line.goes_without("--size --min-frequency --start-end", "--counts",
                    "counts are of any: give it to --merge");
  line.goes_without("--column", "--columns");
  line.goes_without("--csv", "--decode --merge", "their lines are no text");
  line.goes_without("--dropout", "--alpha", "one is for BPE, the other for Unigram");
  line.goes_without("--dropout --alpha --line-ends", "--decode --check");
  line.goes_without("--sentences", "--decode --check --line-ends --dropout --alpha");
  line.goes_without("--show", "--decode --check", "they write no tokens");
  line.goes_without("--decode", "--check");
  line.goes_with("--seed", "--dropout --alpha");
  line.goes_with("--side --scale", "--recipe");
  line.needs_any("--tokenizer learning",
                 "what to do? (--tokenizer FILE to split text, --learn KIND -o FILE to learn; see --help)");
}

struct Command {
  Options options;
  TypedOptions typed;
};

void describe(cli::CommandLine& line, Options& o, TypedOptions& typed) {
  line.add_option("text", o.texts, "text files, one example a line; - or none: standard input")
      .shown_as("[TEXT...]")
      .reads_lines("the text");
  line.group("Tokens");
  line.add_option("-t,--tokenizer", o.tokenizer,
                  "split text with this `tokenizer.json`, or a [file or directory of another "
                  "layout](#tokenizerjson); - is standard input, and TEXT are then files")
      .reads();
  line.add_flag("--line-ends", o.has_line_ends,
                "the end of each line is text, too, and becomes tokens, for lines that are parts of one text "
                "(`vectorize --block`, `--output dataset`); only of tokenizers of bytes");
  line.add_flag("--sentences", o.has_sentences,
                "each line is a document: write a line for each of its sentences, and an empty one after the "
                "last ([below](#token-lines))");
  line.add_option("--show", o.show,
                  "token lines (default), which `vectorize` and --decode read, or text for people "
                  "([below](#token-lines))")
      .one_of({"tokens", "text"});
  line.add_flag("--decode", o.is_decoding,
                "join token lines to text: words by one space, characters by nothing, words and punctuation "
                "as they were");
  line.add_flag("--check", o.is_checking,
                "no output: each line's tokens, joined, must equal the line, or the standardised line; the "
                "first difference ends the program with status 1 ([below](#token-lines))");
  line.add_option("--dropout", o.dropout,
                  "of BPE: skip each merge with probability P, as `training.subword_sampling.dropout` does; "
                  "1 leaves characters or bytes")
      .between(0, 1)
      .shown_as("P");
  line.add_option("--alpha", o.alpha,
                  "of Unigram: draw a segmentation with its probability to the power A, as "
                  "`training.subword_sampling.alpha` does; 0 takes the best")
      .between(0, 1000)
      .shown_as("A");
  line.add_option(
          "--seed", o.seed,
          "of --dropout and --alpha: what is drawn depends on it and the number of the line, not on threads")
      .with_default();
  line.group("A tokenizer to learn");
  typed.learn =
      line.add_option("--learn", o.learn.kind, "learn a tokenizer from the text ([below](#what-is-learned))")
          .values(0, 1)
          .one_of(learned_kinds());
  typed.size = line.add_option("--size", o.learn.size,
                               "maximum number of tokens, special ones counted; of `subword_text_encoder` "
                               "the number aimed at, start and end not counted")
                   .between(1, 0x7FFFFFFF)
                   .with_default();
  line.group("Output");
  typed.output = line.add_option("-o,--output", o.output,
                                 "where the learned tokenizer goes; - is standard output. A name that ends "
                                 "in `.subwords` gets a SubwordTextEncoder's own form")
                     .writes();
  line.add_option("--counts", o.counts,
                  "count the pieces of the text only: [parts](#parts-counted-apart) of a corpus on several "
                  "machines; - is standard output")
      .writes();
  line.group("A tokenizer to learn");
  line.add_flag("--merge", o.is_merging, "TEXT are files of --counts, learned from together");
  typed.min_frequency = line.add_option("--min-frequency", o.learn.min_frequency,
                                        "of " + joined(learned_kinds(&Kind::has_min_frequency)) +
                                            ": merge pairs that occur at least this often")
                            .between(1, 1e9)
                            .with_default();
  typed.coverage =
      line.add_option(
              "--character-coverage", o.learn.character_coverage,
              "of `unigram`: the share of the text's characters that have a piece; the others are [UNK]")
          .between(0.5, 1)
          .with_default();
  typed.suffix = line.add_option("--end-of-word-suffix", o.learn.end_of_word_suffix,
                                 "of `bpe`: the end of the last token of a word, as `</w>` (none: U+2581 "
                                 "stands for the space before a word)")
                     .shown_as("TEXT");
  typed.standardize = line.add_option("--standardize", o.learn.standardize,
                                      "what is done to text first ([below](#what-is-learned)); by default "
                                      "the first for words and characters, none for subwords")
                          .offers({"lower_and_strip_punctuation", "lower", "strip_punctuation", "none",
                                   "unicode_punctuation", "lower_and_set_off_punctuation"});
  typed.lower = line.add_option("--lower", o.learn.lower,
                                "what is lower-cased: A-Z, or every code point, each alone; for subwords it "
                                "means `--standardize lower`")
                    .offers({"ascii", "unicode"})
                    .with_default();
  typed.split_punctuation = line.add_flag(
      "--split-punctuation", o.learn.split_punctuation,
      "of words: keep punctuation, as separate tokens, and case unless `--standardize lower` is given");
  typed.start_end = line.add_flag("--start-end", o.learn.has_start_end,
                                  "add [START] and [END], which the target side of a translator needs");
  typed.special = line.add_option("--special", o.learn.special,
                                  "add this special token, as [SEP], which no text gives; may be given again")
                      .shown_as("TOKEN")
                      .one_value_each();
  typed.symbols = line.add_option("--user-defined-symbols", o.learn.user_defined_symbols,
                                  "this text, as `<br>`, is always one token, wherever a text has it, before "
                                  "it is standardized; may be given again; not of `subword_text_encoder`")
                      .shown_as("TEXT")
                      .one_value_each();
  typed.text_template =
      line.add_option("--template", o.learn.text_template,
                      "bert: add [CLS], [SEP] and [MASK], and say in the file that a model reads [CLS] text "
                      "[SEP], of pairs [CLS] text [SEP] text [SEP]; not of `subword_text_encoder`")
          .one_of({"none", "bert"})
          .note("not with --start-end");
  typed.recipe = line.add_option("-r,--recipe", o.recipe,
                                 "take what is to be learned from a recipe's `source_tokenizer` or "
                                 "`target_tokenizer`, with the special tokens that its model needs "
                                 "([below](#what-is-learned)); with -o it stands for --learn. The command "
                                 "line overrides the recipe")
                     .reads();
  line.add_option("--side", o.side, "of the recipe").one_of({"source", "target"}).with_default();
  line.add_option("--scale", o.scale, "of the recipe: quick is its cut-down version")
      .offers({"full", "quick"})
      .with_default();
  line.group("Input");
  cli::add_replace_invalid_option(line, o.reader);
  cli::add_column_options(line, o.reader);
  line.add_option("--columns", o.columns,
                  "learn from these columns of each line together: one vocabulary for all; with --csv names "
                  "or numbers")
      .list(',')
      .shown_as("N,N...");
  cli::add_threads_option(line, o.threads);
  cli::add_quiet_option(line, o.is_quiet);
  add_rules(line, typed);
  for (const std::string_view name : split(kOfLearning, ' ')) typed.of_learning.push_back(line.option(name));
  typed.of_learning.push_back(typed.learn);
}

// The command line overrides the recipe, the recipe the defaults.
void take_from_recipe(Options& o, const TypedOptions& typed) {
  const Recipe recipe = read_recipe(o.recipe, o.scale);
  const TokenizerSettings& section = o.side == "target" ? recipe.target_tokenizer : recipe.source_tokenizer;
  const TokenizerToLearn wanted = tokenizer_to_learn(recipe, o.side);
  o.csv_columns = recipe.data.csv_columns;
  o.taken_from = family_of(recipe.model).line_form(recipe.model).tokenizer_from;
  if (!typed.learn.is_given() || o.learn.kind.empty()) o.learn.kind = section.kind;
  const bool is_other_kind = o.learn.kind != section.kind;  // whose standardisation is its own
  if (!typed.size.is_given()) o.learn.size = size_to_learn(o.learn.kind, section.size);
  if (!typed.standardize.is_given() && !is_other_kind) o.learn.standardize = section.standardize;
  if (!typed.lower.is_given()) o.learn.lower = section.lower;
  if (!typed.split_punctuation.is_given()) o.learn.split_punctuation = section.split_punctuation;
  if (!typed.min_frequency.is_given()) o.learn.min_frequency = section.min_frequency;
  if (!typed.coverage.is_given()) o.learn.character_coverage = section.character_coverage;
  if (!typed.suffix.is_given()) o.learn.end_of_word_suffix = section.end_of_word_suffix;
  if (!typed.text_template.is_given()) o.learn.text_template = wanted.text_template;
  if (!typed.special.is_given()) o.learn.special = wanted.special;
  if (!typed.symbols.is_given()) o.learn.user_defined_symbols = section.user_defined_symbols;
  if (!typed.start_end.is_given()) {
    o.learn.has_start_end = wanted.has_start_end || (typed.special.is_given() && !o.learn.special.empty());
  }
}

void resolve_kind(Options& o, const TypedOptions& typed) {
  const Kind& kind = find_kind(o.learn.kind);
  const auto belongs_to = [&](const cli::Option& option, bool Kind::*has) {
    const std::vector<std::string> kinds = learned_kinds(has);
    if (option.is_given() && !(kind.*has))
      throw UsageError(option.name() + " is for --learn " + alternatives({kinds.begin(), kinds.end()}));
  };
  belongs_to(typed.split_punctuation, &Kind::splits_punctuation);
  belongs_to(typed.min_frequency, &Kind::has_min_frequency);
  belongs_to(typed.coverage, &Kind::has_coverage);
  belongs_to(typed.suffix, &Kind::has_suffix);
  belongs_to(typed.special, &Kind::has_special);
  belongs_to(typed.symbols, &Kind::has_special);
  belongs_to(typed.text_template, &Kind::has_special);
  if (parse_text_template(o.learn.text_template) == TextTemplate::bert && o.learn.has_start_end)
    throw UsageError("--template bert goes without --start-end ([CLS] and [SEP] are start and end)");
  if (o.learn.standardize.empty()) {
    o.learn.standardize =
        typed.lower.is_given() && kind.subword != nullptr ? "lower" : default_standardization(o.learn.kind);
  }
  const bool strips = StandardizeSettings{parse_standardization(o.learn.standardize)}.strips();
  if (strips && typed.split_punctuation.is_given() && typed.standardize.is_given()) {
    throw UsageError("--split-punctuation goes with --standardize none or lower (" + o.learn.standardize +
                     " strips what is to be split)");
  }
  if (strips && typed.split_punctuation.is_given()) o.learn.standardize = name_of(Standardization::none);
  if (typed.lower.is_given() && !StandardizeSettings{parse_standardization(o.learn.standardize)}.lowers())
    throw UsageError("--lower says what is lower-cased, and --standardize " + o.learn.standardize +
                     " lower-cases nothing (leave one of them out)");
}

void resolve_columns(Options& o) {
  if (o.columns.empty()) return;
  if (o.reader.is_csv) {  // whose reader gives these columns, and no others
    o.reader.csv.columns = std::exchange(o.columns, {});
    for (std::size_t i = 1; i <= o.reader.csv.columns.size(); ++i) o.columns.push_back(std::to_string(i));
  }
  for (const std::string& column : o.columns) {
    if (!cli::column_number(column))
      throw UsageError("--columns: " + quote(column) +
                       " is not the number of a column (they count from 1; names go with --csv)");
  }
  o.reader.has_columns = true;
}

// A recipe that takes the tokenizer of a model learns none.
void refuse_typed(const TypedOptions& typed, const std::string& from) {
  for (const cli::Option& option : typed.of_learning) {
    if (option.is_given())
      throw UsageError(option.name() + ": the recipe takes the tokenizer of " + from +
                       " and learns none (remove it)");
  }
}

void resolve(Options& o, const TypedOptions& typed) {
  o.reader.refuses_tabs = !o.is_decoding && !o.is_merging;  // their lines have errors of their own
  if (o.is_decoding || o.is_merging) o.reader.csv_fix.clear();
  o.is_learning = typed.is_learning();
  if (!o.is_learning) return;
  if (!o.recipe.empty()) take_from_recipe(o, typed);
  resolve_kind(o, typed);
  resolve_columns(o);
  if (!o.taken_from.empty()) refuse_typed(typed, o.taken_from.string());
  cli::check_ending(o.output, "-o", "json");
}

}  // namespace
}  // namespace headwater::tokenize

int main(int argc, char** argv) {
  using namespace headwater;
  using namespace headwater::tokenize;
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
