#include "tasks/registry.hpp"

#include "support/error.hpp"

namespace headwater {

// One row a kind: NAME_task() stands in the kind's own file. The first is the kind of a recipe that names
// none.
#define HEADWATER_TASK_ROWS(row) \
  row(encoder_decoder) row(classifier) row(bag_of_words) row(language_model) row(vision)

#define HEADWATER_DECLARE_TASK(name) const Task& name##_task();
HEADWATER_TASK_ROWS(HEADWATER_DECLARE_TASK)

std::span<const Task* const> all_tasks() {
#define HEADWATER_TASK(name) &name##_task(),
  static const Task* const rows[] = {HEADWATER_TASK_ROWS(HEADWATER_TASK)};
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

LineEnds Task::line_ends(const ModelSection&, std::string_view side) const {
  return {.start = side == "target", .end = side == "target"};
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

const Task& task_of(const Json& config, const std::string& where, const std::string& usable) {
  std::string foreign;
  for (const Task* task : all_tasks()) {
    if (!task->foreign_type().empty()) foreign += std::string(task->foreign_type()) + ", ";
  }
  try {
    const std::string& type = config.at("model_type").as_string();
    for (const Task* task : all_tasks()) {
      const bool is_foreign = !type.empty() && type == task->foreign_type();
      if (is_foreign || type == task->model_type()) return *task;
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
