// The labels of a published model of labels: id2label of its config.json.
#pragma once

#include "families/layouts/layout.hpp"

namespace headwater {

// `theirs` to id2label and classes of ours. A name that stands there twice gets its id: "crane (517)". Throws
// Error where the ids are not 0, 1 and so on.
void read_label_names(std::string_view name, const Json& theirs, Json& ours);
// Ours to id2label and label2id.
void write_label_names(std::string_view name, const Json& ours, Json& theirs);

// problem_type: one label of several, or each label by itself. Where it is not said: the first.
void read_problem_type(std::string_view name, const Json& theirs, Json& ours);
void write_problem_type(std::string_view name, const Json& ours, Json& theirs);

constexpr ConfigRow problem_type_row() {
  return config_rows::own("problem_type", "problem_type", read_problem_type, write_problem_type);
}
constexpr ConfigRow label_names_row() {
  return config_rows::own("id2label", "classes", read_label_names, write_label_names);
}

}  // namespace headwater
