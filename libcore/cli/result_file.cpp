#include "cli/result_file.hpp"

#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <utility>

#include "cli/output.hpp"
#include "support/descriptors.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/name_list.hpp"

namespace headwater::cli {

namespace {

// As the kernel does for open() with fs.protected_symlinks: in a sticky folder that others write to, only
// one's own links are followed, and the folder's owner's.
bool is_trap(const fs::path& link, const fs::path& folder) {
  struct stat of_link {
  }, of_folder{};
  if (::lstat(link.c_str(), &of_link) != 0 || ::stat(folder.c_str(), &of_folder) != 0) return false;
  const bool is_shared = (of_folder.st_mode & S_ISVTX) != 0 && (of_folder.st_mode & S_IWOTH) != 0;
  return is_shared && of_link.st_uid != ::geteuid() && of_link.st_uid != of_folder.st_uid;
}

bool has(const fs::path& folder, const char* name) {
  std::error_code none;
  return fs::exists(folder / name, none);
}

// Tables and pictures beside a model are of those who look at it; the log is the run's. A shortlist may be
// learned anew.
bool is_of_reader(const fs::path& file) {
  const fs::path end = file.extension();
  return file.filename() == "shortlist.bin" ||
         (file.filename() != "log.csv" && (end == ".csv" || end == ".npy" || end == ".svg" || end == ".png"));
}

// Whether it belongs to a checkpoint or a run of this program; or to another's model, or a copy, which have
// no such list of files.
bool is_file_of_model(const fs::path& file) {
  const fs::path folder = file.parent_path();
  if (has(folder, "MANIFEST.json")) return true;  // checkpoint/ is above this room
  const bool has_weights = has(folder, "model.safetensors") || has(folder, "model.safetensors.index.json") ||
                           has(folder, "pytorch_model.bin");
  const bool is_model = has(folder, "checkpoints/latest") || (has(folder, "config.json") && has_weights);
  return is_model && !is_of_reader(file);
}

// Standard output that the shell has just made, or emptied, as in `inspect model > model/layers`: there is
// nothing to lose any more.
bool is_new_output(const fs::path& path, const fs::path& file) {
  std::error_code none;
  return path == "-" && fs::file_size(file, none) == 0;
}

// The path with all links followed; what is not there stays as it is named.
fs::path canonical_path(const fs::path& path, int descriptor) {
  std::error_code fault;
  // A link that leads to nothing yet is written through: what it leads to is made.
  if (fs::is_symlink(fs::symlink_status(path, fault)) && !fs::exists(path, fault)) {
    const fs::path target = fs::read_symlink(path, fault);
    const fs::path found = fs::weakly_canonical(fs::absolute(path, fault).parent_path() / target, fault);
    return fault ? path : found;
  }
  const fs::path named =
      path == "-" ? fs::path("/proc/self/fd/" + std::to_string(descriptor)) : fs::absolute(path, fault);
  fs::path found = fs::weakly_canonical(named, fault);
  return fault ? named : found;
}

}  // namespace

std::string output_name(const fs::path& path) {
  return path.empty() || path == "-" ? "standard output" : shown(path);
}

std::string RunFiles::Output::text() const {
  return path == "-" ? output_name(path) : option + " " + shown(path);
}

std::optional<RunFiles::File> RunFiles::regular_file(const fs::path& path, int descriptor) {
  struct stat status {};
  const int failed = path == "-" ? ::fstat(descriptor, &status) : ::stat(path.c_str(), &status);
  if (failed != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return File{status.st_dev, status.st_ino};
}

void RunFiles::check(const Output& output, const File& input, const fs::path& path) const {
  if (output.file != input) return;
  if (output.path != "-") throw UsageError(output.text() + ": is an input too (name another file)");
  throw UsageError("standard output: is the input " + (path == "-" ? "-" : shown(path)) +
                   " too (write to another file)");
}

void RunFiles::writes(const fs::path& named, std::string_view option) {
  // /dev/stdout is written where standard output stands, as "-" is.
  const fs::path path = descriptor_of_link(named) == STDOUT_FILENO ? fs::path("-") : named;
  const fs::path file = canonical_path(path, STDOUT_FILENO);
  if (regular_file(path, STDOUT_FILENO) && !is_new_output(path, file) && is_file_of_model(file))
    throw UsageError(Output{path, {}, std::string(option), {}}.text() + ": is a file of the model in " +
                     shown(file.parent_path()) + " (write to another file)");
  writes_own(path, option);
}

void RunFiles::writes_own(const fs::path& path, std::string_view option) {
  Output output{path, canonical_path(path, STDOUT_FILENO), std::string(option),
                regular_file(path, STDOUT_FILENO)};
  for (const auto& [input, name] : inputs_) check(output, input, name);
  std::error_code none;
  const bool is_new = !fs::exists(output.canonical, none);
  for (const Output& other : outputs_) {
    const bool is_same =
        output.file ? output.file == other.file : is_new && output.canonical == other.canonical;
    if (!is_same || (path == "-" && other.path == "-")) continue;
    throw UsageError(output.text() + ": is the file of " +
                     (other.path == "-" ? "standard output" : other.option) + " too (name another one)");
  }
  outputs_.push_back(std::move(output));
}

void RunFiles::reads(const fs::path& path) {
  const std::optional<File> input = regular_file(path, STDIN_FILENO);
  if (!input) return;
  for (const Output& output : outputs_) check(output, *input, path);
  inputs_.emplace_back(*input, path);
}

void RunFiles::reads_model(const fs::path& model) {
  std::error_code none;
  const fs::path folder = fs::canonical(model, none);
  for (const Output& output : outputs_) {
    if (!output.file || is_of_reader(output.canonical) || is_new_output(output.path, output.canonical))
      continue;
    if (!none && output.canonical.parent_path() == folder)
      throw UsageError(output.text() + ": is a file of the model in " + shown(model) +
                       " (write to another file)");
  }
}

RunFiles& run_files() {
  static RunFiles files;
  return files;
}

fs::path result_path(const fs::path& path) {
  constexpr int kMostLinks = 40;  // as many as the kernel follows
  fs::path target = path;
  std::error_code none;  // of what is not there
  for (int links = 0; fs::is_symlink(fs::symlink_status(target, none)); ++links) {
    if (is_in_proc(target)) return target;
    const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
    if (links == kMostLinks)
      throw Error(shown(path) + ": symbolic links that lead nowhere (remove them, or name another file)");
    if (is_trap(target, folder)) {
      throw Error(shown(path) + ": is a symbolic link of another user in " + shown(folder) +
                  ", which is not followed (remove it, or name another file)");
    }
    const fs::path next = fs::read_symlink(target);
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  return target;
}

void check_result_file(const std::filesystem::path& named) {
  if (named == "-") return;
  const fs::path path = result_path(named);
  if (const int open = descriptor_of_link(path); open >= 0) check_writable(open, path);
  if (fs::is_directory(path)) throw Error(shown(path) + ": is a directory (name a file)");
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (!fs::is_directory(folder)) {
    throw Error(shown(path) + ": there is no folder " + quote(folder.string()) + " (create it)");
  }
}

void write_result_file(const std::filesystem::path& path, std::string_view bytes) {
  write_result_file(path, [&](const TakePiece& take) { take(bytes); });
}

void write_result_file(const std::filesystem::path& path,
                       const std::function<void(const TakePiece&)>& produce) {
  if (path == "-") {
    produce(write_output);
    return;
  }
  AtomicFile file(result_path(path));
  produce([&](std::string_view bytes) { file.write(bytes); });
  file.commit();
}

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
