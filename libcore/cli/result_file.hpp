// The file that an option -o/--output names.
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

namespace headwater::cli {

// Throws Error where the file cannot come to be because its folder is missing: to be called before the work.
void check_result_file(const std::filesystem::path& path);

// Writes the file whole or not at all; "-" is standard output.
void write_result_file(const std::filesystem::path& path, std::string_view bytes);

// The same piece by piece: `produce` calls the function that it is given with each.
using TakePiece = std::function<void(std::string_view)>;
void write_result_file(const std::filesystem::path& path,
                       const std::function<void(const TakePiece&)>& produce);

}  // namespace headwater::cli
