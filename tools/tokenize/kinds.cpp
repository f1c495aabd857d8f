#include "tools/tokenize/kinds.hpp"

#include <algorithm>
#include <vector>

namespace headwater::tokenize {
namespace {

constexpr Kind kKinds[] = {
    {.name = "word", .splits_punctuation = true},
    {.name = "character"},
    {.name = "byte_bpe", .subword = SubwordKind::byte_bpe, .has_min_frequency = true},
    {.name = "bpe", .subword = SubwordKind::bpe, .has_min_frequency = true, .has_suffix = true},
    {.name = "wordpiece", .subword = SubwordKind::wordpiece, .has_min_frequency = true},
    {.name = "unigram", .subword = SubwordKind::unigram, .has_coverage = true},
    {.name = "subword_text_encoder", .subword = SubwordKind::subword_text_encoder, .has_special = false},
};

std::string listed(const std::vector<std::string_view>& names, std::string_view before_last) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += i + 1 == names.size() ? before_last : ", ";
    out += names[i];
  }
  return out;
}

}  // namespace

const Kind* find_kind(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kKinds), std::end(kKinds), [&](const Kind& kind) { return kind.name == name; });
  return found == std::end(kKinds) ? nullptr : found;
}

std::string kind_names() {
  std::vector<std::string_view> names;
  for (const Kind& kind : kKinds) names.push_back(kind.name);
  return listed(names, " or ");
}

std::string kind_names(bool Kind::*has) {
  std::vector<std::string_view> names;
  for (const Kind& kind : kKinds) {
    if (kind.*has) names.push_back(kind.name);
  }
  return listed(names, " and ");
}

}  // namespace headwater::tokenize
