// The list of recipes.
#include <algorithm>
#include <iterator>

#include "cli/lines.hpp"
#include "families/registry.hpp"
#include "reports/table.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/split.hpp"
#include "tools/headwater/headwater.hpp"

namespace headwater::front {

namespace {

constexpr std::string_view kWhat = "# What:", kTakes = "# Takes:";
constexpr std::size_t kLongestPurpose = 88;  // bytes: a line of the table

// Where the first sentence ends; "et al." ends none.
std::size_t end_of_sentence(std::string_view text) {
  std::size_t at = text.find(". ");
  while (at != text.npos && text.substr(0, at).ends_with(" al")) at = text.find(". ", at + 1);
  return std::min(at, text.size());
}

// What the head of the file says after "What:", its first words.
std::string purpose_of(const fs::path& path) {
  std::string said;
  const std::string text = read_file(path, 1 << 20);
  for (std::string_view line : split(text, '\n')) {
    const bool is_first = line.starts_with(kWhat);
    const bool goes_on = !said.empty() && line.starts_with("#  ");
    if (!is_first && !goes_on) {
      if (!said.empty()) break;
      continue;
    }
    line.remove_prefix(is_first ? kWhat.size() : 1);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    said += (said.empty() ? "" : " ") + std::string(line);
  }
  said.resize(std::min({said.find(": "), said.find("; "), end_of_sentence(said)}));
  if (said.size() <= kLongestPurpose) return said;
  said.resize(std::min(said.rfind(' ', kLongestPurpose), kLongestPurpose));
  return said + " ...";
}

// How long it takes, without the number of cores; "" where nobody has measured it.
std::string time_of(const fs::path& path) {
  const std::string text = read_file(path, 1 << 20);
  for (std::string_view line : split(text, '\n')) {
    if (!line.starts_with(kTakes)) continue;
    line.remove_prefix(std::min(line.find_first_not_of(' ', kTakes.size()), line.size()));
    return std::string(line.substr(0, line.find(" on ")));
  }
  return {};
}

// The number is not known where the recipe's encoder is not there yet.
std::string parameters_of(const Recipe& recipe) {
  if (const fs::path from = family_of(recipe.model).line_form(recipe.model).tokenizer_from; !from.empty()) {
    std::error_code none;
    if (!fs::exists(from, none)) return "";
  }
  std::int64_t parameters = 0;
  for (const LayerSummary& layer : family_of(recipe.model).model_of(recipe).description.layers)
    parameters += layer.parameters;
  return format_count(parameters);
}

}  // namespace

void list_recipes(const Options& /*o*/) {
  const House house = find_house();
  Table table({{"recipe"}, {"model"}, {"parameters", Table::Align::right}, {"takes"}, {"what"}});
  const std::vector<std::string> recipes = house.names(), lists = house.lists();
  std::vector<std::string> all;
  std::merge(recipes.begin(), recipes.end(), lists.begin(), lists.end(), std::back_inserter(all));
  for (const std::string& name : all) {
    const bool is_list = std::binary_search(lists.begin(), lists.end(), name);
    const fs::path path = is_list ? house.list(name) : house.recipe(name);
    std::string kind = "several", parameters;
    if (!is_list) {
      const Recipe recipe = read_recipe(path);
      kind = recipe.model.kind().name;
      parameters = parameters_of(recipe);
    }
    table.add_row({name, kind, parameters, time_of(path), purpose_of(path)});
  }
  cli::LineWriter out;
  out.text(table.text());
  out.flush();
}

}  // namespace headwater::front
