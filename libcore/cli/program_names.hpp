// Names of the programs in what they say, where they were installed under others (PROGRAM_PREFIX).
#pragma once

#include <string>
#include <string_view>

namespace headwater::cli {

// "hw-" of "/usr/bin/hw-train", which is the program `name`, "train"; nothing where it is called otherwise.
std::string_view program_prefix(std::string_view path, std::string_view name);

// The text with the prefix before each program that it names: what follows is an option, a file, OPERAND or
// what a program does ("vectorize --images makes files"), or what stands before says so ("use translate").
// Verbs stay as they are, and so does all between double quotes.
std::string with_program_prefix(std::string_view text, std::string_view prefix);
// The same of lines of commands.
std::string commands_with_program_prefix(std::string_view lines, std::string_view prefix);

}  // namespace headwater::cli
