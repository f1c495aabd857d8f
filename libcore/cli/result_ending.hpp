// What the name of an output says of its format.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headwater::cli {

// Another format that the program would write, and the option that asks for it: "npy", "--format npy".
struct OtherFormat {
  std::string_view format;
  std::string option;
};

// Throws UsageError where the name of `output` ends as that of another format: "-o v.npy: ends in .npy, where
// text is written (say --format npy, or name FILE.txt)". An ending that is of no format here, none, and
// standard output are free; capitals do not count. `option`, as it is typed, names the output. `format`:
// "text", "csv", "json", "matrix", "markdown", "html", "svg", "png", "npy" or "safetensors".
void check_ending(const std::filesystem::path& output, std::string_view option, std::string_view format,
                  const std::vector<OtherFormat>& others = {});

// The one of `formats` whose files end as the name of `output`, capitals or not; `otherwise` where it is
// none.
std::string format_of_ending(const std::filesystem::path& output, std::span<const std::string_view> formats,
                             std::string_view otherwise);

// The same as check_ending() of a program whose --format is `format`, and may be any of `formats`.
void check_format_ending(const std::filesystem::path& output, std::string_view format,
                         std::span<const std::string_view> formats);

}  // namespace headwater::cli
