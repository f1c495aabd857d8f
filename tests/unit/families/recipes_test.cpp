// What every recipe and every row of the benchmark resolves to: none of it may change because a default does.
// recipes.txt has a line a section; this writes it anew:
//
//   HEADWATER_WRITE_RECIPES=1 build/bin/unit_families -tc='every recipe and*'
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include "bench/steps/rows.hpp"
#include "families/registry.hpp"
#include "recipe/key_values.hpp"
#include "support/files.hpp"
#include "support/split.hpp"

using namespace headwater;

namespace {

const std::string kRoot = HEADWATER_SOURCE_DIR, kGolden = kRoot + "/tests/golden/recipes.txt";

bool is_setting(std::string_view key) { return key != "name" && !key.starts_with("expected"); }
// Of those that a row of the benchmark has.
bool is_of_step(std::string_view key) {
  return key.starts_with("model.") || key.starts_with("training.optimizer.") ||
         key.starts_with("training.schedule.") || key == "training.batch_sequences";
}

// "NAME", then an indented line a section: "model: {kind: classifier, width: 32}".
std::string resolved(const Recipe& recipe, bool is_wanted(std::string_view key)) {
  std::string text = recipe.name + "\n", section = "none";
  for (const auto& [key, value] : key_values(recipe, WhichKeys::read)) {
    if (!is_wanted(key)) continue;
    const std::size_t dot = key.rfind('.');
    const std::string of = dot == std::string::npos ? "recipe" : key.substr(0, dot);
    if (of != section) text += (section == "none" ? "  " : "}\n  ") + of + ": {";
    text += (of == section ? ", " : "") + key.substr(dot + 1) + ": " + value;
    section = of;
  }
  return text + "}\n";
}

std::string everything() {
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(kRoot + "/recipes"))
    if (entry.path().extension() == ".yaml") files.insert(entry.path().string());
  std::string text;
  for (const std::string& file : files) text += resolved(read_recipe(file), is_setting);
  for (const std::string_view row : bench::kRowNames)
    text += resolved(bench::make_row(row, kRoot + "/tests/bench/lengths").recipe(row), is_of_step);
  return text;
}

}  // namespace

TEST_CASE("the head of every recipe and list says what it is, how long it takes and its command") {
  for (const fs::directory_entry& entry : fs::directory_iterator(kRoot + "/recipes")) {
    const fs::path& path = entry.path();
    if (path.extension() != ".yaml" && path.extension() != ".runs") continue;
    INFO(path.filename().string());
    const std::string text = read_file(path);
    std::string head, keys;
    for (const std::string_view line : split(text, '\n')) {
      if (!line.starts_with('#')) break;
      head.append(line).append("\n");
      if (line.starts_with("# ") && line[2] != ' ')
        keys.append(line.substr(2, line.find(':') - 1)).append(" ");
    }
    for (const char* const key : {"What: ", "Takes: ", "Run: "})
      CHECK((" " + keys).find(std::string(" ") + key) != std::string::npos);
    const std::string command = "headwater run " + path.stem().string();
    CHECK((head.find(command + "\n") != std::string::npos || head.find(command + " ") != std::string::npos));
    CHECK(head.find("make recipe-") == std::string::npos);  // an installed copy has no Makefile
  }
}

TEST_CASE("a list names recipes that are there and keys that all of them have") {
  int lists = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(kRoot + "/recipes")) {
    if (entry.path().extension() != ".runs") continue;
    ++lists;
    std::vector<std::string> recipes, keys;
    const std::string text = read_file(entry.path());
    for (const std::string_view line : split(text, '\n')) {
      if (line.empty() || line.starts_with('#')) continue;
      (line.find('=') == line.npos ? recipes : keys).emplace_back(line);
    }
    CHECK(recipes.size() > 1);
    for (const std::string& recipe : recipes) {
      INFO(recipe);
      for (const char* const scale : {"full", "quick"})
        CHECK_NOTHROW(read_recipe(kRoot + "/recipes/" + recipe + ".yaml", scale, keys));
    }
  }
  CHECK(lists > 0);
}

TEST_CASE("every recipe and row of the benchmark resolves to the settings of recipes.txt") {
  const std::string here = everything();
  if (std::getenv("HEADWATER_WRITE_RECIPES") != nullptr) write_file(kGolden, here);
  const std::string golden = read_file(kGolden);
  const auto lines = split(here, '\n'), wanted = split(golden, '\n');
  std::string name;
  for (std::size_t i = 0; i < std::min(lines.size(), wanted.size()); ++i) {
    if (!lines[i].starts_with(' ')) name = lines[i];
    INFO(name);
    REQUIRE(lines[i] == wanted[i]);  // the first that differs; what is after it may be moved
  }
  CHECK(lines.size() == wanted.size());
}
