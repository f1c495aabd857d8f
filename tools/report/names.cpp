// What runs are called.
#include <map>
#include <set>

#include "tools/report/report.hpp"

namespace headwater::report {

namespace {

// By what it is named on the command line, where its folder's name alone is another run's, too.
std::map<std::string, std::string>& longer_names() {
  static std::map<std::string, std::string> names;
  return names;
}

fs::path folder_of_log(const fs::path& path) {
  return path.filename() == "log.csv" ? fs::absolute(path).lexically_normal().parent_path() : path;
}

// The last `count` parts of the path of a run's folder: "a/p" of "/runs/a/p/model".
std::string last_parts(const fs::path& run, std::size_t count) {
  const fs::path named = folder_of_log(run);
  const std::string name = name_of_model(named);
  fs::path folder = fs::absolute(named).lexically_normal();
  while (folder.has_relative_path() && folder.filename() != name) folder = folder.parent_path();
  fs::path parts = folder.filename();
  for (std::size_t i = 1; i < count && folder.has_relative_path(); ++i) {
    folder = folder.parent_path();
    parts = folder.filename() / parts;
  }
  return parts.string();
}

}  // namespace

void tell_apart(const std::vector<std::string>& runs) {
  std::map<std::string, std::vector<std::string>> groups;
  for (const std::string& run : runs) groups[name_of_run(run)].push_back(run);
  for (const auto& [name, group] : groups) {
    constexpr std::size_t kMostParts = 64;  // all of a path
    const auto names_of = [&, &of = group](std::size_t parts) {
      std::set<std::string> names;
      for (const std::string& run : of) names.insert(last_parts(run, parts));
      return names.size();
    };
    const std::size_t folders = names_of(kMostParts);
    std::size_t parts = 1;
    while (names_of(parts) < folders) ++parts;
    if (parts == 1) continue;
    for (const std::string& run : group) longer_names()[run] = last_parts(run, parts);
  }
}

std::string name_of_run(const fs::path& path) {
  const auto longer = longer_names().find(path.string());
  return longer != longer_names().end() ? longer->second : name_of_model(folder_of_log(path));
}

}  // namespace headwater::report
