#include "models/model_directory.hpp"

#include <algorithm>
#include <bit>
#include <type_traits>

#include "checkpoint/directory.hpp"
#include "models/config_values.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

namespace headwater {

namespace {

constexpr const char* kModelType = "headwater_encoder_decoder";

struct KindWords {
  ModelKind kind;
  const char* model_type;
  const char* what_it_is;  // "holds ..."
};
constexpr KindWords kKinds[] = {
    {ModelKind::encoder_decoder, kModelType, "a translator (use translate)"},
    {ModelKind::classifier, "headwater_classifier", "a classifier (use classify)"},
    {ModelKind::bag_of_words, "headwater_bag_of_words", "a classifier (use classify)"}};

std::vector<std::string> text_files(ModelKind kind) {
  if (kind == ModelKind::encoder_decoder) return {"source-tokenizer.json", "target-tokenizer.json"};
  if (kind == ModelKind::classifier) return {"tokenizer.json"};
  return {"tokenizer.json", "terms.tsv"};
}

ModelKind kind_of(const Json& config) {
  const std::string& type = config.at("model_type").as_string();
  std::string known;
  for (const KindWords& words : kKinds) {
    if (type == words.model_type) return words.kind;
    known += (known.empty() ? "" : ", ") + std::string(words.model_type);
  }
  throw Error("\"model_type\" is " + quote(type) + ", expected one of " + known);
}

// What a model needs of a checkpoint, by its kind; its optimizer state stays unread.
void verify_model(const std::filesystem::path& checkpoint) {
  verify_checkpoint(checkpoint, {"config.json"});
  std::vector<std::string> needed{"model.safetensors"};
  for (const std::string& name : text_files(model_kind(checkpoint))) needed.push_back(name);
  verify_checkpoint(checkpoint, needed);
}

// The checkpoint that `best` points to. The link is read once: a run that trains on may swap it between two
// files, and remove the checkpoint that it pointed to.
std::filesystem::path best_checkpoint(const std::filesystem::path& directory) {
  const std::filesystem::path checkpoints = directory / "checkpoints";
  constexpr int kMostAttempts = 10;
  for (int attempt = 1;; ++attempt) {
    const std::filesystem::path target = std::filesystem::read_symlink(checkpoints / "best");
    try {
      verify_model(checkpoints / target);
      return checkpoints / target;
    } catch (const Error&) {
      if (attempt == kMostAttempts || std::filesystem::read_symlink(checkpoints / "best") == target) throw;
    }
  }
}

}  // namespace

std::filesystem::path model_files(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) {
    throw Error(path.string() + ": not a model directory (train writes one: train --recipe RECIPE -o " +
                path.string() + ")");
  }
  if (std::filesystem::exists(path / kManifestName, ignored)) {
    verify_model(path);
    return path;
  }
  if (std::filesystem::is_symlink(path / "checkpoints" / "best", ignored)) return best_checkpoint(path);
  if (std::filesystem::exists(path / "config.json", ignored)) return path;  // a copy without checkpoints
  std::vector<std::string> skipped;
  const auto newest = newest_valid_checkpoint(path, skipped);
  if (!newest) {
    throw Error(path.string() + ": holds no complete checkpoint" +
                (skipped.empty() ? "" : "; " + skipped.front()) + " (is training still in its first steps?)");
  }
  return newest->path;
}

Json read_config(const std::filesystem::path& files) {
  const std::filesystem::path path = files / "config.json";
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 26;  // labels have names of any length
  return Json::parse(read_file(path, kMostBytes), path.string());
}

ModelKind model_kind(const std::filesystem::path& files) {
  const std::filesystem::path path = files / "config.json";
  const Json config = read_config(files);
  try {
    return kind_of(config);
  } catch (const Error& error) {
    throw Error(path.string() + ": " + error.what());
  }
}

void check_kind(const std::filesystem::path& files, std::initializer_list<ModelKind> wanted) {
  const ModelKind kind = model_kind(files);
  if (std::find(wanted.begin(), wanted.end(), kind) != wanted.end()) return;
  for (const KindWords& words : kKinds) {
    if (words.kind == kind) throw Error(files.string() + ": holds " + words.what_it_is);
  }
}

Json config_of(const EncoderDecoder& model, const Tokenizer& source, const Tokenizer& target) {
  const ModelSettings& s = model.settings();
  Json config;
  config.set("architectures", Json::Array{"HeadwaterEncoderDecoder"});
  config.set("model_type", kModelType);
  config.set("width", s.width);
  write_blocks(config, s);
  config.set("decoder_layers", s.decoder_layers);
  config.set("output_dropout", s.output_dropout);
  config.set("initialization", s.initialization);
  config.set("source_vocabulary_size", model.source_vocabulary());
  config.set("target_vocabulary_size", model.target_vocabulary());
  config.set("source_vocabulary_hash", source.hash());
  config.set("target_vocabulary_hash", target.hash());
  config.set("pad_token_id", std::int64_t{target.pad_id()});
  config.set("decoder_start_token_id", std::int64_t{target.start_id()});
  config.set("eos_token_id", std::int64_t{target.end_id()});
  return config;
}

Json generation_config_of(const Tokenizer& target, std::int64_t most_tokens) {
  Json config;
  config.set("decoder_start_token_id", std::int64_t{target.start_id()});
  config.set("eos_token_id", std::int64_t{target.end_id()});
  config.set("pad_token_id", std::int64_t{target.pad_id()});
  config.set("max_length", most_tokens);
  return config;
}

std::unique_ptr<EncoderDecoder> model_of_config(const Json& config, const std::string& where) {
  try {
    word(config, "model_type", {kModelType});
    ModelSettings s;
    s.width = whole(config, "width", 1, 65536);
    read_blocks(config, s);
    s.decoder_layers = whole(config, "decoder_layers", 1, 1000);
    s.output_dropout = share(config, "output_dropout");
    s.initialization = config.at("initialization").as_string();
    return std::make_unique<EncoderDecoder>(s, whole(config, "source_vocabulary_size", 1, 10000000),
                                            whole(config, "target_vocabulary_size", 1, 10000000));
  } catch (const Error& error) {
    throw Error(where + ": " + error.what());
  }
}

void read_parameters(const std::filesystem::path& file, Parameters& parameters) {
  const Safetensors tensors(file);
  check_tensors(tensors, parameters);
  copy_tensors(tensors, parameters);
}

// Whether the data section is the flat array of the parameters, which have the same tensors.
bool is_flat_array(const Safetensors& tensors) {
  const std::vector<TensorView>& all = tensors.tensors();
  const bool is_float =
      std::all_of(all.begin(), all.end(), [](const TensorView& t) { return t.dtype == Dtype::f32; });
  const bool is_in_order = std::is_sorted(
      all.begin(), all.end(), [](const TensorView& a, const TensorView& b) { return a.name < b.name; });
  const auto address = reinterpret_cast<std::uintptr_t>(tensors.data().data());
  return std::is_same_v<Real, float> && std::endian::native == std::endian::little && is_float &&
         is_in_order && address % alignof(float) == 0 && tensors.file() != nullptr;
}

void map_parameters(const std::filesystem::path& file, Parameters& parameters) {
  const Safetensors tensors(file);
  check_tensors(tensors, parameters);  // before their memory: config.json may ask for any sizes
  if (is_flat_array(tensors)) {
    const std::size_t begin =
        static_cast<std::size_t>(tensors.data().data() - tensors.file()->bytes().data());
    parameters.allocate_over(reinterpret_cast<Real*>(tensors.file()->data() + begin), tensors.file());
  } else {
    parameters.allocate(false);
    copy_tensors(tensors, parameters);
  }
  tensors.file()->check_size(file);
}

// A model without the file has no limit but its length.
std::int64_t read_most_tokens(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return 0;
  const Json config = Json::parse(read_file(path, 1 << 20), path.string());
  try {
    const Json* most = config.find("max_length");
    return most == nullptr ? 0 : whole(config, "max_length", 1, 1000000);
  } catch (const Error& error) {
    throw Error(path.string() + ": " + error.what());
  }
}

TranslationModel load_translation_model(const std::filesystem::path& path) {
  const std::filesystem::path files = model_files(path);
  check_kind(files, {ModelKind::encoder_decoder});
  const std::filesystem::path config_path = files / "config.json";
  const Json config = read_config(files);
  std::unique_ptr<EncoderDecoder> model = model_of_config(config, config_path.string());
  Tokenizer source = load_tokenizer(files / "source-tokenizer.json", model->source_vocabulary(),
                                    text_at(config, "source_vocabulary_hash", config_path), config_path);
  Tokenizer target = load_tokenizer(files / "target-tokenizer.json", model->target_vocabulary(),
                                    text_at(config, "target_vocabulary_hash", config_path), config_path);
  if (target.start_id() < 0 || target.end_id() < 0) {
    throw Error((files / "target-tokenizer.json").string() +
                ": has no [START] and [END] (learn it with --start-end)");
  }
  map_parameters(files / "model.safetensors", model->parameters());
  return {files, std::move(source), std::move(target), std::move(model),
          read_most_tokens(files / "generation_config.json")};
}

}  // namespace headwater
