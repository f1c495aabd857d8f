#include "text/labels.hpp"

#include "cli/line_filter.hpp"
#include "cli/result_file.hpp"
#include "cli/tool.hpp"
#include "support/csv.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "tools/vectorize/vectorize.hpp"

namespace headwater::vectorize {

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

}  // namespace headwater::vectorize
