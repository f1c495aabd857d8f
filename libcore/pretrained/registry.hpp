// The kinds of models. A new one is its file and a row in registry.cpp (libcore/ADDING.md).
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "pretrained/kind.hpp"

namespace headwater {

std::span<const Kind* const> all_kinds();
ModelKinds model_kinds();

const Kind& kind_of(const ModelSection& model);
// By "model_type" of a config.json. Throws Error "where: what (what is read", and `usable` after it.
const Kind& kind_of(const Json& config, const std::string& where, const std::string& usable = {});

// recipe/recipe.hpp with the kinds of this registry.
Recipe read_recipe(const std::filesystem::path& path, std::string_view scale = "full",
                   const std::vector<std::string>& changes = {});
Recipe parse_recipe(std::string_view text, std::string_view where, std::string_view scale = "full",
                    const std::vector<std::string>& changes = {});

}  // namespace headwater
