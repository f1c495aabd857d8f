#include "cli/tool.hpp"
#include "decoding/classify.hpp"
#include "tools/classify/classify.hpp"

namespace headwater::classify {

void classify_texts(const Options& o, const ModelFolder& folder) {
  const LoadedClassifier model = load_classifier(folder);
  TextLabeller labeller(model);
  cli::LineReaderSettings settings = o.reader;
  settings.refuses_tabs = model.texts == Texts::one;
  cli::LineReader reader(o.inputs, settings);
  reader.show_progress(o.is_quiet);
  RowWriter writer(o, model.labels, model.gives_many_labels);
  reader.for_each_batch(static_cast<std::size_t>(o.batch), [&](const std::vector<std::string>& lines) {
    writer.write(labeller.probabilities(lines), {}, &labeller);
  });
  if (o.is_quiet) return;
  reader.note_dropped();
  cli::note_unknown_tokens(labeller.tokens());
  cli::note_truncated_lines(labeller.truncated_lines(), model.line_length());
}

}  // namespace headwater::classify
