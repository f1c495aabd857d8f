// The kinds of models. A new one is its file and a row in registry.cpp (libcore/ADDING.md).
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "families/kind.hpp"

namespace headwater {

// The rows of the registry.
const Kind& encoder_decoder_kind();
const Kind& classifier_kind();
const Kind& bag_of_words_kind();
const Kind& linear_kind();
const Kind& language_model_kind();
const Kind& vision_kind();
const Kind& text_encoder_kind();
const Kind& masked_lm_kind();

std::span<const Kind* const> all_kinds();
ModelKinds model_kinds();

const Kind& kind_of(const ModelSection& model);
struct Layout;

// A config.json as train writes it, and what it is of.
struct ModelConfig {
  Json config;
  const Kind* kind;
  const Layout* layout;  // that the file is in; null: it is as train writes it
};
// By "model_type" and "architectures" of any config.json. Throws Error "where: what", of a type that is not
// read with what is (and `usable` after it).
ModelConfig model_config(Json config, const std::string& where, const std::string& usable = {});

// recipe/recipe.hpp with the kinds of this registry.
Recipe read_recipe(const std::filesystem::path& path, std::string_view scale = "full",
                   const std::vector<std::string>& changes = {});
Recipe parse_recipe(std::string_view text, std::string_view where, std::string_view scale = "full",
                    const std::vector<std::string>& changes = {});

}  // namespace headwater
