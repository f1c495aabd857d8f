// The families of models. A new one is its folder and a row in registry.cpp (libcore/ADDING.md).
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "families/family.hpp"

namespace headwater {

// The rows of the registry.
const Family& encoder_decoder_family();
const Family& classifier_family();
const Family& bag_of_words_family();
const Family& linear_family();
const Family& language_model_family();
const Family& vision_family();
const Family& text_encoder_family();
const Family& masked_lm_family();

std::span<const Family* const> all_families();
ModelKinds model_kinds();

const Family& family_of(const ModelSection& model);

// What the model in that folder is, and can do. Throws Error "where: what" where config.json says none.
Offer offer_of(const ModelFolder& folder);
// Throws Error that says what the folder holds and which tools read it, where its model cannot do that.
void require(const ModelFolder& folder, Ability ability);

struct Layout;

// A config.json as train writes it, and what it is of.
struct ModelConfig {
  Json config;
  const Family* family;
  const Layout* layout;  // that the file is in; null: it is as train writes it
};
// By "model_type" and "architectures" of any config.json. Throws Error "where: what", of a type that is not
// read with what is (and usable() after it).
ModelConfig model_config(
    Json config, const std::string& where,
    const std::function<std::string()>& usable = [] { return std::string(); });

// recipe/recipe.hpp with the kinds of this registry.
Recipe read_recipe(const std::filesystem::path& path, std::string_view scale = "full",
                   const std::vector<std::string>& changes = {});
Recipe parse_recipe(std::string_view text, std::string_view where, std::string_view scale = "full",
                    const std::vector<std::string>& changes = {});

}  // namespace headwater
