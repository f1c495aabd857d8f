// inspect: what a recipe's or a trained model is made of, what its files hold, and what a data set is
// like. Manual: tools/inspect.md.
#include "tools/inspect/inspect.hpp"
#include "checkpoint/marian_file.hpp"
#include "cli/input_file.hpp"
#include "cli/tool.hpp"
#include "families/model_directory.hpp"
#include "families/recipe_of_model.hpp"
#include "families/registry.hpp"
#include "recipe/reference.hpp"
#include "support/error.hpp"

namespace headwater::inspect {

namespace {

void describe(cli::CommandLine& line, Options& o) {
  line.add_option("what", o.what,
                  "a model directory, a checkpoint, a recipe (.yaml), a .safetensors file or weights of "
                  "Marian NMT; - is a recipe on "
                  "standard input")
      .shown_as("MODEL|RECIPE|CHECKPOINT")
      .goes_without("--recipe", "name one")
      .reads()
      .reads_model();
  line.group("Input");
  line.add_option("-r,--recipe", o.recipe, "the same as naming the recipe")
      .reads()
      .is_of("a data set of lines|a data set of images", o.of_kinds)
      .note("with --data only for lines or images");
  line.add_option("--scale", o.scale, "of a recipe: quick is its cut-down version")
      .one_of({"full", "quick"})
      .with_default();
  line.group("Output");
  line.add_flag("--print-recipe", o.prints_recipe,
                "of a model directory: its recipe; of a model of another program a recipe with its settings, "
                "where an encoder that makes vectors is the encoder of a classifier")
      .goes_without("--json --matrices --tensors --statistics", "it stands alone");
  line.add_flag("--keys", o.lists_keys,
                "every key that a recipe may have, as Markdown: a table a section with types, defaults, "
                "allowed values and meanings")
      .goes_without("what --recipe", "it lists the keys of every recipe")
      .goes_without("--json --print-recipe --matrices --tensors --statistics", "it stands alone");
  line.add_flag("--matrices", o.shows_matrices,
                "of a recipe or a model: each parameter with its shape and FLOPs, instead of layers");
  line.add_flag("--tensors", o.shows_tensors, "of a model: also the tensors of its file");
  line.add_flag("--statistics", o.has_statistics,
                "minimum, maximum, mean and standard deviation (`std`) of each tensor's numbers, and how "
                "many are not finite");
  line.add_flag("--json", o.is_json, "one JSON object a line, each with `\"version\": 1`");
  line.group("Figures");
  line.add_flag("--positions", o.shows_positions,
                "the vectors that are added to tokens for their places ([below](#figures))");
  line.add_flag("--schedule", o.shows_schedule, "of a recipe: the learning rate of each step");
  line.add_option("--steps", o.steps,
                  "steps of the run (`training.max_steps`, or ten times the warmup; rates that depend on the "
                  "length of the run need it)")
      .between(1, 100000000)
      .goes_with("--schedule");
  line.add_option(
          "--patches", o.patches,
          "of a model of images: how it cuts this image, which is read and resized as by `classify --resize`")
      .shown_as("IMAGE")
      .reads_file();
  line.goes_without("--positions", "--schedule --patches", "one at a time");
  line.goes_without("--schedule", "--patches", "one at a time");
  line.goes_without("--positions --schedule --patches", "--json --tensors --statistics --keys",
                    "it stands alone");
  line.add_option("-o,--output", o.output,
                  "`FILE.svg` or `FILE.csv`, for patches `FILE.png`; standard output is CSV, or PNG")
      .writes()
      .goes_with("--positions --schedule --patches");
  line.group("Data sets");
  line.add_option(
          "--data", o.data,
          "a data set instead: lines of columns separated by TABs, read once (-: standard input); a file of "
          "images of `vectorize --images`, or of ids of `vectorize --output dataset` with a tokenizer")
      .values(1, -1)
      .shown_as("FILE...")
      .reads()
      .goes_without("what", "one at a time")
      .goes_without(
          "--print-recipe --keys --matrices --tensors --statistics --positions --schedule --patches");
  line.add_option("--columns", o.columns,
                  "the data's columns: `source`, `target` or `label`, separated by commas; by default those "
                  "of --recipe, or as they look ([below](#data-sets))")
      .list(',')
      .one_of({"source", "target", "label"})
      .shown_as("NAMES")
      .goes_with("--data")
      .is_of("a data set of lines", o.of_kinds);
  line.add_option("--tokenizer", o.tokenizer,
                  "also count the tokens of this `tokenizer.json`, and the share of unknown ones; by "
                  "default, with --recipe, of those that it learns from these data")
      .reads_file()
      .goes_with("--data")
      .is_of("a data set of lines|a file of ids", o.of_kinds);
  cli::add_replace_invalid_option(line, o.reader);
  line.add_option("--contact-sheet", o.contact_sheet,
                  "a picture with a row for each label of its first images: `FILE.svg` with labels and "
                  "numbers of images, else a PNG without words")
      .writes()
      .goes_with("--data")
      .is_of("a data set of images", o.of_kinds);
  line.add_option("--samples", o.samples, "images of each label")
      .between(1, 1000)
      .with_default()
      .goes_with("--contact-sheet");
  line.add_option("--draws", o.draws,
                  "a PNG picture of one image as training with --recipe reads it in its first epochs "
                  "([below](#data-sets))")
      .writes()
      .goes_with("--data")
      .needs("--recipe", "whose augmentation is drawn")
      .is_of("a data set of images", o.of_kinds);
  line.add_option("--image", o.image, "the number of the image in its set, from 0")
      .at_least(0)
      .with_default()
      .goes_with("--draws");
  line.add_option("--draw-count", o.draw_count, "the number of epochs")
      .between(1, 1000)
      .with_default()
      .goes_with("--draws");
  line.condition(
      "recipe", [&o] { return is_recipe(o); }, "a recipe");
  line.goes_with("--scale --schedule", "recipe", "name a .yaml file");
  line.goes_without("--tensors --statistics", "recipe", "it has none yet: train it first");
  line.goes_without("--print-recipe", "recipe", "train --print-recipe prints one");
  line.needs_any("what --recipe --keys --data",
                 "nothing to inspect (name a model directory, a recipe or a .safetensors file)");
  line.moved("--export", "convert", "--output");
  line.moved("--average", "convert", "--average");
  line.moved("--curves", "report", "--curves");
}

void inspect_recipe(const Recipe& recipe, const Options& o, cli::LineWriter& out) {
  const Family& family = family_of(recipe.model);
  write_layers(family.model_of(recipe).description, o, out);
  if (!o.is_json) write_layouts(family, recipe.model, out);
}

bool ends_with(const fs::path& path, std::string_view end) { return path.string().ends_with(end); }

}  // namespace

fs::path named(const Options& o) { return o.what.empty() ? o.recipe : o.what; }

bool is_recipe(const Options& o) {
  const fs::path path = named(o);
  return !o.recipe.empty() || path == "-" || ends_with(path, ".yaml") || ends_with(path, ".yml");
}

namespace {

void inspect_model(const Options& o) {
  if (o.lists_keys) {
    cli::LineWriter keys;
    keys.text(recipe_reference(model_kinds()));
    keys.flush();
    return;
  }
  cli::LineWriter out;
  const fs::path path = named(o);
  if (is_recipe(o)) {
    inspect_recipe(read_recipe(path, o.scale), o, out);
  } else if (o.prints_recipe) {
    write_recipe(path, out);
  } else if (fs::is_directory(path)) {
    inspect_directory(path, o, out);
  } else {
    if (begins_as_text(path))
      throw Error(shown(path) + ": a text, no safetensors file (a data set is read by inspect --data " +
                  shown(path) + ", a recipe ends in .yaml)");
    const MarianForm wanted = ends_with(path, ".npz") ? MarianForm::npz : MarianForm::binary;
    const bool is_marian = marian_form_of(path) == wanted;  // a zip file of another name is PyTorch's
    write_tensors(is_marian ? MarianFile(path).tensors() : Safetensors(path), o, out);
  }
  out.flush();
}

void run(const Options& o) {
  if (is_figure(o)) return write_figure(o);
  if (o.data.empty()) return inspect_model(o);
  for (const std::string& path : o.data) {  // what cannot be read is of no kind
    if (path != "-") cli::InputFile::check_readable(path);
  }
  const bool has_ids = is_of_ids(o), has_images = !has_ids && is_of_images(o);
  if ((has_ids || has_images) && o.data.size() > 1)
    throw UsageError("--data: one file of " + std::string(has_ids ? "ids" : "images") + " at a time, not " +
                     std::to_string(o.data.size()));
  o.of_kinds.check(o.data.front(), {has_ids      ? "a file of ids"
                                    : has_images ? "a data set of images"
                                                 : "a data set of lines"});
  (has_ids ? inspect_ids : has_images ? inspect_images : inspect_data)(o);
}

}  // namespace

void write_recipe(const fs::path& path, cli::LineWriter& out) {
  const ModelFolder folder = open_model(path);
  if (folder.has("recipe.yaml")) return out.text(folder.read("recipe.yaml"));
  out.text(std::string("# The model is that of ") + shown(path) +
           (folder.family->task == Task::feature_extraction ? ", under a classifier" : "") +
           "; how it was trained is not known, and what is not of the model has the defaults.\n" +
           print_recipe(recipe_of_model(folder, path)));
}

}  // namespace headwater::inspect

int main(int argc, char** argv) {
  using namespace headwater;
  using namespace headwater::inspect;
  const cli::ToolDescription tool{
      "inspect", "show the layers of a model, what a checkpoint holds or what a data set is like",
      "inspect recipes/spa-eng.yaml\n"
      "inspect --keys\n"
      "inspect models/spa-eng\n"
      "inspect models/spa-eng/model.safetensors --statistics\n"
      "inspect recipes/ted-pt-en.yaml --schedule --steps 40000 -o rates.svg\n"
      "inspect --data reviews.tsv\n"
      "inspect --data train.safetensors --contact-sheet sheet.svg\n"
      "inspect --data train.safetensors --recipe recipes/cifar10-vit.yaml --draws draws.png"};
  return cli::tool_main<Options>(argc, argv, tool, describe, run);
}
