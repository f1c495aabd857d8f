// What reading the files of a model directory has in common for every kind of model.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>

#include "autograd/parameter.hpp"
#include "checkpoint/safetensors.hpp"
#include "recipe/recipe.hpp"
#include "support/json.hpp"
#include "text/tokenizer.hpp"

namespace headwater {

// A whole number from `least` to `most`; the bounds are those of recipes, so that no product of sizes
// overflows. These throw Error naming the member, not the file.
std::int64_t whole(const Json& config, std::string_view name, std::int64_t least, std::int64_t most);
// One of these words.
std::string word(const Json& config, std::string_view name, std::initializer_list<std::string_view> allowed);
double share(const Json& config, std::string_view name);            // from 0 to below 1
double positive_number(const Json& config, std::string_view name);  // above 0 and finite

// The members that every model of blocks over tokens has: heads to length, and dropout within the blocks.
void write_blocks(Json& config, const ModelSettings& settings);
void read_blocks(const Json& config, ModelSettings& settings);

// A text, and what it throws names the file.
std::string text_at(const Json& config, std::string_view name, const std::filesystem::path& path);

// The tokenizer of a model whose table has `rows` rows. Throws Error where it is larger than that or its hash
// another one.
Tokenizer load_tokenizer(const std::filesystem::path& path, Index rows, const std::string& hash,
                         const std::filesystem::path& config);

// The file has the tensors of the parameters and no others.
void check_tensors(const Safetensors& tensors, const Parameters& parameters);
void copy_tensors(const Safetensors& tensors, Parameters& parameters);

}  // namespace headwater
