// The tensors of a file, and what lies beside it in a model directory.
#include <array>
#include <charconv>
#include <utility>

#include "checkpoint/directory.hpp"
#include "cli/tool.hpp"
#include "families/model_directory.hpp"
#include "reports/model_tables.hpp"
#include "reports/table.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/numbers.hpp"
#include "tools/inspect/inspect.hpp"

namespace headwater::inspect {

namespace {

// Five significant digits: enough to see that something is wrong.
std::string short_number(double value) {
  std::array<char, 32> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 5);
  return {text.data(), end.ptr};
}

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
      for (const auto& [name, value] :
           {std::pair{"min", s.min}, {"max", s.max}, {"mean", s.mean}, {"std", s.std}})
        json.set(name, s.finite > 0 ? Json(value) : Json());
      json.set("not_finite", s.not_finite);
    }
    out.line(json.dump());
  }
}

}  // namespace

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
    std::vector<std::string> row = {tensor.name, std::string(dtype_name(tensor.dtype)),
                                    shape_text(tensor.shape), format_count(tensor.elements()),
                                    format_count(static_cast<std::int64_t>(tensor.bytes.size()))};
    elements += tensor.elements();
    bytes += static_cast<std::int64_t>(tensor.bytes.size());
    if (o.has_statistics) {
      const TensorStatistics s = statistics_of(tensor);
      for (const double value : {s.min, s.max, s.mean, s.std})
        row.push_back(s.finite > 0 ? short_number(value) : "");
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

namespace {

// The files of a checkpoint as its manifest says.
void write_manifest(const Manifest& manifest, cli::LineWriter& out) {
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
  const std::optional<std::int64_t> best = linked_step(directory / kCheckpoints / kBest);
  Table table({{"checkpoint", Table::Align::right}, {"is"}});
  for (std::size_t i = 0; i < checkpoints.size(); ++i) {
    std::string mark = i == 0 ? "latest" : "";
    if (checkpoints[i].step == best) mark += mark.empty() ? "best" : ", best";
    table.add_row({std::to_string(checkpoints[i].step), mark});
  }
  out.line("");
  out.text(table.text());
}

}  // namespace

void inspect_directory(const fs::path& path, const Options& o, cli::LineWriter& out) {
  const bool shows_manifest = !o.is_json && !fs::exists(path / "checkpoints");
  const ModelFolder folder = open_model(path, shows_manifest ? Compared::all : Compared::needed);
  cli::note_skipped_checkpoints(folder.skipped);
  (void)load_parameters(folder);  // which refuses weights that are not those of the model
  write_layers(folder.family->model_of(folder.config, folder.config_path().string()).description, o, out);
  if (!o.is_json && folder.is_quantized)
    out.line("weights in int8: computed as they are, or in float32 multiplied out");
  if (!o.is_json) write_layouts(*folder.family, folder.family->section_of_config(folder.config), out);
  if (o.shows_tensors || o.has_statistics) {
    if (!o.is_json) out.line("");
    write_tensors(folder.weights(), o, out);
  }
  if (o.is_json) return;
  write_checkpoints(path, out);
  if (shows_manifest && folder.manifest) {
    out.line("");
    write_manifest(*folder.manifest, out);
  }
}

}  // namespace headwater::inspect
