// Labels: a set of them is learned, and lines become their ids.
#include "data/labels.hpp"

#include <algorithm>

#include "cli/line_filter.hpp"
#include "cli/result_file.hpp"
#include "cli/tool.hpp"
#include "families/label_names.hpp"
#include "families/registry.hpp"
#include "support/csv.hpp"
#include "support/error.hpp"
#include "support/name_list.hpp"
#include "support/numbers.hpp"
#include "text/unicode/unicode_properties.hpp"
#include "tools/vectorize/vectorize.hpp"

namespace headwater::vectorize {

namespace {

// Throws Error for a line without a label, or with one that was not learned.
void check_labels(const std::string& path, const LabelSet& set, const Options& o) {
  cli::LineReader reader({path}, o.reader);
  reader.show_progress(o.is_quiet, cli::LineReader::Writes::at_the_end);
  std::string place, cure;
  std::vector<std::string> unknown;
  std::string_view line;
  while (reader.next(line)) {
    const std::string label(trimmed(line));
    if (label.empty())
      throw Error(reader.place() + ": no label (every line needs one of " + set.shown() + ")");
    if (set.find(label) >= 0 || std::find(unknown.begin(), unknown.end(), label) != unknown.end()) continue;
    if (unknown.empty()) {
      place = reader.place();
      cure = csv_cure(line, 2);
    }
    unknown.push_back(label);
  }
  if (unknown.empty()) return;
  const std::string learned = o.tokens.empty() ? "the lines to learn from" : o.tokens.front();
  throw Error(place + ": " + (unknown.size() == 1 ? "the label " : "labels ") + quoted_list(unknown) +
              (unknown.size() == 1 ? " has" : " have") + " no example in " + learned +
              " (known: " + set.shown() + "; " +
              (cure.empty()
                   ? "a model gives no label that it has not seen: add examples, or leave such lines out"
                   : cure) +
              ")");
}

// A label is a line; token lines have an error of their own for a TAB.
void read_whole_lines(Options& o) {
  o.reader.refuses_tabs = true;
  o.reader.csv_fix = "make lines of a column of it: vectorize --csv --column NAME";
}

}  // namespace

void describe_labels(cli::CommandLine& line, Options& o) {
  line.group(section(o, "Labels (--learn labels, --labels)"));
  line.add_option("--labels", o.labels,
                  "a set of labels, a model directory or a data set of images: write the id of each line's "
                  "label, or name the labels of images, that of label 0 first")
      .reads_file();
  line.add_option("--learn", o.learn,
                  "collect a [set of labels](#sets-of-labels) from lines, or a table of terms from token "
                  "lines, whose own form is multi-hot or tf-idf")
      .one_of({"labels", "ngrams", "tf-idf"});
  line.add_option("--check", o.check,
                  "each line of this file must have a label that was learned, in the same --column; may be "
                  "given again")
      .one_value_each()
      .reads();
}

void resolve_learn_labels(Options& o, const ModeOptions& typed) {
  resolve_recipe(o, typed);
  read_whole_lines(o);
  cli::check_ending(o.output, "-o", "text");
}

void resolve_label_ids(Options& o, const ModeOptions& typed) {
  resolve_recipe(o, typed);
  read_whole_lines(o);
}

void learn_labels(const Options& o) {
  cli::check_result_file(o.output);
  cli::LineReader reader(o.tokens, o.reader);
  reader.show_progress(o.is_quiet, cli::LineReader::Writes::at_the_end);
  WordTable counts;
  std::string_view line;
  while (reader.next(line)) {
    const std::string_view label = trimmed(line);
    if (!label.empty()) ++counts.value(label);
  }
  const LabelSet set = LabelSet::learn(counts);
  if (o.resolved_recipe) {
    Recipe recipe = *o.resolved_recipe;
    family_of(recipe.model).complete(recipe, set, o.tokens.empty() ? "-" : o.tokens.front());
  }
  for (const std::string& path : o.check) check_labels(path, set, o);
  cli::write_result_file(o.output, set.to_text());
  if (o.is_quiet) return;
  reader.note_dropped();
  cli::note(cli::output_name(o.output) + ": " + counted(set.size(), "label"));
  for (const std::string& sentence : near_duplicates(set.labels()))
    cli::warn(cli::output_name(o.output) + ": " + sentence);
}

void write_label_ids(const Options& o) {
  const LabelSet set = load_label_names(o.labels);
  cli::LineReader reader(o.tokens, o.reader);
  reader.show_progress(o.is_quiet);
  cli::LineWriter writer;
  if (o.has_header) writer.line(header(set.hash(), set.size(), -1));
  cli::filter_lines(reader, writer, [&](std::string_view line, std::string& out) {
    if (!trimmed(line).empty()) {
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

}  // namespace headwater::vectorize
