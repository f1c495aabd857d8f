#include "families/layouts/label_row.hpp"

#include <map>
#include <set>

#include "families/config.hpp"
#include "families/label_names.hpp"
#include "families/layouts/config_table.hpp"
#include "support/error.hpp"

namespace headwater {

namespace {

constexpr const char* kOneOutput =
    ": a model with one output scores its text, as a cross-encoder does, and gives no label; such models are "
    "not read";

// By their ids, which stand in any order.
std::map<std::int64_t, std::string> names_of(const Json& theirs, std::string_view member_name) {
  constexpr std::int64_t kMaxClasses = 100000;
  const Json* const member = member_said(theirs, member_name);
  const bool has_count = member_said(theirs, "num_labels") != nullptr;
  const std::int64_t count = has_count ? whole(theirs, "num_labels", 0, kMaxClasses) : 2;
  std::map<std::int64_t, std::string> names;
  if (member == nullptr) {  // as that library has it
    if (count < 2) throw Error("\"num_labels\" is " + std::to_string(count) + kOneOutput);
    for (std::int64_t id = 0; id < count; ++id) names[id] = "LABEL_" + std::to_string(id);
    return names;
  }
  const Json::Object& labels = member->as_object();
  for (const auto& [id, name] : labels) {
    const bool is_number = !id.empty() && id.size() < 10 && id.find_first_not_of("0123456789") == id.npos &&
                           (id.size() == 1 || id.front() != '0');
    if (!is_number) throw Error("\"id2label\" has " + quote(id) + " where an id is expected");
    names[std::stoll(id)] = name.as_string();
  }
  const auto classes = static_cast<std::int64_t>(names.size());
  if (classes == 1) throw Error("\"id2label\" has one name" + std::string(kOneOutput));
  if (has_count && count != classes)
    throw Error("\"num_labels\" is " + std::to_string(count) + ", \"id2label\" has " +
                std::to_string(classes) + " names");
  if (classes < 2 || classes > kMaxClasses || names.rbegin()->first != classes - 1) {
    throw Error("\"id2label\" has " + std::to_string(classes) +
                " names, expected those of 0, 1 and so on (at least 2)");
  }
  return names;
}

}  // namespace

void read_problem_type(std::string_view name, const Json& theirs, Json& ours) {
  const Json* const said = member_said(theirs, name);
  const std::string type = said != nullptr ? said->as_string() : std::string(kOneLabel);
  if (type == "regression") throw Error(quote(name) + " is \"regression\": models of numbers are not read");
  if (type != kOneLabel && type != kManyLabels)
    refuse_member(name, quote(type), quote(kOneLabel) + " or " + quote(kManyLabels));
  ours.set(name, type);
}
void write_problem_type(std::string_view name, const Json& ours, Json& theirs) {
  theirs.set(name, gives_many_labels(ours) ? kManyLabels : kOneLabel);
}

void read_label_names(std::string_view name, const Json& theirs, Json& ours) {
  std::set<std::string> seen;
  Json names = Json(Json::Object{});
  for (const auto& [id, said] : names_of(theirs, name)) {
    std::string label = said;
    if (seen.contains(label)) label.append(" (").append(std::to_string(id)).append(")");
    names.as_object().emplace_back(std::to_string(id), label);
    seen.insert(std::move(label));
  }
  ours.set("classes", static_cast<std::int64_t>(names.as_object().size()));
  ours.set("id2label", std::move(names));
}
void write_label_names(std::string_view, const Json& ours, Json& theirs) {
  write_labels(theirs, labels_of_config(ours, "config.json"));
}

}  // namespace headwater
