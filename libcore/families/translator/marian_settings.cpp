#include "families/translator/marian_settings.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "families/config.hpp"
#include "recipe/document.hpp"
#include "support/error.hpp"
#include "support/name_list.hpp"
#include "support/numbers.hpp"

namespace headwater {

namespace {

// --- YAML as JSON ------------------------------------------------------------------------------------------

Json json_of(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null:
      return {};
    case Node::Kind::sequence: {
      Json::Array items;
      for (const Node& item : node.items) items.push_back(json_of(item));
      return items;
    }
    case Node::Kind::map: {
      Json::Object members;
      for (const Node::Entry& entry : node.entries) members.emplace_back(entry.key, json_of(entry.value));
      return members;
    }
    case Node::Kind::scalar:
      break;
  }
  if (!node.is_plain) return node.text;
  if (node.text == "true" || node.text == "false") return node.text == "true";
  std::int64_t whole_number = 0;
  double number = 0;
  if (read_number(node.text, whole_number).empty()) return whole_number;
  if (read_number(node.text, number).empty()) return number;
  return node.text;
}

Json json_of_yaml(std::string_view text, const std::string& where) {
  try {
    Problems problems(where);
    const Node root = parse_document(text, problems);
    problems.throw_if_any();
    return json_of(root);
  } catch (const UsageError& error) {
    const std::string what = error.what();
    throw Error(what.substr(0, what.find('\n')));  // of several problems the first
  }
}

// --- The settings of a model -------------------------------------------------------------------------------

// Those that the rows of the layout read or refuse (marian_nmt.cpp).
constexpr const char* kReadSettings[] = {"type",
                                         "dim-emb",
                                         "dim-vocabs",
                                         "enc-depth",
                                         "dec-depth",
                                         "dec-cell",
                                         "tied-embeddings",
                                         "tied-embeddings-all",
                                         "tied-embeddings-src",
                                         "transformer-heads",
                                         "transformer-dim-ffn",
                                         "transformer-decoder-dim-ffn",
                                         "transformer-ffn-depth",
                                         "transformer-decoder-ffn-depth",
                                         "transformer-ffn-activation",
                                         "transformer-decoder-autoreg",
                                         "transformer-preprocess",
                                         "transformer-postprocess",
                                         "transformer-postprocess-emb",
                                         "transformer-postprocess-top",
                                         "transformer-train-position-embeddings",
                                         "transformer-train-positions",
                                         "transformer-disable-position-embeddings",
                                         "transformer-no-projection",
                                         "transformer-rnn-projection",
                                         "transformer-no-bias",
                                         "transformer-no-affine",
                                         "transformer-attention-mask",
                                         "transformer-pool",
                                         "transformer-tied-layers",
                                         "layer-normalization",
                                         "output-omit-bias",
                                         "lemma-dim-emb",
                                         "lemma-dependency",
                                         "input-types",
                                         "right-left",
                                         "ulr"};
// Of other kinds of models, of training, and of alignments: they change nothing that is computed here.
constexpr const char* kHarmlessSettings[] = {"bert-*",
                                             "char-*",
                                             "dec-cell-base-depth",
                                             "dec-cell-high-depth",
                                             "dim-rnn",
                                             "enc-cell",
                                             "enc-cell-depth",
                                             "enc-type",
                                             "factor-weight",
                                             "factors-combine",
                                             "skip",
                                             "transformer-aan-*",
                                             "transformer-depth-scaling",
                                             "transformer-dim-aan",
                                             "transformer-guided-alignment-layer",
                                             "ulr-*",
                                             "version"};

template <std::size_t kCount>
bool is_in(const char* const (&patterns)[kCount], const std::string& name) {
  return std::ranges::any_of(patterns,
                             [&](const char* pattern) { return fnmatch(pattern, name.c_str(), 0) == 0; });
}

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
    {"alignment", "\"\"", "use --alignment"},
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
        throw Error(where_ + ": " + quote(name) +
                    " is an option that this program does not know (remove it, if translations do not depend "
                    "on it)");
    }
  }
  // Of files beside this one.
  std::string file_name(std::string_view option, const Json& value) const {
    if (!value.is_string() || value.as_string().empty()) refuse(option, "names of files");
    const fs::path path(value.as_string());
    const bool is_beside =
        path.parent_path().empty() || path.parent_path() == "." || path.parent_path() == folder_;
    if (!is_beside || !path.has_filename()) refuse(option, "files of this folder");
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
    if (beams > 1) {
      made.set("length_penalty", number("normalize", 0, 0, 10));
      made.set("early_stopping", true);
    }
    made.set("max_length_ratio", number("max-length-factor", 3, 0.01, 1000));
    return made;
  }

  static constexpr const char* kUsed[] = {"beam-size", "normalize", "max-length-factor"};
  fs::path folder_;
  std::string where_;
  Json json_;
};

// --- The files of a directory ------------------------------------------------------------------------------

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
                          std::vector<std::string> weights) {
  MarianFiles files{.weights = only_one(folder, std::move(weights), "weight files of Marian")};
  files.source_vocabulary = only_one(folder, matching(names, "srcvocab*.spm"), "srcvocab*.spm");
  files.target_vocabulary = only_one(folder, matching(names, "trgvocab*.spm"), "trgvocab*.spm");
  if (files.source_vocabulary.empty() && files.target_vocabulary.empty())
    files.source_vocabulary = files.target_vocabulary =
        only_one(folder, matching(names, "vocab*.spm"), "vocab*.spm");
  if (files.source_vocabulary.empty() || files.target_vocabulary.empty())
    throw Error(folder.string() + ": has " + files.weights +
                " of Marian and no vocab*.spm, or srcvocab*.spm with trgvocab*.spm (vocabularies are read as "
                "SentencePiece models)");
  files.shortlist = only_one(folder, matching(names, "lex*.bin"), "lex*.bin");
  files.search.set("max_length_ratio", 3.0);  // marian-decoder's
  return files;
}

}  // namespace

std::optional<MarianFiles> find_marian_files(const fs::path& folder) {
  constexpr std::uint64_t kMaxOptions = std::uint64_t{1} << 20;
  const std::vector<std::string> names = sorted_names(folder);
  std::vector<std::string> weights, options;
  for (const std::string& name : names) {
    const std::string ending = fs::path(name).extension().string();
    const bool is_npz = ending == ".npz";
    if (!is_npz && ending != ".bin") continue;
    if (marian_form_of(folder / name) == (is_npz ? MarianForm::npz : MarianForm::binary))
      weights.push_back(name);
  }
  if (weights.empty()) return std::nullopt;
  for (const std::string& name : names) {
    const std::string ending = fs::path(name).extension().string();
    std::error_code none;
    const bool is_small =
        fs::is_regular_file(folder / name, none) && fs::file_size(folder / name, none) <= kMaxOptions;
    if ((ending == ".yml" || ending == ".yaml") && is_small &&
        has_line(read_file(folder / name, kMaxOptions), "models:"))
      options.push_back(name);
  }
  const std::string chosen = only_one(folder, std::move(options), "YAML files with models", "keep one");
  if (chosen.empty()) return files_by_name(folder, names, std::move(weights));
  return Options(folder, chosen, read_file(folder / chosen, kMaxOptions)).files(chosen);
}

Json marian_settings(const MarianFile& file) {
  const std::string where = file.tensors().where() + ": special:model.yml";
  if (file.settings().empty())
    throw Error(file.tensors().where() +
                ": has no special:model.yml, the settings of the model (take the file that Marian wrote)");
  Json settings = json_of_yaml(file.settings(), where);
  for (const auto& [name, value] : settings.as_object()) {
    if (!is_in(kReadSettings, name) && !is_in(kHarmlessSettings, name))
      throw Error(where + ": " + quote(name) + " is a setting that this program does not know");
  }
  return settings;
}

}  // namespace headwater
