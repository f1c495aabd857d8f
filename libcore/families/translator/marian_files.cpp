// The files of a directory of Marian NMT, by the options of marian-decoder or by their names.
#include <fnmatch.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "families/translator/marian_settings.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/name_list.hpp"
#include "support/numbers.hpp"

namespace headwater {

namespace {

// --- The options of marian-decoder -------------------------------------------------------------------------

// How fast, how loud and how precise; the files are read apart.
constexpr const char* kHarmlessOptions[] = {
    "models",        "vocabs",           "shortlist",      "relative-paths",
    "allow-special", "best-deep",        "clip-gemm",      "cpu-threads",
    "devices",       "num-devices",      "gemm-precision", "gemm-type",
    "fp16",          "precision",        "optimize",       "log",
    "log-level",     "log-time-zone",    "maxi-batch",     "maxi-batch-sort",
    "mini-batch",    "mini-batch-words", "quiet",          "quiet-translation",
    "seed",          "skip-cost",        "stat-freq",      "workspace",
    "version"};

// What asks for other translations, or for others than this program's options say.
struct RefusedOption {
  std::string_view name;
  std::string_view harmless;  // as JSON
  std::string_view advice;
};
constexpr RefusedOption kRefusedOptions[] = {
    {"word-penalty", "0", "translations are not scored by their number of words"},
    {"n-best", "false", "use --n-best"},
    {"allow-unk", "false", "use --allow-unknown"},
    {"right-left", "false", "the last word first is not read"},
    {"max-length-crop", "false", "the model's length bounds a source"},
    {"output-sampling", "[]", "use --sampling"},
    {"output-approx-knn", "[]", "the output layer is exact"},
    {"tsv", "false", "cut the columns with cut"},
    {"alignment", "\"\"", "use --alignments"},
    {"word-scores", "false", "use --scores"},
    {"no-spm-decode", "false", "texts are joined"},
    {"no-spm-encode", "false", "texts are split here"},
    {"max-length-break", "0", "use --split-sentences"},
    {"ssplit-mode", "\"\"", "use --split-sentences"},
    {"ssplit-prefix-file", "\"\"", "use --split-sentences"}};

class Options {
 public:
  Options(fs::path folder, const std::string& name, std::string_view text)
      : folder_(std::move(folder)), where_((folder_ / name).string()), json_(json_of_yaml(text, where_)) {}

  MarianFiles files(const std::string& name) const {
    check();
    check_required(json_, where_, kRequired);
    const std::vector<std::string> models = names("models"), vocabularies = names("vocabs");
    if (models.size() != 1)
      refuse("models", "one file (several models that translate together are not read)");
    if (vocabularies.size() != 2) refuse("vocabs", "two files, of the source and of the target");
    return {.weights = models.front(),
            .source_vocabulary = vocabularies.front(),
            .target_vocabulary = vocabularies.back(),
            .shortlist = shortlist(),
            .options = name,
            .search = search()};
  }

 private:
  [[noreturn]] void refuse(std::string_view name, const std::string& expected) const {
    const Json* const said = json_.find(name);
    throw Error(where_ + ": " + quote(name) + " is " + (said == nullptr ? "missing" : said->dump()) +
                ", expected " + expected);
  }
  void check() const {
    for (const auto& [name, value] : json_.as_object()) {
      const auto* const refused = std::ranges::find(kRefusedOptions, name, &RefusedOption::name);
      if (refused != std::end(kRefusedOptions)) {
        if (!value.is_null() && value.dump() != refused->harmless)
          refuse(refused->name, std::string(refused->harmless) + " (" + std::string(refused->advice) + ")");
        continue;
      }
      if (!is_in(kHarmlessOptions, name) && !is_in(kUsed, name))
        throw Error(where_ + ": " + quote(name) + " is an option that this program does not know" +
                    advice_on(name));
    }
  }
  static std::string advice_on(const std::string& name) {
    std::vector<std::string_view> known(std::begin(kHarmlessOptions), std::end(kHarmlessOptions));
    known.insert(known.end(), std::begin(kUsed), std::end(kUsed));
    const std::string_view nearest = nearest_word(name, known);
    return nearest.empty() ? " (remove it, if translations do not depend on it)"
                           : "; did you mean " + quote(nearest) + "?";
  }
  // The name of a file beside this one.
  std::string file_name(std::string_view option, const Json& value) const {
    if (!value.is_string() || value.as_string().empty()) refuse(option, "names of files");
    const fs::path path(value.as_string());
    const bool is_beside =
        path.parent_path().empty() || path.parent_path() == "." || path.parent_path() == folder_;
    if (!is_beside || !path.has_filename()) refuse(option, "files of this folder");
    if (!is_there(folder_ / path.filename()))
      throw Error(where_ + ": " + quote(option) + " names " + path.filename().string() +
                  ", which is missing (copy it too)");
    return path.filename().string();
  }
  std::vector<std::string> names(const char* option) const {
    std::vector<std::string> found;
    const Json* const list = json_.find(option);
    if (list == nullptr || !list->is_array()) refuse(option, "a list of files");
    for (const Json& item : list->as_array()) found.push_back(file_name(option, item));
    return found;
  }
  // The file; whether its checksum is looked at, or its two sizes, follow it.
  std::string shortlist() const {
    const Json* const list = json_.find("shortlist");
    if (list == nullptr || (list->is_array() && list->as_array().empty())) return {};
    if (!list->is_array()) refuse("shortlist", "a list that begins with a file");
    return file_name("shortlist", list->as_array().front());
  }
  double number(const char* option, double otherwise, double min, double max) const {
    const Json* const said = json_.find(option);
    if (said == nullptr) return otherwise;
    if (!said->is_number() || !(said->as_number() >= min && said->as_number() <= max))
      refuse(option, shortest(min) + " to " + shortest(max));
    return said->as_number();
  }
  // By the defaults of marian-decoder.
  Json search() const {
    Json made;
    const double beams = number("beam-size", 12, 1, 256);
    if (beams != static_cast<double>(static_cast<std::int64_t>(beams))) refuse("beam-size", "a whole number");
    made.set("num_beams", static_cast<std::int64_t>(beams));
    const double normalize = number("normalize", 0, 0, 10);
    if (beams > 1) {
      made.set("length_penalty", normalize);
      made.set("early_stopping", true);
    }
    made.set("max_length_ratio", number("max-length-factor", 3, 0.01, 1000));
    return made;
  }

  static constexpr const char* kRequired[] = {"models", "vocabs"};
  static constexpr const char* kUsed[] = {"beam-size", "normalize", "max-length-factor"};
  fs::path folder_;
  std::string where_;
  Json json_;
};

// --- The files of a directory ------------------------------------------------------------------------------

constexpr std::uint64_t kMaxOptions = std::uint64_t{1} << 20;

std::vector<std::string> sorted_names(const fs::path& folder) {
  std::error_code error;
  std::vector<std::string> names;
  for (const fs::path& path : list_folder(folder, error)) names.push_back(path.filename().string());
  std::ranges::sort(names);
  return names;
}

bool has_line(std::string_view text, std::string_view beginning) {
  return text.starts_with(beginning) || text.find("\n" + std::string(beginning)) != text.npos;
}

// The one of several; empty where there is none. Throws Error where there are more.
std::string only_one(const fs::path& folder, std::vector<std::string> found, const char* what,
                     const char* advice = "keep one, or name it in a YAML file of marian-decoder's options") {
  if (found.size() > 1)
    throw Error(folder.string() + ": has several " + what + ": " + listed({found.begin(), found.end()}) +
                " (" + advice + ")");
  return found.empty() ? std::string() : std::move(found.front());
}

std::vector<std::string> matching(const std::vector<std::string>& names, const char* pattern) {
  std::vector<std::string> found;
  std::ranges::copy_if(names, std::back_inserter(found),
                       [&](const std::string& name) { return fnmatch(pattern, name.c_str(), 0) == 0; });
  return found;
}

// Without options: by the names that browsers give them.
MarianFiles files_by_name(const fs::path& folder, const std::vector<std::string>& names,
                          const std::string& weights) {
  MarianFiles files{.weights = weights};
  files.source_vocabulary = only_one(folder, matching(names, "srcvocab*.spm"), "srcvocab*.spm");
  files.target_vocabulary = only_one(folder, matching(names, "trgvocab*.spm"), "trgvocab*.spm");
  const std::string both = only_one(folder, matching(names, "vocab*.spm"), "vocab*.spm");
  const std::string pair = files.source_vocabulary + files.target_vocabulary;
  if (!both.empty() && !pair.empty())
    throw Error(folder.string() + ": has " + both + " for both sides and " +
                (files.source_vocabulary.empty() ? files.target_vocabulary : files.source_vocabulary) +
                " for one (keep what the model was trained with, or name it in a YAML file of " +
                "marian-decoder's options)");
  if (!both.empty()) files.source_vocabulary = files.target_vocabulary = both;
  if (files.source_vocabulary.empty() || files.target_vocabulary.empty())
    throw Error(folder.string() + ": has " + files.weights +
                " of Marian and no vocab*.spm, or srcvocab*.spm with trgvocab*.spm (vocabularies are read as "
                "SentencePiece models)");
  files.shortlist = only_one(folder, matching(names, "lex*.bin"), "lex*.bin");
  files.search.set("max_length_ratio", 3.0);  // marian-decoder's
  return files;
}

// What the files of a folder are, as far as names and first bytes tell.
struct Seen {
  std::vector<std::string> names = {}, weights = {}, options = {};
  bool has_vocabulary = false, has_named_options = false;
};

// A training configuration has the name of options, and names its model otherwise.
bool are_options(const std::string& name, std::string_view text) {
  const bool is_named =
      fnmatch("config*", name.c_str(), 0) == 0 || fnmatch("*decoder*", name.c_str(), 0) == 0;
  return has_line(text, "models:") || (is_named && !has_line(text, "model:"));
}

Seen look(const fs::path& folder) {
  Seen seen{.names = sorted_names(folder)};
  for (const std::string& name : seen.names) {
    const std::string ending = fs::path(name).extension().string();
    std::error_code none;
    const bool is_yaml = (ending == ".yml" || ending == ".yaml") &&
                         fs::is_regular_file(folder / name, none) &&
                         fs::file_size(folder / name, none) <= kMaxOptions;
    if (ending == ".npz" || ending == ".bin") {
      const MarianForm form = marian_form_of(folder / name);
      if (form == (ending == ".npz" ? MarianForm::npz : MarianForm::binary)) seen.weights.push_back(name);
    } else if (is_yaml) {
      const std::string text = read_file(folder / name, kMaxOptions);
      if (are_options(name, text)) seen.options.push_back(name);
      seen.has_named_options |= has_line(text, "models:") && has_line(text, "vocabs:");
    } else {
      seen.has_vocabulary |= ending == ".spm" && name.find("vocab") != name.npos;
    }
  }
  return seen;
}

// Called for a folder that has other files of Marian.
[[noreturn]] void lacks_weights(const fs::path& folder, const Seen& seen) {
  for (const std::string& name : seen.names) {
    const std::string ending = fs::path(name).extension().string();
    const bool is_other = fnmatch("lex*.bin", name.c_str(), 0) == 0;
    if (!is_other && (ending == ".bin" || ending == ".npz")) static_cast<void>(MarianFile(folder / name));
  }
  throw Error(folder.string() +
              ": has other files of Marian, but no weights, *.bin or *.npz (take them, too)");
}

}  // namespace

std::optional<MarianFiles> find_marian_files(const fs::path& folder) {
  Seen seen = look(folder);
  if (seen.weights.empty() && !seen.has_vocabulary && !seen.has_named_options) return std::nullopt;
  const std::string chosen = only_one(folder, std::move(seen.options), "YAML files with models", "keep one");
  if (!chosen.empty()) return Options(folder, chosen, read_file(folder / chosen, kMaxOptions)).files(chosen);
  const std::string weights = only_one(folder, seen.weights, "weight files of Marian");
  if (weights.empty()) lacks_weights(folder, seen);
  return files_by_name(folder, seen.names, weights);
}

}  // namespace headwater
