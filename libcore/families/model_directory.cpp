#include "families/model_directory.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "checkpoint/directory.hpp"
#include "checkpoint/safetensors.hpp"
#include "families/layouts/config_table.hpp"
#include "families/layouts/layout.hpp"
#include "families/layouts/registry.hpp"
#include "families/quantized_model.hpp"
#include "families/registry.hpp"
#include "support/directories.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "text/tokenizer/tokenizer.hpp"

namespace headwater {

namespace {

// `path`, or what it leads to where it is a link. What leads nowhere stays as it is.
std::filesystem::path followed(const std::filesystem::path& path) {
  constexpr int kMaxLinks = 40;  // as many as the system follows
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return path;
  std::filesystem::path at = path.has_filename() ? path : path.parent_path();
  if (!std::filesystem::is_symlink(at, error)) return path;
  for (int link = 0; link < kMaxLinks && std::filesystem::is_symlink(at, error); ++link) {
    const std::filesystem::path target = std::filesystem::read_symlink(at, error);
    if (error) return path;
    at = at.parent_path() / target;
  }
  return at;
}

// Where the links lead now: to a checkpoint, or a model directory that has no best one.
std::filesystem::path target_of_links(const std::filesystem::path& path) {
  std::filesystem::path at = followed(path);
  if (is_there(at / kManifestName)) return at;
  const std::optional<std::filesystem::path> best = link_target(at / kCheckpoints / kBest);
  return best ? at / kCheckpoints / *best : at;
}

// The files of a run are links that lead nowhere until its first best checkpoint.
bool leads_somewhere(const std::filesystem::path& path) {
  std::error_code none;
  const bool is_waiting = std::filesystem::is_symlink(std::filesystem::symlink_status(path, none)) &&
                          std::filesystem::status(path, none).type() == std::filesystem::file_type::not_found;
  return !is_waiting && is_there(path);
}

constexpr const char* kWeights = "model.safetensors";
constexpr const char* kWeightsIndex = "model.safetensors.index.json";
constexpr const char* kOtherWeights[] = {"pytorch_model.bin", "pytorch_model.bin.index.json", "tf_model.h5",
                                         "flax_model.msgpack", kWeightsIndex};

constexpr const char* kOtherEndings[] = {".gguf", ".bin", ".pt", ".pth", ".h5", ".msgpack", ".onnx"};
constexpr const char* kWriteSafetensors =
    "only safetensors are read; load it in Python with transformers: model.save_pretrained(DIR) writes them";

bool has_other_ending(const std::filesystem::path& file) {
  const std::string ending = file.extension().string();
  return std::ranges::find(kOtherEndings, ending) != std::end(kOtherEndings);
}

// Weights that are not model.safetensors; empty: none.
std::string other_weights_in(const std::filesystem::path& directory) {
  const auto* const name =
      std::ranges::find_if(kOtherWeights, [&](const char* weights) { return is_there(directory / weights); });
  if (name != std::end(kOtherWeights)) return *name;
  std::error_code error;
  std::string first;  // of the GGUF files, by its name
  for (std::filesystem::directory_iterator at(directory, error), end; !error && at != end;
       at.increment(error)) {
    const std::string file = at->path().filename().string();
    if (at->path().extension() == ".gguf" && (first.empty() || file < first)) first = file;
  }
  return first;
}

bool has_usable_tokenizer(const std::filesystem::path& directory) {
  try {
    if (!Tokenizer::is_in(directory)) return false;
    static_cast<void>(Tokenizer::load(directory));
    return true;
  } catch (const Error&) {
    return false;
  }
}

// What of a directory can be used whose model cannot: "; the tokenizer ...".
std::string usable_parts(const std::filesystem::path& directory) {
  std::string text;
  if (has_usable_tokenizer(directory))
    text += "; the tokenizer can be used: tokenize --tokenizer " + directory.string();
  const std::filesystem::path weights = directory / kWeights;
  if (is_there(weights)) text += "; inspect " + weights.string() + " shows the tensors";
  return text;
}

// Why a directory is no model; empty: it may be a run that has no checkpoint yet.
std::string why_no_model(const std::filesystem::path& directory) {
  for (const char* name : {"checkpoints", "log.csv", ".lock"}) {
    if (is_there(directory / name)) return {};
  }
  const bool has_weights = is_there(directory / kWeights);
  const std::string weights = has_weights ? kWeights : other_weights_in(directory);
  if (weights.ends_with(".gguf")) return "has " + weights + " (" + kWriteSafetensors + ")";
  if (!weights.empty())
    return "has " + weights +
           " and no config.json, which says what model it is (take it from where the weights " + "came from" +
           usable_parts(directory) + ")";
  if (is_there(directory / "modules.json"))
    return "has modules.json and no config.json (an encoder is read that lies in the folder itself; in "
           "Python: SentenceTransformer(DIR).save(NEW))";
  if (Tokenizer::is_in(directory))
    return "holds a tokenizer and no model (tokenize --tokenizer " + directory.string() + " uses it)";
  return "not a model directory: it has neither config.json nor checkpoints (name one that train wrote, or a "
         "published one)";
}

constexpr std::uint64_t kMaxConfigBytes = std::uint64_t{1} << 26;  // labels have names of any length

void read_config(ModelFolder& folder) {
  const std::string where = folder.config_path().string();
  Json said = Json::parse(folder.config_text(), where);
  if (lacks_architecture(said) && folder.has(kWeights)) name_architecture(said, folder.weights());
  folder.is_quantized = take_quantization(said);
  ModelConfig config = model_config(std::move(said), where, [&] { return usable_parts(folder.path); });
  folder.config = std::move(config.config);
  folder.family = config.family;
  folder.layout = config.layout;
  check_quantization(folder);
  if (folder.layout != nullptr && folder.layout->read_beside != nullptr)
    folder.layout->read_beside(folder, folder.config);
}

ModelFolder open_without_manifest(const std::filesystem::path& files) {
  ModelFolder folder(files);
  read_config(folder);
  return folder;
}

ModelFolder open_own_files(const std::filesystem::path& files, FoundLayout found) {
  ModelFolder folder(files);
  folder.layout = found.layout;
  folder.family = &found.layout->family();
  folder.own_files = std::make_shared<const OwnFiles>(std::move(found.files));
  try {
    folder.config = our_config(*folder.layout, Json::parse(folder.config_text(), "settings"));
  } catch (const Error& error) {
    throw Error(folder.config_path().string() + ": " + error.what());
  }
  return folder;
}

// Its optimizer state stays unread where only what loading needs is compared.
ModelFolder open_checkpoint(const std::filesystem::path& checkpoint, Compared compared) {
  const Manifest manifest = read_manifest(checkpoint);
  ModelFolder folder(checkpoint);
  const auto compare = [&](const std::string& name, std::uint64_t max_bytes) {
    const Manifest::File& file = listed_file(manifest, checkpoint, name);
    check_listed_bytes(checkpoint / name, folder.read(name, max_bytes), file);
  };
  compare("config.json", kMaxConfigBytes);
  read_config(folder);
  std::vector<std::string> files = folder.family->text_files(folder.config);
  for (const std::string& name : files) compare(name, kMaxTextFile);
  const std::filesystem::path weights = checkpoint / kWeights;
  const Manifest::File& listed_weights = listed_file(manifest, checkpoint, kWeights);
  folder.mapped_weights = std::make_shared<MappedFile>(weights);
  check_listed_bytes(weights, folder.mapped_weights->bytes(), listed_weights);
  folder.mapped_weights->check_size(weights);
  folder.manifest = manifest;
  if (compared == Compared::needed) return folder;
  files.insert(files.end(), {"config.json", kWeights});
  for (const Manifest::File& file : manifest.files) {
    if (std::ranges::find(files, file.name) == files.end()) check_listed_file(checkpoint / file.name, file);
  }
  return folder;
}

// The newest whole one; nothing where there is none, with a line in `skipped` for each that is not.
std::optional<ModelFolder> open_newest_checkpoint(const std::filesystem::path& directory, Compared compared,
                                                  std::vector<std::string>& skipped) {
  for (const Checkpoint& checkpoint : list_checkpoints(directory)) {
    try {
      return open_checkpoint(checkpoint.path, compared);
    } catch (const Error& error) {
      skipped.emplace_back(error.what());
    }
  }
  return std::nullopt;
}

// Who names its weights learns what is wrong with a folder; a text lies beside a damaged model by chance.
bool holds_model(const std::filesystem::path& folder, bool names_weights) {
  try {
    return is_there(folder / "config.json") || layout_with_own_files(folder);
  } catch (const Error&) {
    if (names_weights) throw;
    return false;
  }
}

ModelFolder open_target(const std::filesystem::path& path, const std::filesystem::path& target,
                        Compared compared) {
  std::error_code ignored;
  if (is_there(path) && !std::filesystem::is_directory(path, ignored)) {
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
    if (holds_model(folder, has_other_ending(path)))
      throw Error(path.string() + ": not a model directory but a file, of the model in " + folder.string() +
                  " (name that)");
    throw Error(
        path.string() +
        (has_other_ending(path)
             ? std::string(": not a model directory but a file of weights (") + kWriteSafetensors + ")"
             : ": not a model directory but a file (the model is named first, by the directory that "
               "train wrote)"));
  }
  if (!std::filesystem::is_directory(path, ignored)) {
    throw Error(path.string() + ": not a model directory (train writes one: train --recipe RECIPE -o " +
                path.string() + ")");
  }
  if (is_there(target / kManifestName) || link_target(path / kCheckpoints / kBest))
    return open_checkpoint(target, compared);
  if (leads_somewhere(target / "config.json"))
    return open_without_manifest(target);  // a copy without checkpoints
  if (std::optional<FoundLayout> found = layout_with_own_files(target))
    return open_own_files(target, std::move(*found));
  std::vector<std::string> skipped;
  if (std::optional<ModelFolder> newest = open_newest_checkpoint(target, compared, skipped)) {
    newest->skipped = std::move(skipped);
    return std::move(*newest);
  }
  // `make recipe` keeps the model of a run beside its tokens and reports.
  const std::filesystem::path below = path / "model";
  const bool is_below = leads_somewhere(below / "config.json") || is_there(below / "checkpoints");
  const std::string why = is_below ? "" : why_no_model(target);
  if (!why.empty()) throw Error(path.string() + ": " + why);
  throw Error(path.string() + ": holds no complete checkpoint" +
              (skipped.empty() ? "" : "; " + skipped.front()) + " (" +
              (is_below && skipped.empty() ? "did you mean " + below.string()
                                           : std::string("is training still in its first steps")) +
              "?)");
}

}  // namespace

ModelFolder open_model(const std::filesystem::path& path, Compared compared) {
  constexpr int kMaxAttempts = 100;  // of a reader that a busy machine keeps waiting while the run saves
  for (int attempt = 1;; ++attempt) {
    const std::filesystem::path target = target_of_links(path);
    try {
      return open_target(path, target, compared);
    } catch (const Error&) {
      if (attempt == kMaxAttempts || target_of_links(path) == target) throw;
    }
  }
}

std::filesystem::path ModelFolder::config_path() const {
  return path / (own_files ? own_files->settings : std::string("config.json"));
}

const std::string& ModelFolder::config_text() const {
  return own_files ? own_files->config : read("config.json", kMaxConfigBytes);
}

std::optional<std::filesystem::path> ModelFolder::beside(std::string_view name) const {
  if (has(name)) {
    const auto is_it = [&](const Manifest::File& file) { return file.name == name; };
    if (manifest && std::ranges::any_of(manifest->files, is_it))
      check_listed_bytes(path / name, read(name), listed_file(*manifest, path, name));
    return path / name;
  }
  const std::filesystem::path folder =
      (std::filesystem::absolute(path) / "").lexically_normal().parent_path();
  const std::filesystem::path in_run = (path / ".." / "..").lexically_normal() / name;
  if (folder.parent_path().filename() != kCheckpoints || !is_there(in_run)) return std::nullopt;
  return in_run;
}

Safetensors ModelFolder::weights() const {
  if (own_files) return own_files->weights;
  const std::filesystem::path file = path / kWeights;
  if (mapped_weights != nullptr) return {mapped_weights, file};
  const std::string other = has(kWeights) ? "" : other_weights_in(path);
  if (other.empty()) {
    mapped_weights = std::make_shared<MappedFile>(file);
    return {mapped_weights, file};
  }
  const char* const what_to_do =
      other == kWeightsIndex ? "weights in several files are not read; in Python: model.save_pretrained(DIR, "
                               "max_shard_size=\"1TB\")"
                             : "only safetensors are read; in Python: model.save_pretrained(DIR, "
                               "safe_serialization=True, max_shard_size=\"1TB\")";
  throw Error(path.string() + ": has no model.safetensors but " + other + " (" + what_to_do + ")");
}

std::string name_of_model(const std::filesystem::path& path) {
  std::filesystem::path name = std::filesystem::absolute(path).lexically_normal();
  if (!name.has_filename()) name = name.parent_path();
  if (name.filename() == "model") name = name.parent_path();
  return name.filename().string();
}

}  // namespace headwater
