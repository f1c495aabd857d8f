// inspect: what a recipe's or a trained model is made of, what its files hold, what a data set is like, how
// runs went. Manual: tools/inspect.md.
#include <array>
#include <charconv>
#include <cmath>

#include "checkpoint/directory.hpp"
#include "cli/lines.hpp"
#include "cli/result_file.hpp"
#include "cli/tool.hpp"
#include "recipe/reference.hpp"
#include "reports/data_summary.hpp"
#include "reports/learning_curves.hpp"
#include "reports/table.hpp"
#include "reports/tensor_statistics.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/numbers.hpp"
#include "tasks/model_directory.hpp"
#include "tasks/registry.hpp"

namespace headwater {
namespace {

struct Options {
  std::string what, recipe, scale = "full";
  bool shows_tensors = false, has_statistics = false, is_json = false, is_for_make = false;
  bool lists_keys = false;

  std::vector<std::string> data, columns;
  cli::LineReaderSettings reader;

  std::vector<std::string> runs;
  fs::path output = "-";
  std::string title = "Learning curves";
};

void describe(cli::CommandLine& line, Options& o) {
  line.add_option(
          "what", o.what,
          "a model directory, a checkpoint, a recipe (.yaml) or a .safetensors file; - is a recipe on "
          "standard input")
      .shown_as("MODEL|RECIPE|CHECKPOINT");
  line.add_option("-r,--recipe", o.recipe, "the same as naming the recipe").shown_as("FILE");
  line.add_option("--scale", o.scale, "of a recipe: full, or quick: its cut-down version")
      .one_of({"full", "quick"})
      .with_default();
  line.add_flag("--make", o.is_for_make, "of a recipe: what its stages need, as variables for make");
  line.add_flag("--keys", o.lists_keys, "every key that a recipe may have, as Markdown");
  line.add_flag("--tensors", o.shows_tensors, "of a model: the tensors of its file too");
  line.add_flag(
      "--statistics", o.has_statistics,
      "min, max, mean and standard deviation of each tensor's numbers, and how many are not finite");
  line.add_flag("--json", o.is_json, "one JSON object a line");
  line.add_option(
          "--data", o.data,
          "size, classes and lengths of a data set: lines of columns separated by TABs; - is standard "
          "input")
      .values(1, -1)
      .shown_as("FILE...");
  line.add_option(
          "--columns", o.columns,
          "what the data's columns are: source, target, label, separated by commas; or take them from "
          "--recipe")
      .list(',')
      .shown_as("NAMES");
  line.add_flag("--replace-invalid", o.reader.replace_invalid,
                "of data: turn invalid UTF-8 and NUL into U+FFFD");
  line.add_option("--curves", o.runs, "draw the learning curves of these runs: model directories or log.csv")
      .values(1, -1)
      .shown_as("RUN...");
  line.add_option("-o,--output", o.output, "where the picture goes (SVG); - is standard output")
      .shown_as("FILE");
  line.add_option("--title", o.title, "of the picture").with_default();
}

// Five significant digits: enough to see that something is wrong.
std::string short_number(double value) {
  std::array<char, 32> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 5);
  return {text.data(), end.ptr};
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

// --- The layers of a model ---------------------------------------------------------------------------------

void write_layers_json(const std::vector<LayerSummary>& layers, cli::LineWriter& out) {
  std::int64_t parameters = 0;
  double flops = 0;
  const auto line = [&](std::string_view name, std::string_view shape, std::int64_t count, double work) {
    Json json;
    json.set("version", 1)
        .set("layer", name)
        .set("output_shape", shape)
        .set("parameters", count)
        .set("flops", static_cast<std::int64_t>(std::llround(work)));
    out.line(json.dump());
  };
  for (const LayerSummary& layer : layers) {
    line(layer.name, layer.output_shape, layer.parameters, layer.flops);
    parameters += layer.parameters;
    flops += layer.flops;
  }
  line("total", "", parameters, flops);
}

void write_layers(const ModelDescription& model, bool is_json, cli::LineWriter& out) {
  if (is_json) {
    write_layers_json(model.layers, out);
    return;
  }
  Table table(
      {{"layer"}, {"output shape"}, {"parameters", Table::Align::right}, {"FLOPs", Table::Align::right}});
  std::int64_t parameters = 0;
  double flops = 0;
  for (const LayerSummary& layer : model.layers) {
    table.add_row({layer.name, layer.output_shape, format_count(layer.parameters),
                   format_count(std::llround(layer.flops))});
    parameters += layer.parameters;
    flops += layer.flops;
  }
  table.add_rule();
  table.add_row({"total", "", format_count(parameters), format_count(std::llround(flops))});
  out.text(table.text());
  out.line(model.legend);
}

// --- The tensors of a file ---------------------------------------------------------------------------------

void write_tensors_json(const Safetensors& file, bool has_statistics, cli::LineWriter& out) {
  for (const TensorView& tensor : file.tensors()) {
    Json json;
    Json::Array shape(tensor.shape.begin(), tensor.shape.end());
    json.set("version", 1)
        .set("tensor", tensor.name)
        .set("dtype", dtype_name(tensor.dtype))
        .set("shape", shape);
    json.set("elements", tensor.elements()).set("bytes", static_cast<std::uint64_t>(tensor.bytes.size()));
    if (has_statistics) {
      const TensorStatistics s = statistics_of(tensor);
      json.set("min", s.min).set("max", s.max).set("mean", s.mean).set("std", s.std);
      json.set("not_finite", s.not_finite);
    }
    out.line(json.dump());
  }
}

void write_tensors(const Safetensors& file, const Options& o, cli::LineWriter& out) {
  if (o.is_json) {
    write_tensors_json(file, o.has_statistics, out);
    return;
  }
  constexpr auto right = Table::Align::right;
  std::vector<Table::Column> columns = {
      {"tensor"}, {"type"}, {"shape"}, {"elements", right}, {"bytes", right}};
  if (o.has_statistics) {
    for (const char* name : {"min", "max", "mean", "std", "not finite"}) columns.push_back({name, right});
  }
  Table table(columns);
  std::int64_t elements = 0, bytes = 0, not_finite = 0;
  for (const TensorView& tensor : file.tensors()) {
    std::vector<std::string> row = {quote(tensor.name), std::string(dtype_name(tensor.dtype)),
                                    shape_text(tensor.shape), format_count(tensor.elements()),
                                    format_count(static_cast<std::int64_t>(tensor.bytes.size()))};
    row.front() = row.front().substr(1, row.front().size() - 2);  // escaped, without the quotes
    elements += tensor.elements();
    bytes += static_cast<std::int64_t>(tensor.bytes.size());
    if (o.has_statistics) {
      const TensorStatistics s = statistics_of(tensor);
      for (const double value : {s.min, s.max, s.mean, s.std}) row.push_back(short_number(value));
      row.push_back(format_count(s.not_finite));
      not_finite += s.not_finite;
    }
    table.add_row(std::move(row));
  }
  std::vector<std::string> total = {"total", "", std::to_string(file.tensors().size()) + " tensors",
                                    format_count(elements), format_count(bytes)};
  if (o.has_statistics) total.insert(total.end(), {"", "", "", "", format_count(not_finite)});
  table.add_rule();
  table.add_row(std::move(total));
  out.text(table.text());
  for (const auto& [name, value] : file.metadata()) out.line("metadata " + quote(name) + ": " + quote(value));
}

// --- A model, a checkpoint, a recipe
// -------------------------------------------------------------------------

// A word that make and a shell take as it is.
std::string for_make(std::string_view key, const std::string& value) {
  for (const char c : value) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                          std::string_view("._-/+@,").find(c) != std::string_view::npos;
    if (!is_plain)
      throw UsageError(std::string(key) + ": " + quote(value) +
                       " has a character that make cannot name "
                       "(rename the file: letters, digits and ._-/+@, only)");
  }
  return value;
}

// recipes/stages.mk includes it.
void write_make(const Recipe& recipe, cli::LineWriter& out) {
  const ModelKind& kind = recipe.model.kind();
  const DataSettings& data = recipe.data;
  const bool is_split_anew = data.split == "seed" && !data.set.empty();
  const std::string folder = data.set + "/";
  const auto variable = [&](const std::string& name, const std::string& value) {
    out.line(name + " := " + value);
  };
  const auto path = [&](const std::string& name, std::string value) {
    if (is_split_anew && recipe.seed != 1 && value.starts_with(folder))
      value = data.set + "-seed-" + std::to_string(recipe.seed) + value.substr(data.set.size());
    variable(name, for_make("data." + name, value));
  };
  if (data.train.empty())
    throw UsageError("data.train: the recipe names no training examples (write train: FILE)");
  variable("set", data.set);
  variable("seed_of_split", is_split_anew ? std::to_string(recipe.seed) : "");
  path("train", data.train);
  path("validation", data.validation);
  path("test", data.test);
  path("tokenizer_text", data.tokenizer_text);
  variable("train_examples", std::to_string(data.train_examples));
  variable("validation_examples", std::to_string(data.validation_examples));
  variable("test_examples", std::to_string(data.test_examples));
  std::string columns;
  for (std::size_t i = 0; i < data.columns.size() && !kind.columns.empty(); ++i) {
    const std::string& column = data.columns[i];
    columns += (i == 0 ? "" : " ") + column;
    variable("field_" + column, std::to_string(i + 1));
    variable("stage_" + column, column == "label" ? "labels" : kind.reads("terms") ? "terms" : "tokens");
  }
  variable("columns", columns);
  variable("answer", std::string(name_of(task_of(recipe.model).answer())));
}

void inspect_recipe(const Recipe& recipe, const Options& o, cli::LineWriter& out) {
  if (o.is_for_make) return write_make(recipe, out);
  write_layers(task_of(recipe.model).describe(recipe), o.is_json, out);
}

std::string read_standard_input() {
  cli::LineReader reader({"-"});
  std::string text;
  for (std::string_view line; reader.next(line);) text.append(line).push_back('\n');
  return text;
}

// The files of a checkpoint, compared with what its manifest says of them.
void write_manifest(const fs::path& checkpoint, cli::LineWriter& out) {
  const Manifest manifest = verify_checkpoint(checkpoint);
  Table table({{"file"}, {"bytes", Table::Align::right}, {"XXH3-128"}});
  std::int64_t bytes = 0;
  for (const Manifest::File& file : manifest.files) {
    table.add_row({file.name, format_count(static_cast<std::int64_t>(file.bytes)), file.xxh3_128});
    bytes += static_cast<std::int64_t>(file.bytes);
  }
  table.add_rule();
  table.add_row({"total, all as the manifest says", format_count(bytes), ""});
  out.text(table.text());
}

void write_checkpoints(const fs::path& directory, cli::LineWriter& out) {
  const std::vector<Checkpoint> checkpoints = list_checkpoints(directory);
  if (checkpoints.empty()) return;
  std::error_code none;
  const std::string best = fs::read_symlink(directory / "checkpoints" / "best", none).filename().string();
  Table table({{"checkpoint", Table::Align::right}, {"is"}});
  for (std::size_t i = 0; i < checkpoints.size(); ++i) {
    std::string mark = i == 0 ? "latest" : "";
    if (std::to_string(checkpoints[i].step) == best) mark += mark.empty() ? "best" : ", best";
    table.add_row({std::to_string(checkpoints[i].step), mark});
  }
  out.line("");
  out.text(table.text());
}

void inspect_directory(const fs::path& path, const Options& o, cli::LineWriter& out) {
  const fs::path files = model_files(path);
  const std::string where = (files / "config.json").string();
  const Json config = read_config(files);
  write_layers(task_of(config, where).describe(config, where), o.is_json, out);
  if (o.shows_tensors || o.has_statistics) {
    if (!o.is_json) out.line("");
    write_tensors(Safetensors(files / "model.safetensors"), o, out);
  }
  if (o.is_json) return;
  write_checkpoints(path, out);
  if (fs::exists(path / kManifestName)) {
    out.line("");
    write_manifest(path, out);
  }
}

// --- Data sets ---------------------------------------------------------------------------------------------

void inspect_data(const Options& o) {
  std::vector<std::string> names = o.columns;
  for (const std::string& name : names) {
    if (name != "source" && name != "target" && name != "label")
      throw UsageError("--columns: unknown column " + quote(name) + " (source, target or label)");
  }
  if (names.empty() && !o.recipe.empty()) names = read_recipe(o.recipe, o.scale).data.columns;
  DataSummary summary(names);
  cli::LineReader reader(o.data, o.reader);
  for (std::string_view line; reader.next(line);) {
    try {
      summary.add(line);
    } catch (const Error& error) {
      throw Error(reader.place() + ":" + error.what());
    }
  }
  cli::LineWriter out;
  if (o.is_json) {
    for (const Json& json : summary.json()) out.line(json.dump());
  } else {
    out.text(summary.text());
  }
  out.flush();
}

// --- Learning curves ---------------------------------------------------------------------------------------

// models/recipes/imdb-encoder/model is called imdb-encoder, models/spa-eng spa-eng.
std::string name_of_run(const fs::path& run) {
  fs::path path = fs::absolute(run).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  if (path.filename() == "log.csv") path = path.parent_path();
  if (path.filename() == "model") path = path.parent_path();
  return path.filename().string();
}

void draw_curves(const Options& o) {
  if (o.output != "-") cli::check_result_file(o.output);
  std::vector<LearningCurve> curves;
  for (const std::string& run : o.runs) {
    fs::path log = run;
    if (fs::is_directory(log)) {
      log = fs::exists(log / "log.csv") || !fs::exists(log / "model" / "log.csv") ? log / "log.csv"
                                                                                  : log / "model" / "log.csv";
    }
    constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 28;
    curves.push_back(parse_learning_curve(read_file(log, kMaxBytes), shown(log), name_of_run(run)));
  }
  cli::write_result_file(o.output, learning_curves_svg(curves, o.title));
}

// --- What was named ----------------------------------------------------------------------------------------

bool ends_with(const fs::path& path, std::string_view end) { return path.string().ends_with(end); }

void inspect_model(const Options& o) {
  if (o.lists_keys) {
    if (!o.what.empty() || !o.recipe.empty()) throw UsageError("--keys is of no recipe (name none)");
    cli::LineWriter keys;
    keys.text(recipe_reference(model_kinds()));
    keys.flush();
    return;
  }
  if (o.what.empty() == o.recipe.empty()) {
    throw UsageError(o.what.empty()
                         ? "nothing to inspect (name a model directory, a recipe or a .safetensors file)"
                         : "both " + quote(o.what) + " and --recipe (name one)");
  }
  cli::LineWriter out;
  const fs::path path = o.what.empty() ? o.recipe : o.what;
  const bool is_recipe =
      !o.recipe.empty() || path == "-" || ends_with(path, ".yaml") || ends_with(path, ".yml");
  if (!is_recipe && o.is_for_make) throw UsageError("--make is of a recipe (name a .yaml file)");
  if (is_recipe && (o.shows_tensors || o.has_statistics))
    throw UsageError("a recipe has no tensors yet (train it first)");
  if (path == "-") {
    inspect_recipe(parse_recipe(read_standard_input(), "-", o.scale), o, out);
  } else if (is_recipe) {
    inspect_recipe(read_recipe(path, o.scale), o, out);
  } else if (fs::is_directory(path)) {
    inspect_directory(path, o, out);
  } else {
    write_tensors(Safetensors(path), o, out);
  }
  out.flush();
}

void run(const Options& o) {
  if (!o.data.empty() && !o.runs.empty()) throw UsageError("both --data and --curves (one at a time)");
  if (!o.what.empty() && (!o.data.empty() || !o.runs.empty())) {
    throw UsageError(quote(o.what) + " and " + (o.data.empty() ? "--curves" : "--data") + " (one at a time)");
  }
  if (o.data.empty() && !o.columns.empty()) throw UsageError("--columns goes with --data only");
  if (o.runs.empty() && o.output != "-") throw UsageError("--output goes with --curves only");
  if (!o.data.empty()) {
    inspect_data(o);
  } else if (!o.runs.empty()) {
    draw_curves(o);
  } else {
    inspect_model(o);
  }
}

}  // namespace
}  // namespace headwater

int main(int argc, char** argv) {
  using namespace headwater;
  const cli::ToolDescription tool{
      "inspect",
      "show the layers of a model, what a checkpoint holds, what a data set is like or "
      "how runs went",
      "inspect recipes/spa-eng.yaml\n"
      "inspect --keys\n"
      "inspect models/spa-eng\n"
      "inspect models/spa-eng/model.safetensors --statistics\n"
      "inspect --data reviews.tsv\n"
      "inspect --curves models/one models/two --output curves.svg"};
  return cli::tool_main<Options>(argc, argv, tool, describe, run);
}
