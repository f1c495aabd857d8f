#include "pretrained/registry.hpp"

#include "support/error.hpp"

namespace headwater {

// One row a kind, which stands in its own file. The first is the kind of a recipe that names none.
const Kind& encoder_decoder_kind();
const Kind& classifier_kind();
const Kind& bag_of_words_kind();
const Kind& language_model_kind();
const Kind& vision_kind();

std::span<const Kind* const> all_kinds() {
  static const Kind* const rows[] = {&encoder_decoder_kind(), &classifier_kind(), &bag_of_words_kind(),
                                     &language_model_kind(), &vision_kind()};
  return rows;
}

std::string_view name_of(Task task) {
  switch (task) {
    case Task::translation:
      return "translation";
    case Task::classification:
      return "label";
    case Task::language_modeling:
      return "continuation";
    case Task::image_classification:
      return "image_label";
  }
  return "";
}

LineEnds Kind::line_ends(const ModelSection&, std::string_view side) const {
  return {.start = side == "target", .end = side == "target"};
}

std::vector<DirectoryFile> exported_files(const std::filesystem::path& directory,
                                          const std::function<std::vector<DirectoryFile>()>& files) {
  try {
    return files();
  } catch (const Error& error) {
    throw Error(directory.string() + ": " + error.what());
  }
}

ExportedModel Kind::exported(const ModelFolder&, const std::filesystem::path& directory) const {
  throw Error(directory.string() +
              ": text classifiers have no published layout here yet (translators, language models and models "
              "of images have one)");
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

const Kind& kind_of(const Json& config, const std::string& where, const std::string& usable) {
  std::string foreign;
  for (const Kind* kind : all_kinds()) {
    if (!kind->foreign_type().empty()) foreign += std::string(kind->foreign_type()) + ", ";
  }
  try {
    const std::string& type = config.at("model_type").as_string();
    for (const Kind* kind : all_kinds()) {
      const bool is_foreign = !type.empty() && type == kind->foreign_type();
      if (is_foreign || type == kind->model_type()) return *kind;
    }
    throw Error("\"model_type\" is " + quote(type) + ", and models of that type are not read");
  } catch (const Error& error) {
    throw Error(where + ": " + error.what() + " (read are " + foreign + "and what train writes" + usable +
                ")");
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
