// config.json: the settings of a model as the rows of its recipe section say them, and single values.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "recipe/recipe.hpp"
#include "support/error.hpp"
#include "support/json.hpp"

namespace headwater {

// What every config.json of ours begins with.
Json begin_config(std::string_view architecture, std::string_view model_type);
// The bits version of the program that trained the model; none where config.json does not say it.
// What it throws names the file.
std::optional<std::int64_t> bits_version(const Json& config, const std::filesystem::path& path);
Json without_bits_version(Json config);

// Sets a member for each key that is read.
void write_settings(Json& config, ModelSettings& settings);
// And back. Throws Error naming the member that is missing, of another type or out of range: the ranges are
// those of recipes, so that no product of sizes overflows; also where settings do not fit together.
void read_settings(const Json& config, ModelSettings& settings);

// The value of one key, to the row's member: throws as read_settings does.
void read_member(const Json& value, const schema::Row& row);

// f(). An error about the type of a value, "expected a number, found a string", gets the member's name.
template <class F>
decltype(auto) with_name(std::string_view name, const F& f) {
  try {
    return f();
  } catch (const Error& error) {
    const std::string what = error.what();
    if (!what.starts_with("expected ")) throw;
    throw Error(quote(name) + ": " + what);
  }
}

// A whole number from `min` to `max`. Throws Error naming the member, not the file.
std::int64_t whole(const Json& config, std::string_view name, std::int64_t min, std::int64_t max);
// A text; what it throws names the file.
std::string text_at(const Json& config, std::string_view name, const std::filesystem::path& path);

}  // namespace headwater
