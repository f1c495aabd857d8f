#include "cli/result_ending.hpp"

#include <algorithm>
#include <array>

#include "support/error.hpp"
#include "support/files.hpp"
#include "support/name_list.hpp"

namespace headwater::cli {
namespace {

// The endings that a format's files have, its own first; in messages it is `name`.
struct FormatEndings {
  std::string_view format, name;
  std::vector<std::string_view> endings;
};

const std::array<FormatEndings, 10>& format_endings() {
  static const std::array<FormatEndings, 10> all = {{{"text", "text", {".txt", ".tsv", ".md"}},
                                                     {"csv", "CSV", {".csv", ".txt"}},
                                                     {"json", "JSON", {".json", ".jsonl", ".ndjson", ".txt"}},
                                                     {"matrix", "a matrix", {".dat", ".txt"}},
                                                     {"markdown", "Markdown", {".md", ".txt"}},
                                                     {"html", "HTML", {".html", ".htm"}},
                                                     {"svg", "SVG", {".svg"}},
                                                     {"png", "PNG", {".png"}},
                                                     {"npy", "npy", {".npy"}},
                                                     {"safetensors", "safetensors", {".safetensors"}}}};
  return all;
}

// Formats that nothing here writes. Not .pt and .ps, which are languages at the end of a text's name, too.
constexpr std::array<std::string_view, 25> kOtherEndings = {
    ".npz",  ".pdf",   ".eps",     ".jpg",    ".jpeg", ".gif",  ".webp", ".bmp",  ".tif",
    ".tiff", ".docx",  ".xlsx",    ".odt",    ".ods",  ".pptx", ".h5",   ".hdf5", ".parquet",
    ".pkl",  ".arrow", ".feather", ".pickle", ".gguf", ".zip",  ".gz"};

bool has_ending(const FormatEndings& row, std::string_view ending) {
  return std::ranges::find(row.endings, ending) != row.endings.end();
}

const FormatEndings& endings_of(std::string_view format) {
  return *std::ranges::find(format_endings(), format, &FormatEndings::format);
}

// "FILE.csv, FILE.json or FILE.svg": of the format that is written, and of others.
std::string files_of(const FormatEndings& written, const std::vector<OtherFormat>& others) {
  std::vector<std::string> files{"FILE" + std::string(written.endings.front())};
  for (const OtherFormat& other : others) {
    std::string file = "FILE" + std::string(endings_of(other.format).endings.front());
    if (std::ranges::find(files, file) == files.end()) files.push_back(std::move(file));
  }
  return alternatives(std::vector<std::string_view>(files.begin(), files.end()));
}

std::string lower_ending(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  for (char& c : ending) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return ending;
}

}  // namespace

void check_ending(const std::filesystem::path& output, std::string_view option, std::string_view format,
                  const std::vector<OtherFormat>& others) {
  const std::string ending = lower_ending(output);
  const FormatEndings& written = endings_of(format);
  const bool is_of_format = std::ranges::find(kOtherEndings, ending) != kOtherEndings.end() ||
                            std::ranges::any_of(format_endings(), [&](const FormatEndings& row) {
                              return has_ending(row, ending);
                            });
  if (!is_of_format || has_ending(written, ending)) return;
  if (std::ranges::find(kOtherEndings, ending) != kOtherEndings.end())
    throw UsageError(std::string(option) + " " + shown(output) + ": ends in " + ending +
                     ", a format that no program here writes (name " + files_of(written, others) + ")");
  const auto other = std::ranges::find_if(
      others, [&](const OtherFormat& each) { return has_ending(endings_of(each.format), ending); });
  throw UsageError(std::string(option) + " " + shown(output) + ": ends in " + ending + ", where " +
                   std::string(written.name) + " is written (" +
                   (other == others.end() ? "" : "say " + other->option + ", or ") + "name FILE" +
                   std::string(written.endings.front()) + ")");
}

std::string format_of_ending(const std::filesystem::path& output, std::span<const std::string_view> formats,
                             std::string_view otherwise) {
  const auto found = std::ranges::find(formats, lower_ending(output), [](std::string_view format) {
    return endings_of(format).endings.front();
  });
  return std::string(found == formats.end() ? otherwise : *found);
}

void check_format_ending(const std::filesystem::path& output, std::string_view format,
                         std::span<const std::string_view> formats) {
  std::vector<OtherFormat> others;
  for (const std::string_view each : formats) others.push_back({each, "--format " + std::string(each)});
  check_ending(output, "-o", format, others);
}

}  // namespace headwater::cli
