// classify: a label and its probability for each line of text or image. Manual: tools/classify.md.
#include "decoding/classify.hpp"
#include "cli/tool.hpp"
#include "families/model_directory.hpp"
#include "metrics/calibration.hpp"
#include "support/error.hpp"
#include "support/parallel.hpp"
#include "tensor/kernels/isa.hpp"
#include "tools/classify/classify.hpp"
#include "tools/search/options.hpp"

namespace headwater::classify {

namespace {

constexpr std::string_view kTexts = "a model of texts", kImages = "a model of images";

void describe(cli::CommandLine& line, Options& o) {
  line.add_option("model", o.model, "model directory of train, or one of its checkpoints")
      .required()
      .reads_model();
  line.add_option("text", o.inputs,
                  "text, one example a line; of a model of images: image files, folders of them, and data "
                  "sets; - or none: "
                  "standard input, of a model of images a path a line")
      .shown_as("[TEXT|IMAGE...]")
      .reads_lines("the input");
  line.group("Output");
  line.add_option("--top", o.top, "write N labels, the most probable first; more than there are: all")
      .at_least(1)
      .with_default();
  line.add_flag("--all", o.has_all,
                "write the probability of every label, a column each in the order of the set")
      .goes_without("--top --json", "--json --top N names the labels");
  line.add_flag("--header", o.has_header, "a first line with the labels, separated by TABs")
      .goes_with("--all");
  line.add_option("--temperature", o.temperature,
                  "divide the logits by T (1): above 1 less sure; `evaluate --fit-temperature` finds it")
      .between(kLeastTemperature, kGreatestTemperature)
      .shown_as("T");
  line.add_flag("--json", o.is_json, "one JSON object a line");
  line.group("Speed");
  line.add_option("--batch", o.batch,
                  "lines or images computed together; larger is faster and takes more memory. The output is "
                  "the same for any")
      .at_least(1)
      .with_default();
  search::add_compute_type_option(line, o.compute_type);
  line.group("Input");
  cli::add_replace_invalid_option(line, o.reader);
  cli::add_column_options(line, o.reader);
  cli::add_json_input_option(line, o.reader);
  line.is_of("--compute-type --replace-invalid --json-input", kTexts, o.of_kinds);
  line.add_flag("--resize", o.is_resized,
                "resize each image of a file to the size that the model reads, as `vectorize --resize` does; "
                "it takes no value")
      .is_of(kImages, o.of_kinds);
  cli::add_isa_option(line, o.isa);
  cli::add_threads_option(line, o.threads);
  cli::add_quiet_option(line, o.is_quiet);
}

void run(const Options& o) {
  if (o.isa != "auto") kernels::set_isa(kernels::isa_of_name(o.isa));
  ThreadPool pool(o.threads);
  pool.run([&] {
    ModelFolder folder = open_model(o.model);
    cli::note_skipped_checkpoints(folder.skipped);
    const bool reads_images = folder.family->task == Task::image_classification;
    o.of_kinds.check(o.model, {reads_images ? kImages : kTexts});
    (reads_images ? classify_images : classify_texts)(o, folder);
  });
}

}  // namespace

void classify_texts(const Options& o, ModelFolder& folder) {
  const ComputeType compute_type = search::compute_type_of(folder, o.compute_type);
  const LoadedClassifier model = load_classifier(folder);
  TextLabeller labeller(model, compute_type);
  cli::LineReaderSettings settings = o.reader;
  settings.refuses_tabs = model.texts == Texts::one;
  cli::LineReader reader(o.inputs, settings);
  reader.show_progress(o.is_quiet);
  RowWriter writer(o, model.labels, model.gives_many_labels);
  reader.for_each_batch(o.batch, [&](const std::vector<std::string>& lines) {
    writer.write(labeller.probabilities(lines), {}, &labeller);
  });
  if (o.is_quiet) return;
  reader.note_dropped();
  cli::note_unknown_tokens(labeller.tokens());
  cli::note_truncated_lines(labeller.truncated_lines(), model.line_length());
}

}  // namespace headwater::classify

int main(int argc, char** argv) {
  using namespace headwater;
  using namespace headwater::classify;
  return cli::tool_main<Options>(
      argc, argv,
      {.name = "classify",
       .summary = "give each line of text, or each image, a label",
       .examples = "echo \"A film to see twice.\" | classify models/imdb-encoder\n"
                   "cut -f1 test.tsv | classify models/imdb-encoder | cut -f1 | sort | uniq -c\n"
                   "find photos -name '*.png' | sort | classify models/cifar10-vit"},
      describe, run);
}
