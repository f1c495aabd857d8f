#include <algorithm>
#include <vector>

#include "cli/result_file.hpp"
#include "cli/tool.hpp"
#include "families/tokenizer_files.hpp"
#include "support/csv.hpp"
#include "support/error.hpp"
#include "support/name_list.hpp"
#include "support/numbers.hpp"
#include "text/models/subword_text_encoder.hpp"
#include "text/tokenizer/tokenizer_json.hpp"
#include "text/unicode/unicode_properties.hpp"
#include "tools/tokenize/tokenize.hpp"

namespace headwater::tokenize {

namespace {

// Whether the line is a header of CSV with all of these columns; of no columns it is none.
bool names_columns(std::string_view line, const std::vector<std::string>& columns) {
  if (columns.empty() || line.find('\t') != line.npos) return false;
  for (const char separator : {',', ';', '|'}) {
    try {
      CsvParser parser("", separator);
      if (!parser.add_line(line)) continue;
      const auto has = [&](const std::string& column) {
        for (std::size_t i = 0; i < parser.fields(); ++i) {
          if (trimmed(parser.field(i)) == column) return true;
        }
        return false;
      };
      if (parser.fields() > 1 && std::all_of(columns.begin(), columns.end(), has)) return true;
    } catch (const Error&) {  // no CSV
    }
  }
  return false;
}

// The text of the lines in blocks: whole lines, or those of the columns that --columns names.
class Blocks {
 public:
  Blocks(const Options& o, TokenizerLearner& learner) : learner_(learner) {
    for (const std::string& column : o.columns) columns_.push_back(*cli::column_number(column));
  }

  void add(std::string_view line, const cli::LineReader& reader) {
    if (columns_.empty()) append(line);
    for (const std::int64_t column : columns_) append(column_of(line, column, reader));
    if (block_.size() >= kBlockBytes) flush();
  }

  void flush() {
    learner_.add(block_);
    block_.clear();
  }

 private:
  static constexpr std::size_t kBlockBytes = std::size_t{4} << 20;

  static std::string_view column_of(std::string_view line, std::int64_t column,
                                    const cli::LineReader& reader) {
    for (std::int64_t at = 1;; ++at) {
      const std::size_t tab = line.find('\t');
      if (at == column) return line.substr(0, tab);
      if (tab == line.npos)
        throw Error(reader.place() + ": " + counted(at, "column") + " where --columns names column " +
                    std::to_string(column) + " (columns are separated by one TAB)");
      line.remove_prefix(tab + 1);
    }
  }

  void append(std::string_view text) {
    block_ += text;
    block_.push_back('\n');
  }

  TokenizerLearner& learner_;
  std::vector<std::int64_t> columns_;
  std::string block_;
};

void count_lines(const Options& o, TokenizerLearner& learner) {
  cli::LineReaderSettings settings = o.reader;
  const bool may_be_csv = !o.csv_columns.empty() && !settings.is_csv;  // as the recipe has it
  if (may_be_csv) settings.csv_fix.clear();                            // said below
  cli::LineReader reader(o.texts, settings);
  reader.show_progress(o.is_quiet, cli::LineReader::Writes::at_the_end);
  Blocks blocks(o, learner);
  std::string_view line;
  bool is_first = true;
  // A header is not told by columns that are numbers; the first lines then are.
  constexpr std::int64_t kLooked = 10;
  std::int64_t looked = 0, of_csv = 0;
  while (reader.next(line)) {
    if (may_be_csv && looked < kLooked) {
      ++looked;
      of_csv += csv_separator(line, o.csv_columns.size()) != 0 ? 1 : 0;
    }
    if (is_first && may_be_csv && names_columns(line, o.csv_columns)) {
      throw Error(
          reader.place() +
          ": the header of a CSV file, where text is wanted (read a column of it: --csv --column NAME; the " +
          "recipe has " + quoted_list(o.csv_columns) + ")");
    }
    is_first = false;
    blocks.add(line, reader);
  }
  blocks.flush();
  if (looked > 1 && of_csv == looked)
    cli::warn("the text looks like CSV (read a column of it: --csv --column NAME; the recipe has " +
                  quoted_list(o.csv_columns) + ")",
              o.is_quiet);
  if (!o.is_quiet) reader.note_dropped();
}

std::string learned_note(const Options& o, const Tokenizer& tokenizer,
                         const TokenizerLearner::Summary& summary) {
  const auto tokens = static_cast<std::int64_t>(summary.tokens),
             distinct = static_cast<std::int64_t>(summary.distinct);
  const std::string begin =
      cli::output_name(o.output) + ": " + counted(tokenizer.vocabulary_size(), "token") + "; ";
  if (find_kind(o.learn.kind).subword)
    return begin + counted(distinct, "different piece") + " of " + format_count(tokens) + " in the text";
  return begin + counted(distinct, "different one") + " in the text, " +
         format_percent(static_cast<std::int64_t>(summary.covered), tokens) + " of " + format_count(tokens) +
         " are in the vocabulary";
}

}  // namespace

static void take(const Options& o) {
  cli::check_result_file(o.output);
  cli::LineReader reader(o.texts, o.reader);
  for (std::string_view line; reader.next(line);) continue;  // what writes to a pipe is not ended by it
  const Tokenizer tokenizer = tokenizer_of(o.taken_from);
  cli::write_result_file(o.output, tokenizer.to_json());
  if (!o.is_quiet)
    cli::note(cli::output_name(o.output) + ": " + counted(tokenizer.vocabulary_size(), "token") +
              ", those of " + o.taken_from.string());
}

void learn(const Options& o) {
  if (!o.taken_from.empty()) return take(o);
  cli::check_result_file(o.counts.empty() ? o.output : o.counts);
  TokenizerLearner learner = learner_of(o.learn);
  o.is_merging ? add_counts(o, learner) : count_lines(o, learner);
  if (!o.counts.empty()) return write_counts(o, learner.counts());
  TokenizerLearner::Summary summary;
  const Tokenizer tokenizer = learner.finish(&summary);
  const bool is_subwords_file = o.output.extension() == ".subwords";
  cli::write_result_file(o.output, is_subwords_file ? subwords_file(subwords_of_json(
                                                          tokenizer.to_json(), "-o " + o.output.string()))
                                                    : tokenizer.to_json());
  if (!o.is_quiet) cli::note(learned_note(o, tokenizer, summary));
}

namespace {

// Words, characters, and all kinds of subwords.
const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = [] {
    std::vector<Kind> known{{.name = "word", .splits_punctuation = true}, {.name = "character"}};
    for (const SubwordKind& kind : subword_kinds()) {
      known.push_back({.name = kind.name,
                       .subword = &kind,
                       .has_min_frequency = kind.has_min_frequency,
                       .has_coverage = kind.has_coverage,
                       .has_suffix = kind.has_suffix,
                       .has_special = kind.has_special});
    }
    return known;
  }();
  return all;
}

}  // namespace

const Kind& find_kind(std::string_view name) { return *std::ranges::find(kinds(), name, &Kind::name); }

std::vector<std::string> learned_kinds(bool Kind::*has) {
  std::vector<std::string> names;
  for (const Kind& kind : kinds()) {
    if (has == nullptr || kind.*has) names.emplace_back(kind.name);
  }
  return names;
}

}  // namespace headwater::tokenize
