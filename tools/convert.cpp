// convert: a trained model as another one, in a published layout or as the mean of several. Manual:
// tools/convert.md.
#include "tools/convert/convert.hpp"
#include "cli/tool.hpp"
#include "families/layouts/registry.hpp"
#include "support/error.hpp"

namespace headwater::convert {
namespace {

void describe(cli::CommandLine& line, Options& o) {
  line.add_option("model", o.model, "model directory of train, or one of its checkpoints")
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
      .one_of(layout_names())
      .goes_without("--average", "convert what --average writes");
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

void run(const Options& o) {
  if (o.model.empty() && o.models.empty())
    throw UsageError("nothing to convert (name a model directory, or several with --average)");
  o.models.empty() ? export_model(o) : write_average(o);
}

}  // namespace
}  // namespace headwater::convert

int main(int argc, char** argv) {
  using namespace headwater;
  using namespace headwater::convert;
  const cli::ToolDescription tool{"convert",
                                  "write a model in a published layout, or the mean of checkpoints",
                                  "convert models/spa-eng -o hf/spa-eng\n"
                                  "convert models/spa-eng --layout marian -o hf/spa-eng\n"
                                  "convert --average models/spa-eng --last 5 -o models/spa-eng-average\n"
                                  "convert --average models/seed-1 models/seed-2 -o models/mean"};
  return cli::tool_main<Options>(argc, argv, tool, describe, run);
}
