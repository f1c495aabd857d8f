// The files that a run reads and writes, the one that an option -o/--output names, and what its name says of
// its format.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headwater::cli {

// What a run reads and what it writes, files by what they are, under whatever names ("-": standard input,
// standard output). The rule of every tool: an output is never a file that the run reads, another output of
// it, or a file of a model. Each call throws UsageError where it breaks the rule.
class RunFiles {
 public:
  // `option` names the output in messages.
  void writes(const std::filesystem::path& output, std::string_view option);
  // The same of a file in the directory of a model that the run itself makes.
  void writes_own(const std::filesystem::path& output, std::string_view option);
  void reads(const std::filesystem::path& input);
  // A model directory or a checkpoint, of this program or another's.
  void reads_model(const std::filesystem::path& model);

 private:
  struct File {
    std::uint64_t device = 0, number = 0;
    bool operator==(const File&) const = default;
  };
  struct Output {
    std::filesystem::path path, canonical;
    std::string option;
    std::optional<File> file;  // where it is there, and a regular one
    std::string text() const;
  };
  static std::optional<File> regular_file(const std::filesystem::path& path, int descriptor);
  void check(const Output& output, const File& input, const std::filesystem::path& path) const;

  std::vector<Output> outputs_;
  std::vector<std::pair<File, std::filesystem::path>> inputs_;
};

// Those of this program: the options of CommandLine that say reads() and writes() are among them. What is
// found in the course of the run, such as the images of a folder, is to be added before anything is written.
RunFiles& run_files();

// The file that is written where `path` is named: a symbolic link is followed, so that the link stays and
// what it leads to is replaced, or made. Throws Error where links lead nowhere, and for a link that somebody
// else put into a folder where all may write (/tmp).
std::filesystem::path result_path(const std::filesystem::path& path);

// Throws Error where the file cannot come to be because its folder is missing: to be called before the work.
void check_result_file(const std::filesystem::path& path);

// The file as messages have it; "standard output" for "-" and for none.
std::string output_name(const std::filesystem::path& path);

// Writes the file whole or not at all; "-" is standard output.
void write_result_file(const std::filesystem::path& path, std::string_view bytes);

// The same piece by piece: `produce` calls the function that it is given with each.
using TakePiece = std::function<void(std::string_view)>;
void write_result_file(const std::filesystem::path& path,
                       const std::function<void(const TakePiece&)>& produce);

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
