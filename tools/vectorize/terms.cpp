// Bags of words.
#include <atomic>

#include "cli/line_filter.hpp"
#include "cli/result_file.hpp"
#include "cli/tool.hpp"
#include "data/ngram_vocabulary_learner.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "tools/vectorize/vectorize.hpp"

namespace headwater::vectorize {

namespace {

TermOutput form_of(const Options& o, TermOutput otherwise) {
  return o.form.empty() ? otherwise : parse_term_output(o.form);
}

// The ids of the row's n-grams one by one, as the framework's integer mode has them; returns whether some
// were cut off.
bool append_ngram_ids(const NgramVocabulary& table, const TokenRow& row, std::size_t most, std::string& out) {
  std::size_t count = 0;
  for_each_ngram(row, table.settings().ngrams, [&](std::string_view ngram) {
    if (count < most) {
      if (count != 0) out.push_back(' ');
      append_number(out, table.find(ngram) + 1);
    }
    ++count;
  });
  return count > most;
}

}  // namespace

void describe_terms(cli::CommandLine& line, Options& o) {
  line.group(section(o, "Bags of words (--learn ngrams|tf-idf, --terms)"));
  line.add_option("--terms", o.terms, "turn each token line into a bag of the terms of this table")
      .reads_file();
  line.add_option(
          "--output", o.form,
          "of bags of words multi-hot, count, tf-idf, sublinear-tf-idf or ids ([below](#bags-of-words)), by "
          "default the table's. dataset, with -o: of tokens one long text, a file of ids; of id lines what "
          "columns makes")
      .shown_as("FORM")
      .one_of({"multi-hot", "count", "tf-idf", "sublinear-tf-idf", "ids", "dataset"});
  line.add_option("--ngrams", o.ngrams, "learn terms of up to N tokens").between(1, 100).with_default();
  line.add_option("--size", o.size, "learn at most N terms, [UNK] counted")
      .between(2, 0x7FFFFFF0)
      .with_default();
}

void resolve_learn_terms(Options& o, const ModeOptions& typed) {
  resolve_recipe(o, typed);
  cli::check_ending(o.output, "-o", "text");
}

void resolve_bags(Options& o, const ModeOptions& typed) {
  resolve_recipe(o, typed);
  o.length_is_typed = typed.is_given("--length");
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
  cli::note(cli::output_name(o.output) + ": " + counted(table.size(), "term") + " of " +
            counted(number(summary.distinct), "distinct n-gram") + "; they cover " +
            format_count(number(summary.covered)) + " of " + format_count(number(summary.ngrams)) + " in " +
            counted(number(summary.documents), "line"));
}

void write_terms(const Options& o) {
  const NgramVocabulary table = NgramVocabulary::load(o.terms);
  const TermOutput form = form_of(o, table.settings().output);
  if (form == TermOutput::ids) {
    check_length(o, "of bags as ids");
  } else if (o.length_is_typed) {
    throw UsageError("--length goes with --tokenizer and --output ids only (" +
                     (o.form.empty() ? o.terms.string() + " is for " : "not with --output ") +
                     std::string(name_of(form)) + ")");
  }
  cli::LineReader reader(o.tokens, o.reader);
  reader.show_progress(o.is_quiet);
  cli::LineWriter writer;
  const bool has_pad = form == TermOutput::ids;
  if (o.has_header) writer.line(header(table.hash(), table.size() + (has_pad ? 1 : 0), has_pad ? 0 : -1));
  const std::size_t most = o.length;
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

}  // namespace headwater::vectorize
