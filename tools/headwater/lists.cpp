// Files that name several recipes: a line for each, and for each key that all of them are given.
#include <algorithm>

#include "support/directories.hpp"
#include "support/error.hpp"
#include "support/split.hpp"
#include "support/utf8.hpp"
#include "text/unicode/unicode_properties.hpp"
#include "tools/headwater/headwater.hpp"

namespace headwater::front {

namespace {

constexpr std::string_view kListEnding = ".runs";

// The key of KEY=VALUE; empty: of something else.
std::string_view key_of(std::string_view word) {
  const std::size_t equals = word.find('=');
  return equals == word.npos ? std::string_view() : word.substr(0, equals);
}

// Without the comment, which begins the line or stands after a blank, as in YAML.
std::string_view without_comment(std::string_view line) {
  std::size_t at = line.find('#');
  while (at != line.npos && at > 0 && line[at - 1] != ' ' && line[at - 1] != '\t')
    at = line.find('#', at + 1);
  return trimmed(line.substr(0, at));
}

std::vector<std::string> words_of(const fs::path& file, std::map<std::string, std::string>& places) {
  std::vector<std::string> words;
  const std::string text = read_file(file, 1 << 20);
  int number = 0;
  for (std::string_view line : split(without_byte_order_mark(text), '\n')) {
    ++number;
    line = without_comment(line);
    if (line.empty()) continue;
    const std::string place = shown(file) + ":" + std::to_string(number) + ": ";
    if (line.find_first_of(" \t") != line.npos)
      throw UsageError(place + quote(line) + " has a space (a line has one recipe or one KEY=VALUE)");
    const bool is_file = key_of(line).empty() && !is_name(line);  // beside the list
    words.push_back(is_file ? (file.parent_path() / line).string() : std::string(line));
    places[words.back()] = place;
  }
  const auto are_keys = [](const std::string& word) { return !key_of(word).empty(); };
  std::stable_partition(words.begin(), words.end(), [&](const std::string& word) { return !are_keys(word); });
  if (words.empty() || are_keys(words.front()))
    throw UsageError(shown(file) + ": names no recipe (one a line: a name, or FILE.yaml)");
  return words;
}

}  // namespace

std::vector<std::string> House::lists() const {
  std::vector<std::string> all;
  std::error_code error;
  for (const fs::path& path : list_folder(root / "recipes", error)) {
    if (path.extension() == kListEnding) all.push_back(path.stem().string());
  }
  if (error) fail_io(root / "recipes", "cannot list", error.value());
  std::sort(all.begin(), all.end());
  return all;
}

std::size_t expand_list(const House& house, Options& o) {
  const auto file_of_list = [&](const std::string& word) {
    const fs::path file = is_name(word) ? house.list(word) : fs::path(word);
    std::error_code none;
    return file.extension() == kListEnding && fs::is_regular_file(file, none) ? file : fs::path();
  };
  const auto list =
      std::ranges::find_if(o.words, [&](const std::string& word) { return !file_of_list(word).empty(); });
  if (list == o.words.end()) return 0;
  for (auto word = o.words.begin(); word != o.words.end(); ++word) {
    if (word != list && key_of(*word).empty())
      throw UsageError(quote(*list) + " is a list of recipes, beside which only KEY=VALUE may stand, not " +
                       quote(*word));
  }
  std::vector<std::string> words = words_of(file_of_list(*list), o.places);
  for (const std::string& word : words) {
    if (!file_of_list(word).empty())
      throw UsageError(o.places[word] + quote(word) + " is a list itself (name its recipes here)");
  }
  // What the command sets is set instead.
  std::erase_if(words, [&](const std::string& in_list) {
    const auto sets_it = [&](const std::string& given) { return key_of(given) == key_of(in_list); };
    return !key_of(in_list).empty() && (std::any_of(o.words.begin(), o.words.end(), sets_it) ||
                                        std::any_of(o.arrays.begin(), o.arrays.end(), sets_it));
  });
  const auto recipes = std::ranges::count_if(words, [](const auto& word) { return key_of(word).empty(); });
  o.words.erase(list);
  words.insert(words.end(), o.words.begin(), o.words.end());
  o.words = std::move(words);
  return static_cast<std::size_t>(recipes);
}

}  // namespace headwater::front
