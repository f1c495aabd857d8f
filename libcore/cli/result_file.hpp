// The file that an option -o/--output names.
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

namespace headwater::cli {

// Throws UsageError where the output ("-": standard output) is there and is a file of a model: what takes its
// place or is added to it would make the checkpoint a damaged one.
void refuse_file_of_model(const std::filesystem::path& output, std::string_view option);

// Throws UsageError where the two are one regular file, under whatever names ("-": standard input, standard
// output). `option` names the output in the message.
void refuse_same_file(const std::filesystem::path& input, const std::filesystem::path& output,
                      std::string_view option);

// The file that is written where `path` is named: a symbolic link is followed, so that the link stays and
// what it leads to is replaced, or made. Throws Error where links lead nowhere, and for a link that somebody
// else put into a folder where all may write (/tmp).
std::filesystem::path result_path(const std::filesystem::path& path);

// Throws Error where the file cannot come to be because its folder is missing: to be called before the work.
void check_result_file(const std::filesystem::path& path);

// Writes the file whole or not at all; "-" is standard output.
void write_result_file(const std::filesystem::path& path, std::string_view bytes);

// The same piece by piece: `produce` calls the function that it is given with each.
using TakePiece = std::function<void(std::string_view)>;
void write_result_file(const std::filesystem::path& path,
                       const std::function<void(const TakePiece&)>& produce);

}  // namespace headwater::cli
