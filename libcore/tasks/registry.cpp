#include "tasks/registry.hpp"

#include <array>

#include "support/error.hpp"
#include "tasks/kinds.hpp"

namespace headwater {

std::span<const Task* const> all_tasks() {
  static const std::array<const Task*, 5> rows{&encoder_decoder_task(), &classifier_task(),
                                               &bag_of_words_task(), &language_model_task(), &vision_task()};
  return rows;
}

std::string_view name_of(Answer answer) {
  switch (answer) {
    case Answer::translation:
      return "translation";
    case Answer::label:
      return "label";
    case Answer::continuation:
      return "continuation";
    case Answer::image_label:
      return "image_label";
  }
  return "";
}

ModelKinds model_kinds() {
  static const std::vector<const ModelKind*> kinds = [] {
    std::vector<const ModelKind*> of_tasks;
    for (const Task* task : all_tasks()) of_tasks.push_back(&task->kind());
    return of_tasks;
  }();
  return kinds;
}

const Task& task_of(const ModelSection& model) {
  for (const Task* task : all_tasks()) {
    if (&task->kind() == &model.kind()) return *task;
  }
  throw Error("model: no task for kind " + quote(model.kind().name));
}

const Task& task_of(const Json& config, const std::string& where) {
  try {
    const std::string& type = config.at("model_type").as_string();
    std::string known;
    for (const Task* task : all_tasks()) {
      if (type == task->model_type()) return *task;
      known += (known.empty() ? "" : ", ") + std::string(task->model_type());
    }
    throw Error("\"model_type\" is " + quote(type) + ", expected one of " + known);
  } catch (const Error& error) {
    throw Error(where + ": " + error.what());
  }
}

Recipe read_recipe(const std::filesystem::path& path, std::string_view scale) {
  return read_recipe(path, model_kinds(), scale);
}

Recipe parse_recipe(std::string_view text, std::string_view where, std::string_view scale) {
  return parse_recipe(text, where, model_kinds(), scale);
}

}  // namespace headwater
