// Files that name several recipes: a line for each, and for each key that all of them are given.
#include <algorithm>

#include "support/directories.hpp"
#include "support/error.hpp"
#include "support/split.hpp"
#include "tools/headwater/headwater.hpp"

namespace headwater::front {

namespace {

constexpr std::string_view kListEnding = ".runs";

// The key of KEY=VALUE; empty: of something else.
std::string_view key_of(std::string_view word) {
  const std::size_t equals = word.find('=');
  return equals == word.npos ? std::string_view() : word.substr(0, equals);
}

std::vector<std::string> words_of(const fs::path& file) {
  std::vector<std::string> words;
  const std::string text = read_file(file, 1 << 20);
  for (std::string_view line : split(text, '\n')) {
    line = line.substr(0, line.find('#'));
    const std::size_t begin = std::min(line.find_first_not_of(" \t\r"), line.size());
    line.remove_prefix(begin);
    line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
    if (line.empty()) continue;
    const bool is_file = key_of(line).empty() && !is_name(line);  // beside the list
    words.push_back(is_file ? (file.parent_path() / line).string() : std::string(line));
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

bool expand_list(const House& house, Options& o) {
  if (o.words.empty()) return false;
  const std::string& word = o.words.front();
  const fs::path file = is_name(word) ? house.list(word) : fs::path(word);
  std::error_code none;
  if (file.extension() != kListEnding || !fs::is_regular_file(file, none)) return false;
  std::vector<std::string> words = words_of(file);
  // What the command sets is set instead.
  std::erase_if(words, [&](const std::string& in_list) {
    const auto sets_it = [&](const std::string& given) { return key_of(given) == key_of(in_list); };
    return !key_of(in_list).empty() && (std::any_of(o.words.begin(), o.words.end(), sets_it) ||
                                        std::any_of(o.arrays.begin(), o.arrays.end(), sets_it));
  });
  words.insert(words.end(), o.words.begin() + 1, o.words.end());
  o.words = std::move(words);
  return true;
}

}  // namespace headwater::front
