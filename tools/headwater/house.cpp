#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "support/directories.hpp"
#include "support/error.hpp"
#include "tools/headwater/headwater.hpp"

namespace headwater::front {

namespace {

fs::path folder_of_this_program() {
  std::array<char, 4096> path;
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  if (length <= 0) throw Error("/proc/self/exe: cannot be read, so the recipes are not found");
  return fs::path(std::string_view(path.data(), static_cast<std::size_t>(length))).parent_path();
}

// As it is named in the current folder, where it lies there: build/bin.
fs::path near(const fs::path& folder, const fs::path& now) {
  const fs::path relative = folder.lexically_relative(now);
  return relative.empty() || relative.string().starts_with("..") ? folder : relative;
}

}  // namespace

House find_house() {
  const fs::path here = folder_of_this_program(), prefix = here.parent_path();
  const fs::path installed = prefix / "share" / "headwater", clone = prefix.parent_path();
  std::error_code error;
  const fs::path now = fs::current_path(error);
  if (const char* const make = std::getenv("HEADWATER_MAKE"); make != nullptr && *make != '\0')
    return {{}, near(here, now), true};
  for (const fs::path& root : {installed, clone}) {
    House house{root, here};
    if (!is_file(root / "recipes" / "README.md") || !is_file(root / "data" / "common.sh")) continue;
    // Installed under other names, scripts have the programs by their own.
    const fs::path for_scripts = prefix / "libexec" / "headwater";
    if (root == installed && is_file(for_scripts / "train")) house.programs = for_scripts;
    std::error_code none;
    if (root == clone && fs::equivalent(root, ".", none)) house = {{}, near(here, now)};
    return house;
  }
  throw Error(here.string() + ": no recipes beside this program, neither in " + installed.string() +
              " nor in " + clone.string() +
              " (make install puts them there; in a clone the build folder is build)");
}

std::vector<std::string> House::names() const {
  std::vector<std::string> all;
  std::error_code error;
  for (const fs::path& path : list_folder(root / "recipes", error)) {
    if (path.extension() == ".yaml") all.push_back(path.stem().string());
  }
  if (error) fail_io(root / "recipes", "cannot list", error.value());
  std::sort(all.begin(), all.end());
  return all;
}

bool is_name(std::string_view word) { return !word.empty() && word.find_first_of("/.") == word.npos; }

bool is_recipe(const std::string& word) {
  std::error_code none;
  if (!is_name(word)) return fs::path(word).extension() == ".yaml" && fs::is_regular_file(word, none);
  try {
    const std::vector<std::string> names = find_house().names();
    return std::binary_search(names.begin(), names.end(), word);
  } catch (const Error&) {
    return false;  // there are none beside this program
  }
}

}  // namespace headwater::front
