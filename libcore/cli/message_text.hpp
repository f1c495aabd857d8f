// Texts of others, made fit for a line on stderr.
#pragma once

#include <string>
#include <string_view>

namespace headwater::cli {

// "Foo bar" of a library becomes "foo bar"; "UTF-8 ..." and "--option: ..." stay.
std::string lower_first(std::string text);

// "-" as the name of a file, at the beginning or before a number of a line, becomes "standard input".
std::string with_named_input(std::string text);

// A message of a program that the stages of a recipe call, for the user who called these: an option of the
// program becomes the key of the recipe, or what make (MODELS=DIR) or headwater run (--models) calls it.
enum class RecipeCaller { make, headwater };
std::string for_recipe(std::string_view text, RecipeCaller caller);

// Without the line ends and the full stop of a library's message.
std::string on_one_line(std::string text);

}  // namespace headwater::cli
