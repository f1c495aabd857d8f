#include "pipeline/prerequisites.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "families/registry.hpp"
#include "pipeline/content.hpp"
#include "support/directories.hpp"
#include "support/split.hpp"

namespace headwater {

namespace {

constexpr std::uint64_t kMaxTable = 1 << 20;

// The set that prepare-SET.sh fetches: imdb-texts is made of imdb.
std::string fetched_by(const fs::path& script) {
  constexpr std::string_view kCall = "\"$here/fetch.sh\" ";
  const std::string text = read_file(script, kMaxTable);
  for (const std::string_view row : split(text, '\n')) {
    if (!row.starts_with(kCall)) continue;
    const std::string_view rest = row.substr(kCall.size());
    return std::string(rest.substr(0, rest.find(' ')));
  }
  return {};
}

bool has_training_file(const fs::path& folder) {
  std::error_code none;
  return std::ranges::any_of(list_folder(folder, none), [](const fs::path& file) {
    return file.filename().string().starts_with("train");
  });
}

}  // namespace

std::string maker_of(const fs::path& house, const std::string& model) {
  const std::string maker = fs::path(model).parent_path().filename().string();
  const bool is_of_run = !maker.empty() && model == "models/recipes/" + maker + "/model";
  return is_of_run && is_there(house / "recipes" / (maker + ".yaml")) ? maker : "";
}

std::vector<std::string> models_of(const Recipe& recipe) {
  std::vector<std::string> models;
  for (const std::string& model :
       {recipe.training.init_from, family_of(recipe.model).line_form(recipe.model).tokenizer_from.string(),
        recipe.data.teacher}) {
    if (!model.empty()) models.push_back(model);
  }
  return models;
}

RecipeNeeds needs_of(const fs::path& house, const Recipe& recipe) {
  RecipeNeeds needs;
  for (const std::string& model : models_of(recipe)) {
    if (const std::string maker = maker_of(house, model); !maker.empty()) needs.makers.push_back(maker);
  }
  for (const std::string& file : {recipe.data.train, recipe.data.tokenizer_text}) {
    const std::size_t slash = file.find('/');
    if (slash == file.npos) continue;
    const std::string set = file.substr(0, slash);
    if (std::ranges::find(needs.sets, set) == needs.sets.end()) needs.sets.push_back(set);
  }
  std::sort(needs.sets.begin(), needs.sets.end());
  return needs;
}

std::vector<std::string> in_order(
    const std::vector<std::pair<std::string, std::vector<std::string>>>& makers) {
  const std::map<std::string, std::vector<std::string>> of(makers.begin(), makers.end());
  std::vector<std::string> order;
  const auto put = [&](const auto& self, const std::string& name) -> void {
    if (std::ranges::find(order, name) != order.end()) return;
    if (const auto known = of.find(name); known != of.end()) {
      for (const std::string& maker : known->second) self(self, maker);
    }
    order.push_back(name);
  };
  for (const auto& [name, needed] : makers) put(put, name);
  return order;
}

std::string missing_data(const fs::path& house, const std::string& set, const fs::path& data,
                         const fs::path& mirror) {
  if (has_training_file(data / set) || set == "phrasebook") return {};
  if (set == "debian-descriptions") {
    const fs::path file = mirror / set / "en.tsv.xz";
    if (!mirror.empty()) return is_there(file) ? "" : file.string() + ": no such file";
    return is_there("/usr/bin/apt-get") ? "" : "no apt-get here";
  }
  const fs::path script = house / "data" / ("prepare-" + set + ".sh");
  if (mirror.empty() || !is_there(script)) return {};
  const std::string fetched = fetched_by(script);
  const std::string table = read_file(house / "data" / "sets.txt", kMaxTable);
  for (const std::string_view row : split(table, '\n')) {
    const std::vector<std::string_view> fields = split(row, '|');
    if (fields.size() < 4 || fields[0] != fetched) continue;
    const fs::path file = mirror / fields[2];
    if (!is_there(file) && !is_there(data / "raw" / fetched / fields[1]))
      return file.string() + ": no such file";
  }
  return {};
}

std::optional<double> minutes_of(const fs::path& recipe) {
  constexpr std::string_view kTakes = "# Takes:";
  const std::string text = read_file(recipe, kMaxTable);
  for (const std::string_view row : split(text, '\n')) {
    if (!row.starts_with(kTakes)) continue;
    const std::string rest(row.substr(kTakes.size()));
    char* unit = nullptr;
    const double number = std::strtod(rest.c_str(), &unit);
    const std::string_view word =
        std::string_view(unit).substr(std::string_view(unit).starts_with(' ') ? 1 : 0);
    if (word.starts_with("second")) return number / 60;
    if (word.starts_with("minute")) return number;
    if (word.starts_with("hour")) return number * 60;
  }
  return std::nullopt;
}

}  // namespace headwater
