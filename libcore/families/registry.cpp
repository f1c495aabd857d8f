#include "families/registry.hpp"

#include <algorithm>

#include "families/layouts/config_table.hpp"
#include "families/layouts/registry.hpp"
#include "families/model_directory.hpp"
#include "support/error.hpp"

namespace headwater {

// One row a family, which stands in its own folder. The first is that of a recipe that names none.
std::span<const Family* const> all_families() {
  static const Family* const rows[] = {
      &encoder_decoder_family(), &classifier_family(),   &bag_of_words_family(), &language_model_family(),
      &vision_family(),          &text_encoder_family(), &masked_lm_family(),    &linear_family()};
  return rows;
}

std::string_view tool_of(Ability ability) {
  constexpr std::string_view kTools[] = {"translate", "generate", "generate --fill-mask",
                                         "classify",  "embed",    "attn-dump"};
  return kTools[static_cast<std::size_t>(ability)];
}

bool Offer::has(Ability ability) const { return std::ranges::find(abilities, ability) != abilities.end(); }

std::string Offer::text() const {
  std::string tools;
  for (std::size_t i = 0; i < abilities.size(); ++i) {
    const bool is_last = i + 1 == abilities.size();
    tools += (i == 0 ? "" : is_last ? " or " : ", ") + std::string(tool_of(abilities[i]));
  }
  return noun + " (use " + tools + ")";
}

Offer offer_of(const ModelFolder& folder) {
  try {
    return folder.family->offer(folder.family->section_of_config(folder.config));
  } catch (const Error& error) {
    throw Error(folder.config_path().string() + ": " + error.what());
  }
}

static Error lacks_ability(const ModelFolder& folder, const Offer& offer) {
  return Error(folder.path.string() + ": holds " + offer.text());
}

void require(const ModelFolder& folder, Ability ability) {
  if (const Offer offer = offer_of(folder); !offer.has(ability)) throw lacks_ability(folder, offer);
}

std::unique_ptr<AttentionTracer> Family::attention(const ModelFolder& folder) const {
  require(folder, Ability::show_attention);
  std::unique_ptr<AttentionTracer> tracer = attention_of(folder);
  if (tracer == nullptr) throw lacks_ability(folder, offer_of(folder));
  return tracer;
}

std::unique_ptr<TextStates> Family::states(const ModelFolder& folder) const {
  require(folder, Ability::embed);
  std::unique_ptr<TextStates> states = states_of(folder);
  if (states == nullptr) throw lacks_ability(folder, offer_of(folder));
  return states;
}

ModelKinds model_kinds() {
  static const std::vector<const ModelKind*> kinds = [] {
    std::vector<const ModelKind*> models;
    for (const Family* family : all_families()) models.push_back(&family->model_kind);
    return models;
  }();
  return kinds;
}

const Family& family_of(const ModelSection& model) {
  for (const Family* family : all_families()) {
    if (&family->model_kind == &model.kind()) return *family;
  }
  throw Error("model: no kind " + quote(model.kind().name));
}

ModelConfig model_config(Json config, const std::string& where, const std::function<std::string()>& usable) {
  const Layout* layout = nullptr;
  try {
    const std::string& type = config.at("model_type").as_string();
    for (const Family* family : all_families()) {
      if (type == family->model_type) return {std::move(config), family, nullptr};
    }
    layout = layout_of(config);
    if (layout == nullptr)
      throw Error("\"model_type\" is " + quote(type) + ", and models of that type are not read");
  } catch (const Error& error) {
    std::string read;
    for (const std::string& name : layout_names()) read += name + ", ";
    throw Error(where + ": " + error.what() + " (read are " + read + "and what train writes" + usable() +
                ")");
  }
  try {
    return {our_config(*layout, config), &layout->family(), layout};
  } catch (const Error& error) {
    throw Error(where + ": " + error.what());
  }
}

Recipe read_recipe(const std::filesystem::path& path, std::string_view scale,
                   const std::vector<std::string>& changes) {
  return read_recipe(path, model_kinds(), scale, changes);
}

Recipe parse_recipe(std::string_view text, std::string_view where, std::string_view scale,
                    const std::vector<std::string>& changes) {
  return parse_recipe(text, where, model_kinds(), scale, changes);
}

}  // namespace headwater
