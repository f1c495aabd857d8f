// classify: a label and its probability for each line of text.

#include <charconv>

#include "cli/lines.hpp"
#include "cli/tool.hpp"
#include "decoding/classify.hpp"
#include "metrics/calibration.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/numbers.hpp"
#include "support/parallel.hpp"

namespace {

using namespace headwater;

struct Options {
  std::string model, isa = "auto";
  std::vector<std::string> text;
  std::int64_t batch = 64, top = 1;
  int threads = 0;
  double temperature = 1;
  bool has_all = false, is_json = false, is_quiet = false;
  cli::LineReaderSettings reader{.refuses_tabs = true};
};

void describe(cli::CommandLine& line, Options& o) {
  line.add_option("model", o.model, "model directory of train, or one of its checkpoints").required();
  line.add_option("text", o.text, "text, one example a line; - is standard input").reads();
  line.group("Output");
  line.add_option("--top", o.top, "write this many labels, the most probable first").with_default();
  line.add_flag("--all", o.has_all,
                "write the probability of every label instead, a column each in their order");
  line.add_option("--temperature", o.temperature,
                  "divide the logits by it first: above 1 less sure; evaluate --fit-temperature finds it")
      .shown_as("T");
  line.add_flag("--json", o.is_json, "one JSON object a line");
  line.group("Speed");
  line.add_option("--batch", o.batch, "lines computed together; the output is the same for any")
      .with_default();
  line.group("Input");
  cli::add_replace_invalid_option(line, o.reader);
  cli::add_column_option(line, o.reader);
  cli::add_isa_option(line, o.isa);
  cli::add_threads_option(line, o.threads);
  cli::add_quiet_option(line, o.is_quiet);
}

std::string text_of(const std::vector<LabelProbability>& best, const LabelSet& labels) {
  std::string line;
  for (const LabelProbability& b : best) {
    line += (line.empty() ? "" : "\t") + labels.labels()[static_cast<std::size_t>(b.label)] + "\t" +
            format_number(static_cast<double>(b.probability));
  }
  return line;
}

// A column for each label, in the order of the set.
std::string text_of_all(const float* probabilities, Index labels) {
  std::string line;
  for (Index label = 0; label < labels; ++label)
    line += (label > 0 ? "\t" : "") + format_number(static_cast<double>(probabilities[label]));
  return line;
}

// The digits of the columns: as many as tell one float from the next.
double in_json(float probability) {
  const std::string digits = format_number(static_cast<double>(probability));
  double value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

std::string json_of(const std::vector<LabelProbability>& best, const LabelSet& labels) {
  const auto entry = [&](Json json, const LabelProbability& b) {
    json.set("label", labels.labels()[static_cast<std::size_t>(b.label)])
        .set("probability", in_json(b.probability));
    return json;
  };
  Json json = Json::Object{};
  json.set("version", 1);
  json = entry(std::move(json), best.front());
  Json::Array top;
  for (const LabelProbability& b : best) top.push_back(entry(Json::Object{}, b));
  json.set("top", std::move(top));
  return json.dump();
}

void run(const Options& o) {
  if (o.batch < 1) throw UsageError("--batch is " + std::to_string(o.batch) + ", expected 1 or more");
  if (o.top < 1) throw UsageError("--top is " + std::to_string(o.top) + ", expected 1 or more");
  if (o.has_all && (o.is_json || o.top != 1))
    throw UsageError("--all goes without --top and --json (--json --top N names the labels)");
  check_temperature(o.temperature);
  if (o.isa != "auto") kernels::set_isa(kernels::isa_of_name(o.isa));
  ThreadPool pool(o.threads);
  pool.run([&] {
    const ClassificationModel model = load_classification_model(o.model);
    TextLabeller labeller(model);
    cli::LineReader reader(o.text, o.reader);
    reader.show_progress(o.is_quiet);
    cli::LineWriter writer;
    reader.for_each_batch(static_cast<std::size_t>(o.batch), [&](const std::vector<std::string>& lines) {
      const Matrix probabilities = labeller.probabilities(lines);
      apply_temperature(probabilities, o.temperature);
      for (Index i = 0; i < probabilities.rows; ++i) {
        if (o.has_all) {
          writer.line(text_of_all(probabilities.row(i), probabilities.cols));
          continue;
        }
        const auto best = TextLabeller::best(probabilities.row(i), probabilities.cols, o.top);
        writer.line(o.is_json ? json_of(best, model.labels) : text_of(best, model.labels));
      }
      writer.flush();
    });
    if (o.is_quiet) return;
    reader.note_dropped();
    cli::note_unknown_tokens(labeller.tokens());
    cli::note_truncated_lines(labeller.truncated_lines(), model.model->length());
  });
}

}  // namespace

int main(int argc, char** argv) {
  return cli::tool_main<Options>(
      argc, argv,
      {.name = "classify",
       .summary = "give each input line a label",
       .examples = "echo \"A film to see twice.\" | classify models/imdb-encoder\n"
                   "cut -f1 test.tsv | classify models/imdb-encoder | cut -f1 | sort | uniq -c"},
      describe, run);
}
