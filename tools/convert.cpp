// convert: a trained model as another one: in a published layout, with its weights in bytes, or as the mean
// of several. Manual: tools/convert.md.
#include <string>
#include <vector>

#include "cli/lines.hpp"
#include "cli/tool.hpp"
#include "families/layouts/registry.hpp"
#include "families/model_directory.hpp"
#include "families/quantized_model.hpp"
#include "support/directories.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "training/model_average.hpp"

namespace headwater::convert {
namespace {

struct Options {
  std::string model, layout, quantization;
  std::vector<std::string> models;  // of --average
  std::int64_t last = 0;
  fs::path output;
};

void describe(cli::CommandLine& line, Options& o) {
  line.add_option("model", o.model,
                  "model directory of train, one of its checkpoints, or a directory of Marian NMT")
      .shown_as("MODEL|CHECKPOINT")
      .goes_without("--average", "one at a time")
      .reads()
      .reads_model();
  line.group("Output");
  line.add_option(
          "-o,--output", o.output,
          "the folder to write, which must be absent or, for a layout, empty; it appears whole or not at all")
      .required()
      .shown_as("DIR")
      .writes();
  line.add_option("--layout", o.layout,
                  "the [layout](#layouts) that the model must fit; by default the one that fits")
      .one_of(written_layout_names())
      .goes_without("--average", "convert what --average writes");
  line.add_option("--quantization", o.quantization,
                  "write the model in its own layout, with weights of this [type](#weights-in-int8); "
                  "int8_tables rounds tables of embeddings too")
      .one_of({"int8", "int8_tables"})
      .goes_without("--average --layout", "it keeps the layout of one model");
  line.group("Averages");
  line.add_option(
          "--average", o.models,
          "write the mean of the checkpoints of one run, or of two or more model directories or checkpoints")
      .values(1, -1)
      .shown_as("MODEL...")
      .reads()
      .reads_model();
  line.add_option("--last", o.last, "the newest N checkpoints of one run (all, at least two)")
      .at_least(1)
      .goes_with("--average");
}

void write_average(const Options& o) {
  const bool is_run = o.models.size() == 1;
  if (!is_run && o.last != 0) throw UsageError("--last is of the checkpoints of one run (name one)");
  const std::vector<fs::path> models = is_run ? last_checkpoints(o.models.front(), o.last)
                                              : std::vector<fs::path>(o.models.begin(), o.models.end());
  average_models(models, o.output);
  cli::LineWriter out;
  for (const fs::path& model : models) out.line(shown(model));
  out.flush();
}

// The model in a published layout, written to a new folder.
void export_model(const Options& o) {
  const ModelFolder folder = open_model(o.model);
  cli::note_skipped_checkpoints(folder.skipped);
  const ExportedModel model = exported(folder, o.model, o.layout);
  for (const std::string& note : model.notes) cli::note(shown(o.output) + ": " + note);
  NewFolder target(o.output);
  for (const DirectoryFile& file : model.files) {
    const fs::path path = target.file(file.name);
    fs::create_directories(path.parent_path());
    write_new_file(path, file.bytes);
  }
  // The recipe goes along: other programs pass it over, and evaluate measures a model as it was trained.
  if (folder.has("recipe.yaml")) write_new_file(target.file("recipe.yaml"), folder.read("recipe.yaml"));
  NewFile tensors(target.file("model.safetensors"));
  model.write_tensors([&](std::string_view bytes) { tensors.write(bytes); });
  tensors.finish();
  target.finish();
}

void quantize(const Options& o) {
  const ModelFolder folder = open_model(o.model);
  cli::note_skipped_checkpoints(folder.skipped);
  quantize_model(
      folder, o.quantization == "int8" ? QuantizedWeights::products : QuantizedWeights::products_and_tables,
      o.output);
}

void run(const Options& o) {
  if (o.model.empty() && o.models.empty())
    throw UsageError("nothing to convert (name a model directory, or several with --average)");
  if (!o.quantization.empty()) return quantize(o);
  o.models.empty() ? export_model(o) : write_average(o);
}

}  // namespace
}  // namespace headwater::convert

int main(int argc, char** argv) {
  using namespace headwater;
  using namespace headwater::convert;
  const cli::ToolDescription tool{"convert",
                                  "write a model in another layout or in int8, or the mean of checkpoints",
                                  "convert models/spa-eng -o hf/spa-eng\n"
                                  "convert models/spa-eng --layout marian -o hf/spa-eng\n"
                                  "convert models/spa-eng --quantization int8 -o models/spa-eng-int8\n"
                                  "convert --average models/spa-eng --last 5 -o models/spa-eng-average\n"
                                  "convert --average models/seed-1 models/seed-2 -o models/mean"};
  return cli::tool_main<Options>(argc, argv, tool, describe, run);
}
