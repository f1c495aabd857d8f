#include "families/layouts/registry.hpp"

#include <algorithm>

#include "families/layouts/config_table.hpp"
#include "families/layouts/tensor_table.hpp"
#include "families/model_directory.hpp"
#include "families/quantized_model.hpp"
#include "families/registry.hpp"
#include "support/error.hpp"
#include "support/name_list.hpp"

namespace headwater {

// One row a layout, which stands in its own file.
const Layout& marian_layout();
const Layout& gpt2_layout();
const Layout& vit_layout();
const Layout& bert_classifier_layout();
const Layout& bert_model_layout();
const Layout& bert_masked_lm_layout();
const Layout& distilbert_classifier_layout();
const Layout& distilbert_model_layout();
const Layout& distilbert_masked_lm_layout();
const Layout& roberta_classifier_layout();
const Layout& roberta_model_layout();
const Layout& roberta_masked_lm_layout();

std::span<const Layout* const> all_layouts() {
  static const Layout* const rows[] = {&marian_layout(),
                                       &gpt2_layout(),
                                       &vit_layout(),
                                       &bert_classifier_layout(),
                                       &bert_model_layout(),
                                       &bert_masked_lm_layout(),
                                       &distilbert_classifier_layout(),
                                       &distilbert_model_layout(),
                                       &distilbert_masked_lm_layout(),
                                       &roberta_classifier_layout(),
                                       &roberta_model_layout(),
                                       &roberta_masked_lm_layout()};
  return rows;
}

// Those that are written and never read.
const Layout& ctranslate2_layout();

static std::span<const Layout* const> written_layouts() {
  static const Layout* const rows[] = {&ctranslate2_layout()};
  return rows;
}

// Those whose folders have no config.json.
const Layout& marian_nmt_layout();

std::optional<FoundLayout> layout_with_own_files(const std::filesystem::path& folder) {
  for (const Layout* const layout : {&marian_nmt_layout()}) {
    if (std::optional<OwnFiles> files = layout->find(folder)) return FoundLayout{layout, std::move(*files)};
  }
  return std::nullopt;
}

std::vector<std::string> layout_names() {
  std::vector<std::string> names;
  for (const Layout* layout : all_layouts()) {
    if (std::ranges::find(names, layout->model_type) == names.end()) names.emplace_back(layout->model_type);
  }
  return names;
}

std::vector<std::string> written_layout_names() {
  std::vector<std::string> names = layout_names();
  for (const Layout* layout : written_layouts()) names.emplace_back(layout->written_as);
  return names;
}

static bool names_architectures(const Json& config) {
  const Json* const named = config.find("architectures");
  return named != nullptr && named->is_array() && !named->as_array().empty();
}

static bool is_of(const Layout& layout, const Json& config) {
  const Json* const type = config.find("model_type");
  return type != nullptr && type->is_string() && layout.model_type == type->as_string();
}

bool lacks_architecture(const Json& config) {
  if (!config.is_object() || names_architectures(config)) return false;
  return std::ranges::count_if(all_layouts(), [&](const Layout* layout) { return is_of(*layout, config); }) >
         1;
}

void name_architecture(Json& config, const Safetensors& tensors) {
  const Layout* best = nullptr;
  std::ptrdiff_t most = 0;
  for (const Layout* layout : all_layouts()) {
    if (!is_of(*layout, config)) continue;
    const std::ptrdiff_t rows = rows_in_file(*layout, tensors);
    if (best != nullptr && rows <= most) continue;
    best = layout;
    most = rows;
  }
  if (best != nullptr) config.set("architectures", Json::Array{Json(best->architectures.front())});
}

const Layout* layout_of(const Json& config) {
  const std::string& type = config.at("model_type").as_string();
  const Json* const named = config.find("architectures");
  const bool names_some = names_architectures(config);
  std::string known;
  for (const Layout* layout : all_layouts()) {
    if (layout->model_type != type) continue;
    if (!names_some) return layout;
    for (const std::string_view architecture : layout->architectures) {
      const auto is_it = [&](const Json& name) {
        return name.is_string() && name.as_string() == architecture;
      };
      if (std::ranges::any_of(named->as_array(), is_it)) return layout;
      known += (known.empty() ? "" : ", ") + std::string(architecture);
    }
  }
  if (!names_some || known.empty()) return nullptr;
  throw Error("\"architectures\" is " + named->dump() + ", of " + quote(type) + " are read " + known);
}

std::vector<const Layout*> layouts_of(const Family& family, std::string_view name) {
  std::vector<const Layout*> found;
  for (const Layout* layout : all_layouts()) {
    if (&layout->family() == &family && (name.empty() || layout->model_type == name)) found.push_back(layout);
  }
  return found;
}

std::vector<std::string> fitting_layouts(const Family& family, const ModelSection& section) {
  std::string fits;
  const auto add_fit = [&](std::string_view name) { fits += (fits.empty() ? "" : ", ") + std::string(name); };
  std::vector<std::string> lines;
  for (const Layout* layout : layouts_of(family)) {
    std::string keys;
    for (const ObstacleKey& key : obstacles(*layout, section))
      keys += (keys.empty() ? "" : ", ") + key.key + " " + key.value + " (only " + key.only + ")";
    const std::string name(layout->model_type);
    if (keys.empty()) {
      add_fit(name);
    } else {
      lines.push_back("does not fit " + name + ": " + keys);
    }
  }
  for (const Layout* layout : written_layouts()) {
    if (&layout->family() == &family && obstacles(*layout, section).empty()) add_fit(layout->written_as);
  }
  if (!fits.empty()) lines.insert(lines.begin(), "fits the layouts: " + fits);
  return lines;
}

namespace {

// The kinds that have a layout: "encoder_decoder, language_model and vision".
std::string kinds_with_layouts() {
  std::vector<std::string_view> names;
  for (const Layout* layout : all_layouts()) {
    const std::string_view name = layout->family().model_kind.name;
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return listed(names);
}

const Layout& chosen_layout(const ModelSection& section, const Family& family, const std::string& directory,
                            std::string_view name) {
  const std::vector<const Layout*> all = layouts_of(family);
  std::vector<const Layout*> wanted = layouts_of(family, name);
  for (const Layout* layout : written_layouts()) {
    if (&layout->family() == &family && layout->written_as == name) wanted.push_back(layout);
  }
  if (all.empty()) {
    throw Error(directory + ": " + std::string(family.model_kind.name) +
                " has no published layout here yet (" + kinds_with_layouts() + " have one)");
  }
  if (wanted.empty()) {
    std::vector<std::string_view> names;
    for (const Layout* layout : all) names.push_back(layout->model_type);
    for (const Layout* layout : written_layouts()) {
      if (&layout->family() == &family) names.push_back(layout->written_as);
    }
    throw UsageError(
        "--layout " + std::string(name) + ": " + directory + " is of kind " +
        std::string(family.model_kind.name) + ", which goes to " + listed(names) +
        (names.size() > 1 ? " (leave --layout out for the one that fits)" : " (leave --layout out)"));
  }
  std::string in_the_way;
  for (const Layout* layout : wanted) {
    const std::string text = obstacle_text(*layout, obstacles(*layout, section));
    if (text.empty()) return *layout;
    in_the_way += (in_the_way.empty() ? "" : "; ") + text;
  }
  throw Error(directory + ": " + in_the_way);
}

// As train writes it.
ExportedModel in_our_layout(const ModelFolder& folder, Json& ours) {
  ExportParts parts = folder.layout->parts(folder, ours);
  const auto write = [parameters = std::move(parts.parameters)](const ByteSink& sink) {
    std::vector<TensorView> tensors;
    for (const auto& p : parameters->all()) tensors.push_back(float_tensor(p->name, p->shape, p->value.data));
    write_safetensors(std::move(tensors), {}, sink);
  };
  return {.files = std::move(parts.files), .write_tensors = write, .notes = std::move(parts.notes)};
}

}  // namespace

ExportedModel exported(const ModelFolder& folder, const std::filesystem::path& directory,
                       std::string_view name) {
  refuse_quantized(folder, "convert");
  const ModelSection section = folder.family->section_of_config(folder.config);
  if (Json ours = folder.config; folder.own_files != nullptr && name.empty())
    return in_our_layout(folder, ours);
  const Layout& layout = chosen_layout(section, *folder.family, directory.string(), name);
  Json ours = folder.config;  // which may have been written before there were all keys
  const Json settings = settings_json(section);
  for (const auto& [key, value] : settings.as_object()) ours.set(key, value);
  ExportParts parts = layout.parts(folder, ours);
  ExportedModel out{.files = {{"config.json", their_config(layout, ours).dump(2) + "\n"}},
                    .write_tensors = {},
                    .notes = std::move(parts.notes)};
  out.files.insert(out.files.end(), parts.files.begin(), parts.files.end());
  out.write_tensors = [&layout, ours, parameters = std::move(parts.parameters)](const ByteSink& sink) {
    write_tensors(layout, *parameters, ours, sink);
  };
  return out;
}

}  // namespace headwater
