#include "cli/option_names.hpp"

#include <algorithm>
#include <cstddef>

#include "support/error.hpp"

namespace headwater::cli {
namespace {

std::vector<std::string_view> words_of_name(std::string_view name) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t end = std::min(name.find('-', at), name.size());
    words.push_back(name.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

// The one name that has all words of `typed`, in singular or plural, and some more, as few as there are:
// num-beams of beam. Empty where there is none, or two.
std::string_view longer_name(std::string_view typed, const std::vector<std::string>& known) {
  const std::vector<std::string_view> wanted = words_of_name(typed);
  const auto is_same = [](std::string_view a, std::string_view b) {
    const std::string_view shorter = a.size() < b.size() ? a : b, longer = a.size() < b.size() ? b : a;
    return shorter.size() >= 3 && longer.starts_with(shorter) &&
           (longer.size() == shorter.size() || longer.substr(shorter.size()) == "s");
  };
  std::string_view found;
  std::size_t fewest = 0;
  for (const std::string& name : known) {
    const std::vector<std::string_view> words = words_of_name(name);
    const bool has_all = std::all_of(wanted.begin(), wanted.end(), [&](std::string_view word) {
      return std::any_of(words.begin(), words.end(), [&](std::string_view w) { return is_same(word, w); });
    });
    if (!has_all || (fewest > 0 && words.size() > fewest)) continue;
    found = words.size() == fewest ? std::string_view() : std::string_view(name);
    fewest = words.size();
  }
  return found;
}

// The nearest one where hyphens do not count: num-beams of nbeams, max-length-ratio of max_length_ratio.
std::string_view nearest_unhyphenated(std::string_view typed, const std::vector<std::string>& known) {
  const auto bare = [](std::string_view name) {
    std::string out;
    for (const char c : name) {
      if (c != '-' && c != '_') out += c;
    }
    return out;
  };
  std::vector<std::string> names;
  for (const std::string& name : known) names.push_back(bare(name));
  const std::string_view nearest = nearest_word(bare(typed), names);
  const auto found = std::find(names.begin(), names.end(), nearest);
  return found == names.end() ? std::string_view() : known[static_cast<std::size_t>(found - names.begin())];
}

}  // namespace

std::string_view nearest_option(std::string_view typed, const std::vector<std::string>& known) {
  std::string_view nearest = nearest_word(typed, known);
  if (nearest.empty()) nearest = longer_name(typed, known);
  return nearest.empty() ? nearest_unhyphenated(typed, known) : nearest;
}

}  // namespace headwater::cli
