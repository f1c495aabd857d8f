// The file that an option -o/--output names.
#pragma once

#include <filesystem>
#include <string_view>

namespace headwater::cli {

// Throws Error where the file cannot come to be because its folder is missing: to be called before the work.
void check_result_file(const std::filesystem::path& path);

// Writes the file whole or not at all; "-" is standard output.
void write_result_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace headwater::cli
