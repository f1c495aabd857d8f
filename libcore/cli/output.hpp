// What cli/ shares about its two outputs: data on descriptor 1, messages on descriptor 2. Not for other
// rooms.
#pragma once

#include <string_view>

#include "support/error.hpp"

namespace headwater::cli {

// "standard output: cannot write: no space left on device".
Error output_error(int error_number);

// Writes all of `bytes` to standard output; throws output_error. SIGPIPE keeps its default, so a closed pipe
// ends the program.
void write_output(std::string_view bytes);

// Whether standard output is a terminal, or a pipe, whose last program speaks.
bool is_output_watched();

// Remembers a failed write that could not be thrown (a destructor), for tool_main to report at the end.
void remember_lost_output(int error_number);
int lost_output_errno();

// Writes to standard error; failures are ignored, there is nobody left to tell.
void write_messages(std::string_view bytes);

// Clears the bar of a Progress that is drawn, so that a line can be written.
void clear_progress();

// The program's name, for notes.
std::string_view tool_name();

}  // namespace headwater::cli
