#include <algorithm>

#include "cli/tool.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "tools/evaluate/evaluate.hpp"

namespace headwater::evaluate {
namespace {

Lines read_all(const std::string& path, const cli::LineReaderSettings& settings, const Options& o) {
  cli::LineReader reader({path}, settings);
  reader.show_progress(o.is_quiet, cli::LineReader::Writes::at_the_end);
  Lines lines;
  std::int64_t with_tabs = 0;
  for (std::string_view line; reader.next(line);) {
    lines.emplace_back(line);
    with_tabs += line.find('\t') != std::string_view::npos;
  }
  if (o.is_quiet) return lines;
  reader.note_dropped();
  // Scores beside translations, or pairs: a model may write a TAB, so it is no error.
  if (with_tabs > 0)
    cli::warn(path + ": " + counted(with_tabs, "line") + (with_tabs == 1 ? " has" : " have") +
              " a TAB, which is scored as text (" + (path == o.hypotheses ? "--column N" : "cut -f N") +
              " picks a column)");
  return lines;
}

// A line of scores for each line of text, in the order of --metric.
void write_sentences(const Lines& hypotheses, const std::vector<Lines>& references, const Metrics& metrics,
                     bool is_json) {
  const std::vector<std::vector<double>> columns = sentence_scores(hypotheses, references, metrics.text);
  cli::LineWriter out;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    Json json;
    json.set("version", 1).set("line", static_cast<std::uint64_t>(i + 1));
    std::string line;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      line +=
          (c == 0 ? "" : "\t") + format_fixed(columns[c][i], find_text_metric(metrics.text.names[c])->digits);
      json.set(metrics.text.names[c], columns[c][i]);
    }
    out.line(is_json ? json.dump() : line);
  }
  out.flush();
}

}  // namespace

void evaluate_texts(const Options& o, const Metrics& metrics) {
  check_text_options(o, metrics);
  const auto needs_references = [](const std::string& name) {
    return find_text_metric(name)->needs != TextMetricNeeds::nothing;
  };
  if (o.references.empty() &&
      std::any_of(metrics.text.names.begin(), metrics.text.names.end(), needs_references))
    throw UsageError(
        "--references is missing (give the file that the hypotheses should equal, or a --metric of texts "
        "alone: distinct, "
        "repetition)");
  check_one_column(o);
  cli::LineReaderSettings of_hypotheses = o.reader;
  of_hypotheses.csv.wanted = 1;
  const Lines hypotheses = read_all(o.hypotheses, of_hypotheses, o);
  const cli::LineReaderSettings of_references = cli::beside(o.reader, "give one column, with cut -f");
  std::vector<Lines> references;
  for (const std::string& path : o.references) {
    references.push_back(read_all(path, of_references, o));
    if (references.back().size() != hypotheses.size()) {
      throw Error(path + ": " + counted(static_cast<std::int64_t>(references.back().size()), "line") +
                  ", but " + o.hypotheses + " has " + std::to_string(hypotheses.size()) +
                  " (line i of one belongs to line i of the other)");
    }
  }
  if (hypotheses.empty()) throw Error(o.hypotheses + ": no lines (a score needs at least one)");
  if (o.is_by_sentence) {
    write_sentences(hypotheses, references, metrics, o.is_json);
  } else {
    write(text_rows(hypotheses, references, metrics.text), o.is_json);
  }
}

}  // namespace headwater::evaluate
