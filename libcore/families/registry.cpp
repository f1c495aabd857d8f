#include "families/registry.hpp"

#include "families/layouts/config_table.hpp"
#include "families/layouts/registry.hpp"
#include "families/model_directory.hpp"
#include "support/error.hpp"

namespace headwater {

// One row a kind, which stands in its own file. The first is the kind of a recipe that names none.
std::span<const Kind* const> all_kinds() {
  static const Kind* const rows[] = {&encoder_decoder_kind(), &classifier_kind(), &bag_of_words_kind(),
                                     &language_model_kind(),  &vision_kind(),     &text_encoder_kind(),
                                     &masked_lm_kind(),       &linear_kind()};
  return rows;
}

std::string_view name_of(Task task) {
  switch (task) {
    case Task::translation:
      return "translation";
    case Task::classification:
      return "classification";
    case Task::language_modeling:
      return "language_modeling";
    case Task::image_classification:
      return "image_classification";
    case Task::feature_extraction:
      return "feature_extraction";
    case Task::masked_language_modeling:
      return "masked_language_modeling";
  }
  return "";
}

LineEnds Kind::line_ends(const ModelSection&, std::string_view side) const {
  return {.start = side == "target", .end = side == "target"};
}

std::unique_ptr<TextStates> Kind::text_states(const ModelFolder& folder) const {
  throw Error(folder.path.string() + ": holds " + std::string(what_it_is()) +
              ", which has no hidden states of tokens");
}

ModelKinds model_kinds() {
  static const std::vector<const ModelKind*> kinds = [] {
    std::vector<const ModelKind*> models;
    for (const Kind* kind : all_kinds()) models.push_back(&kind->model_kind());
    return models;
  }();
  return kinds;
}

const Kind& kind_of(const ModelSection& model) {
  for (const Kind* kind : all_kinds()) {
    if (&kind->model_kind() == &model.kind()) return *kind;
  }
  throw Error("model: no kind " + quote(model.kind().name));
}

ModelConfig model_config(Json config, const std::string& where, const std::string& usable) {
  const Layout* layout = nullptr;
  try {
    const std::string& type = config.at("model_type").as_string();
    for (const Kind* kind : all_kinds()) {
      if (type == kind->model_type()) return {std::move(config), kind, nullptr};
    }
    layout = layout_of(config);
    if (layout == nullptr)
      throw Error("\"model_type\" is " + quote(type) + ", and models of that type are not read");
  } catch (const Error& error) {
    std::string read;
    for (const std::string& name : layout_names()) read += name + ", ";
    throw Error(where + ": " + error.what() + " (read are " + read + "and what train writes" + usable + ")");
  }
  try {
    return {our_config(*layout, config), &layout->kind(), layout};
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
