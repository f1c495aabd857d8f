#include "tasks/foreign_tensors.hpp"

namespace headwater {

static constexpr NamePair kPartNames[] = {
    {"weight", "weight"}, {"bias", "bias"}, {"gamma", "weight"}, {"beta", "bias"}};

std::string_view translated(std::span<const NamePair> names, std::string_view ours) {
  for (const NamePair& name : names) {
    if (name.ours == ours) return name.theirs;
  }
  return {};
}

std::string translated_layer(std::span<const NamePair> layers, std::string_view after) {
  const std::size_t layer = after.find('.'), part = after.rfind('.');
  if (layer == std::string_view::npos || layer >= part) return {};
  const std::string_view name = translated(layers, after.substr(layer + 1, part - layer - 1)),
                         last = translated(kPartNames, after.substr(part + 1));
  if (name.empty() || last.empty()) return {};
  std::string theirs(after.substr(0, layer + 1));
  return theirs.append(name).append(".").append(last);
}

}  // namespace headwater
