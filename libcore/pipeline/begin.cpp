// What happens before the first stage of a run: its recipe, the models it begins with, its data.
#include <algorithm>
#include <cctype>
#include <system_error>

#include <unistd.h>

#include "families/layouts/layout.hpp"
#include "families/layouts/registry.hpp"
#include "families/model_directory.hpp"
#include "families/recipe_of_model.hpp"
#include "families/registry.hpp"
#include "pipeline/run.hpp"
#include "support/directories.hpp"
#include "support/drafts.hpp"
#include "support/hash.hpp"

namespace headwater {

namespace {

void must_be_file(const fs::path& file, const std::string& name) {
  std::error_code none;
  if (!fs::exists(file, none)) throw Error(name + ": no such file");
  if (fs::is_directory(file, none)) throw Error(name + ": a folder, not a file");
  if (::access(file.c_str(), R_OK) != 0) throw Error(name + ": permission denied");
}

// The file of a model's weights; empty: it has none, or is not there.
fs::path weights_of(const fs::path& model) {
  if (is_file(model / "model.safetensors")) return model / "model.safetensors";
  const std::optional<FoundLayout> found = model.empty() ? std::nullopt : layout_with_own_files(model);
  return found ? model / found->files.settings : fs::path();
}

// A value of a key, as YAML has it.
std::string in_yaml(const std::string& value) {
  const bool is_plain = std::ranges::all_of(value, [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("/._-+").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (is_plain) return value;
  std::string out = "\"";
  for (const char c : value) out += (c == '"' || c == '\\' ? "\\" : "") + std::string(1, c);
  return out + "\"";
}

constexpr const char* kTeacher = ":given.teacher";

// A hash of the files of a model. What its training keeps lies in folders and does not count.
std::string hash_of_model(const fs::path& folder) {
  std::error_code none;
  std::vector<fs::path> files = list_folder(folder, none);
  std::sort(files.begin(), files.end());
  Hasher hasher;
  for (const fs::path& file : files) {
    if (is_file(file)) hasher.update(file.filename().string() + "\n" + hash_of_file(file) + "\n");
  }
  return hasher.digest();
}

std::string without_dot(const fs::path& path) {
  const std::string text = path.string();
  return text.starts_with("./") ? text.substr(2) : text;
}

}  // namespace

std::string RunRequest::option(const std::string& name, const std::string& value) const {
  if (!is_of_make) return "--" + name + (value.empty() ? "" : " " + value);
  std::string variable;
  for (const char c : name) variable += c == '-' ? '_' : static_cast<char>(std::toupper(c));
  return variable + "=" + (value.empty() ? "1" : value);
}

std::string RunRequest::command_of(const std::string& name) const {
  return (is_of_make ? "make recipe-" : program + " run ") + name +
         (scale == "quick" ? " " + option("scale", scale) : "") +
         (models == "models" ? "" : " " + option("models", Shell().quoted(models.string())));
}

RecipeRun::RecipeRun(const RunRequest& request) : r_(request) {
  const std::string name = r_.recipe.filename().string();
  if (name.starts_with('.') || name.starts_with("prepared."))
    throw Error(r_.recipe.string() +
                ": a run of this name would stand where other files of runs are; call it otherwise");
  e_.recipe_file = r_.recipe;
  e_.house = r_.house;
  e_.bin = r_.bin;
  e_.run = r_.run;
  e_.threads = r_.threads;
  e_.is_quiet = r_.is_quiet;
  e_.overwrites = r_.overwrites;
  e_.allows_empty = r_.allows_empty;
  e_.is_full_scale = r_.scale == "full";
  e_.recipe = read();
  find_models();
  find_tokenizers();
  check_vocabularies();
  find_data();
}

Recipe RecipeRun::read(const fs::path& tokenizers_of) const {
  std::vector<std::string> changes = r_.changes;
  changes.insert(changes.end(), besides_.begin(), besides_.end());
  if (r_.seed) changes.push_back("seed=" + std::to_string(*r_.seed));
  return tokenizers_of.empty() ? read_recipe(r_.recipe, r_.scale, changes)
                               : read_recipe_over_model(r_.recipe, tokenizers_of, r_.scale, changes);
}

// The weights that a run begins with, the encoder whose vectors a linear model reads, and the teacher. The
// run of another recipe of ours lies below MODELS, at the same scale.
void RecipeRun::find_models() {
  const auto found = [&](const std::string& key, const fs::path& named, std::string& maker) {
    const auto sets_it = [&](const std::string& change) { return change.starts_with(key + "="); };
    maker = maker_of(r_.house, named.string());
    if (std::ranges::any_of(r_.changes, sets_it)) maker.clear();
    if (maker.empty()) return named;
    fs::path model = r_.models / "recipes" / (maker + (r_.scale == "quick" ? "-quick" : "")) / "model";
    if (model != named) besides_.push_back(key + "=" + in_yaml(model.string()));
    return model;
  };
  from_ = found("training.init_from", e_.recipe.training.init_from, maker_);
  encoder_ = found("model.encoder", family_of(e_.recipe.model).line_form(e_.recipe.model).tokenizer_from,
                   encoder_maker_);
  e_.teacher = found("data.teacher", e_.recipe.data.teacher, teacher_maker_);
  if (!besides_.empty()) e_.recipe = read();
}

// A run that begins with a model has its tokenizers and terms, unless data.tokenizer_text names another text
// to learn them from. Keys of them that the recipe does not set are the model's, or, where it is gone, those
// that the run has.
void RecipeRun::find_tokenizers() {
  if (from_.empty() || !e_.field("source") || !files_of_recipe(e_.recipe).learns_from_train()) return;
  if (is_file(from_ / "recipe.yaml") || is_file(from_ / "source-tokenizer.json")) {
    gives_ = Gives::files;
  } else if (is_file(from_ / "config.json")) {  // of another program
    if (e_.task() == Task::translation)
      throw Error(r_.recipe.string() + ": training.init_from: " + from_.string() +
                  ": nothing trains with the tokenizers of a published translator (data.tokenizer_text: "
                  "another file than data.train learns new ones; what that model does not know begins "
                  "anew)");
    gives_ = Gives::folder;
  } else if (!is_there(from_)) {
    gives_ = Gives::before;
  } else if (layout_with_own_files(from_)) {
    gives_ = Gives::vocabularies;
  }
  const fs::path of = gives_ == Gives::before ? e_.own_recipe() : from_;
  if (gives_ != Gives::nothing && is_there(of)) e_.recipe = read(of);
}

// Train would refuse it when all is prepared.
void RecipeRun::check_vocabularies() const {
  const Recipe& recipe = e_.recipe;
  const bool has_one = family_of(recipe.model).line_form(recipe.model).has_one_vocabulary;
  if (has_one && gives_ == Gives::nothing && !recipe.shared_tokenizer)
    throw Error(r_.recipe.string() +
                ": model.share_embeddings makes one table of both sides, which have two vocabularies (write "
                "shared_tokenizer: true, or share target_output)");
}

// Data of a public set is prepared by its script; the user's own must be there.
void RecipeRun::find_data() {
  const std::string& set = e_.recipe.data.set;
  e_.files = files_of_recipe(e_.recipe);
  e_.data = r_.data;
  if (e_.data.empty()) e_.data = set.empty() ? r_.recipe.parent_path() : fs::path("data/cache");
  if (e_.data.empty()) e_.data = ".";
  check_set();
  if (set.empty()) {
    for (const auto& [key, file] :
         {std::pair("train", e_.files.train), std::pair("validation", e_.files.validation),
          std::pair("test", e_.files.test), std::pair("tokenizer_text", e_.files.tokenizer_text)}) {
      const fs::path path = e_.data / file;
      if (!file.empty()) must_be_file(path, r_.recipe.string() + ": data." + key + ": " + without_dot(path));
    }
  }
  if (is_there(e_.model()) && !r_.overwrites) return;  // it holds what it began with
  if (!from_.empty() && !is_there(from_)) throw no_model("training.init_from", from_, maker_);
  check_models_of_data();
}

Error RecipeRun::no_model(const std::string& key, const fs::path& model, const std::string& maker) const {
  const std::string by_hand = maker_of(r_.house, model.string());
  const std::string hint = !maker.empty() ? r_.command_of(maker)
                           : by_hand.empty()
                               ? ""
                               : (r_.is_of_make ? "make recipe-" : r_.program + " run ") + by_hand;
  return Error(r_.recipe.string() + ": " + key + ": " + model.string() + ": no such model" +
               (hint.empty() ? "" : " (" + hint + " makes it)"));
}

// That the encoder and the teacher are there where something is to be made with them.
void RecipeRun::check_models_of_data() const {
  if (!encoder_.empty() && !is_there(encoder_)) throw no_model("model.encoder", encoder_, encoder_maker_);
  if (e_.teacher.empty()) return;
  if (!is_there(e_.teacher)) throw no_model("data.teacher", e_.teacher, teacher_maker_);
  if (!is_file(e_.teacher / "config.json") && !layout_with_own_files(e_.teacher))
    throw Error(r_.recipe.string() + ": data.teacher: " + e_.teacher.string() +
                ": not a model directory (name the one that train wrote: RUN/model)");
}

// --- The run's own folder ----------------------------------------------------------------------------------

void RecipeRun::claim() {
  if (is_read_only(e_.run))
    throw Error(e_.run.string() +
                ": nothing can be written there (choose another folder: " + r_.option("models", "DIR") + ")");
  std::error_code error;
  fs::create_directories(e_.run, error);
  if (error) throw Error(e_.run.string() + ": cannot be made: " + error.message());
  if (!try_claim())
    throw Error(e_.run.string() +
                ": another command is making this run (wait until it ends, or choose another folder: " +
                r_.option("models", "DIR") + ")");
}

// The run is this command's, without what killed ones have left; false: another command has it.
bool RecipeRun::try_claim() {
  try {
    claim_ = Claim::of(e_.run / ".lock", e_.run.string());
    if (!claim_) return false;
  } catch (const std::system_error&) {
    r_.say((e_.run / ".lock").string() + ": cannot be locked; no other command may make this run");
  }
  for (const fs::path& draft : remove_drafts(e_.run))
    r_.say(draft.string() + ": a command on another machine wrote it (remove it once that has ended)");
  return true;
}

void RecipeRun::check_recipe_of_run() const {
  std::error_code none;
  const fs::path other = e_.run / before_.recipe;
  if (before_.recipe.empty() || !is_there(other) || fs::equivalent(other, r_.recipe, none)) return;
  throw Error(e_.run.string() + ": a run of another recipe, " + fs::weakly_canonical(other).string() +
              ", not of " + fs::weakly_canonical(r_.recipe).string() +
              " (choose another folder: " + r_.option("models", "DIR") + ")");
}

// The vocabularies of a directory of Marian NMT, as train reads them.
void RecipeRun::take_vocabularies(bool is_shared) {
  const ModelFolder folder = open_model(from_);
  const ModelTokenizers tokenizers = folder.layout->tokenizers(folder);
  const auto take = [&](const Tokenizer& tokenizer, const char* side) {
    const std::string name = std::string(is_shared ? "tokenizer" : side) + ".json";
    given_.push_back({from_ / (std::string(side) + "-tokenizer.json"), name, tokenizer.to_json()});
    e_.given.push_back(name);
  };
  take(tokenizers.source, "source");
  if (is_shared && tokenizers.source.hash() != tokenizers.target->hash())
    throw Error(r_.recipe.string() + ": training.init_from: " + from_.string() +
                " has two vocabularies, and shared_tokenizer: true wants one (shared_tokenizer: false)");
  if (!is_shared && e_.field("target")) take(*tokenizers.target, "target");
}

// What a model gives, for names of what is prepared.
void RecipeRun::take_given() {
  given_.clear();
  e_.given.clear();
  const auto take = [&](const char* file, const char* name) {
    if (!is_file(from_ / file))
      throw Error(r_.recipe.string() + ": training.init_from: " + from_.string() + " has no " + file +
                  ", which this recipe needs (data.tokenizer_text: another file than data.train learns new "
                  "tokenizers)");
    given_.push_back({from_ / file, name, read_file(from_ / file)});
    e_.given.emplace_back(name);
  };
  constexpr std::uintmax_t kMost = 64 << 20;
  constexpr std::string_view kWeights[] = {".safetensors", ".bin", ".h5", ".msgpack", ".onnx"};
  const bool is_shared = e_.has_shared_tokenizer();
  std::error_code none;
  switch (gives_) {
    case Gives::nothing:
      return;
    case Gives::files:
      if (!is_file(from_ / "source-tokenizer.json")) {
        if (e_.field("target") && !is_shared) take("target-tokenizer.json", "target.json");
        take("tokenizer.json", is_shared ? "tokenizer.json" : "source.json");
      } else {
        take("source-tokenizer.json", is_shared ? "tokenizer.json" : "source.json");
        if (is_shared && read_file(from_ / "target-tokenizer.json") != given_.back().bytes)
          throw Error(r_.recipe.string() + ": training.init_from: " + from_.string() +
                      " has two tokenizers, and shared_tokenizer: true wants one (shared_tokenizer: false)");
        if (!is_shared && e_.field("target")) take("target-tokenizer.json", "target.json");
      }
      if (e_.reads_terms()) take("terms.tsv", "terms.tsv");
      return;
    case Gives::folder: {  // all of its files but the weights
      std::vector<fs::path> files = list_folder(from_, none);
      std::sort(files.begin(), files.end());
      for (const fs::path& file : files) {
        if (!is_file(file) || fs::file_size(file, none) >= kMost ||
            std::ranges::find(kWeights, file.extension().string()) != std::end(kWeights))
          continue;
        given_.push_back({file, "model/" + file.filename().string(), read_file(file)});
      }
      e_.given.emplace_back("model");
      return;
    }
    case Gives::vocabularies:
      return take_vocabularies(is_shared);
    case Gives::before:
      e_.given = before_.given;
      if (e_.given.empty())
        throw Error(r_.recipe.string() + ": training.init_from: " + from_.string() + ": no such model, and " +
                    e_.run.string() + " does not say which tokenizers it had (bring the model back)");
      return;
  }
}

// Where the encoder is gone, that of the finished run.
std::string RecipeRun::preparation() const {
  if (encoder_.empty()) return preparation_of(e_.recipe);
  if (!is_there(encoder_)) return before_.preparation();
  try {
    return preparation_of(e_.recipe);
  } catch (const Error& error) {
    throw Error(r_.recipe.string() + ": model.encoder: " + error.what());
  }
}

// What the run is made of now. Throws Error where that may not be.
RunRecord RecipeRun::record_of_now() const {
  RunRecord now;
  std::error_code none;
  now.recipe = fs::weakly_canonical(r_.recipe).lexically_relative(fs::weakly_canonical(e_.run)).string();
  for (const std::string& name : e_.files.all()) {
    const fs::path file = e_.data / name;
    must_be_file(file, r_.recipe.string() + ": " + file.string());
    now.data.push_back(look_at(file, name, find(before_.data, name)));
  }
  now.given = e_.given;
  for (const std::string& name : e_.given) {
    if (gives_ == Gives::before) {
      if (const KnownFile* const had = find(before_.data, ":given." + name)) now.data.push_back(*had);
      continue;
    }
    Hasher hasher;
    for (const Given& file : given_) {
      if (file.name == name || file.name.starts_with(name + "/"))
        hasher.update(file.name + "\n" + hash128(file.bytes) + "\n");
    }
    now.data.push_back({":given." + name, hasher.digest(), "-"});
  }
  if (const KnownFile* const had = find(before_.data, kTeacher); !is_there(e_.teacher)) {
    if (had != nullptr) now.data.push_back(*had);
  } else if (!e_.teacher.empty()) {
    now.data.push_back({kTeacher, hash_of_model(e_.teacher), "-"});
  }
  std::string all;
  for (const KnownFile& file : now.data) all += file.hash + " " + file.name + "\n";
  now.prepared = preparation() + "-" + hash128(all).substr(0, 12);
  for (const fs::path& model : {from_, encoder_}) {
    if (const fs::path file = weights_of(model); !file.empty())
      now.weights += hash_of_file(file).substr(0, 16);
  }
  if (now.weights.empty()) now.weights = before_.weights;  // they are gone, and the run goes on
  if (!before_.weights.empty() && before_.weights != now.weights && !r_.overwrites && is_there(e_.model()))
    throw Error(r_.recipe.string() + ": " + (from_.empty() ? encoder_ : from_).string() +
                ": other weights than those that " + e_.model().string() + " was made with (" +
                r_.option("overwrite") + " trains it anew)");
  now.key = hash128("1\n" + now.prepared + "\n" + now.weights + "\n" + print_recipe(e_.recipe));
  return now;
}

}  // namespace headwater
