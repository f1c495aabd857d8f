#include "tools/tokenize/kinds.hpp"

#include <algorithm>
#include <vector>

#include "support/name_list.hpp"

namespace headwater::tokenize {
namespace {

// Words, characters, and all kinds of subwords.
const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = [] {
    std::vector<Kind> known{{.name = "word", .splits_punctuation = true}, {.name = "character"}};
    for (const SubwordKind& kind : subword_kinds()) {
      known.push_back({.name = kind.name,
                       .subword = &kind,
                       .has_min_frequency = kind.has_min_frequency,
                       .has_coverage = kind.has_coverage,
                       .has_suffix = kind.has_suffix,
                       .has_special = kind.has_special});
    }
    return known;
  }();
  return all;
}

}  // namespace

const Kind* find_kind(std::string_view name) {
  const auto found =
      std::find_if(kinds().begin(), kinds().end(), [&](const Kind& kind) { return kind.name == name; });
  return found == kinds().end() ? nullptr : &*found;
}

std::vector<std::string> learned_kinds() {
  std::vector<std::string> names;
  for (const Kind& kind : kinds()) names.emplace_back(kind.name);
  return names;
}

std::string kind_names() {
  std::vector<std::string_view> names;
  for (const Kind& kind : kinds()) names.push_back(kind.name);
  return alternatives(names);
}

std::string kind_names(bool Kind::*has) {
  std::vector<std::string_view> names;
  for (const Kind& kind : kinds()) {
    if (kind.*has) names.push_back(kind.name);
  }
  return listed(names);
}

}  // namespace headwater::tokenize
