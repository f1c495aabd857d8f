#include "pretrained/layouts/foreign_tensors.hpp"

#include <algorithm>

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

std::string name_there(const Safetensors& tensors, const std::vector<std::string>& names) {
  const auto at = std::ranges::find_if(names, [&](const std::string& name) { return tensors.find(name); });
  return at != names.end() ? *at : names.front();
}

std::string_view prefix_there(const Safetensors& tensors, std::string_view prefix) {
  const bool is_there = std::ranges::any_of(
      tensors.tensors(), [&](const TensorView& tensor) { return tensor.name.starts_with(prefix); });
  return is_there ? prefix : "";
}

}  // namespace headwater
