#include "cli/tool.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "tools/evaluate/evaluate.hpp"

namespace headwater::evaluate {

void evaluate_predictions(const Options& o) {
  if (o.predictions == "-" && o.labels == "-") {
    throw UsageError("standard input is named 2 times (it can be read once)");
  }
  cli::LineReader predictions({o.predictions}, o.reader), labels({o.labels}, o.reader);
  predictions.show_progress(o.is_quiet, cli::LineReader::Writes::at_the_end);
  LabelledPredictions labelled;
  std::int64_t lines = 0;
  for (std::string_view prediction, label;; ++lines) {
    const bool has_prediction = predictions.next(prediction), has_label = labels.next(label);
    if (has_prediction != has_label) {
      throw Error((has_prediction ? o.predictions : o.labels) + ": more than the " + counted(lines, "line") +
                  " of " + (has_prediction ? o.labels : o.predictions) +
                  " (line i of one belongs to line i of the other)");
    }
    if (!has_prediction) break;
    try {
      labelled.add(prediction, label);
    } catch (const Error& error) {
      throw Error(predictions.place() + " and " + labels.place() + ":" + error.what());
    }
  }
  if (!o.is_quiet) {
    predictions.note_dropped();
    labels.note_dropped();
  }
  const ClassificationReport report = [&] {
    try {
      return labelled.finish();
    } catch (const Error& error) {
      throw Error(o.predictions + " and " + o.labels + ": " + error.what());
    }
  }();
  if (const std::string note = labelled.note(); !note.empty()) cli::warn(note, o.is_quiet);
  write_pictures(report, o, o.predictions);
  write(report, o.is_json);
}

}  // namespace headwater::evaluate
