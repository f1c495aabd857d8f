// Texts of others, made fit for a line on stderr.
#pragma once

#include <string>
#include <string_view>

namespace headwater::cli {

// "Foo bar" of a library becomes "foo bar"; "UTF-8 ..." and "--option: ..." stay.
std::string lower_first(std::string text);

// "-" as the name of a file, at the beginning or before a number of a line, becomes "standard input".
std::string with_named_input(std::string text);

// Without the line ends and the full stop of a library's message.
std::string on_one_line(std::string text);

}  // namespace headwater::cli
