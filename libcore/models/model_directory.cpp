#include "models/model_directory.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

#include "checkpoint/directory.hpp"
#include "checkpoint/safetensors.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

namespace headwater {

namespace {

constexpr const char* kModelType = "headwater_encoder_decoder";

// The bounds are those of recipes, so that no product of sizes overflows.
std::int64_t whole(const Json& config, std::string_view name, std::int64_t least, std::int64_t most) {
  const std::int64_t value = config.at(name).as_integer();
  if (value < least || value > most) {
    throw Error(quote(name) + " is " + std::to_string(value) + ", expected " + std::to_string(least) +
                " to " + std::to_string(most));
  }
  return value;
}

std::string shape_text(std::span<const std::int64_t> shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

std::string word(const Json& config, std::string_view name, std::initializer_list<std::string_view> allowed) {
  const std::string& value = config.at(name).as_string();
  std::string list;
  for (const std::string_view candidate : allowed) {
    if (value == candidate) return value;
    list += (list.empty() ? "" : ", ") + std::string(candidate);
  }
  throw Error(quote(name) + " is " + quote(value) + ", expected one of " + list);
}

std::string text_at(const Json& config, std::string_view name, const std::filesystem::path& path) {
  try {
    return config.at(name).as_string();
  } catch (const Error& error) {
    throw Error(path.string() + ": " + error.what());
  }
}

Tokenizer load_tokenizer(const std::filesystem::path& path, Index rows, const std::string& hash,
                         const std::filesystem::path& config) {
  Tokenizer tokenizer = Tokenizer::load(path);
  // A text with fewer words than the recipe's vocabulary leaves the last rows of the tables unused.
  if (tokenizer.vocabulary_size() > rows || tokenizer.hash() != hash) {
    throw Error(path.string() + ": " + std::to_string(tokenizer.vocabulary_size()) +
                " tokens with the hash " + tokenizer.hash() + ", " + config.string() + " has room for " +
                std::to_string(rows) + " and asks for " + quote(hash) +
                " (the tokenizer belongs to another model)");
  }
  return tokenizer;
}

// The file has the tensors of the parameters and no others.
void check_tensors(const Safetensors& tensors, const Parameters& parameters) {
  for (const auto& p : parameters.all()) {
    const TensorView& tensor = tensors.at(p->name);
    if (!std::equal(tensor.shape.begin(), tensor.shape.end(), p->shape.begin(), p->shape.end())) {
      throw Error(tensors.where() + ": tensor " + quote(p->name) + " has shape " + shape_text(tensor.shape) +
                  ", config.json asks for " + shape_text(p->shape));
    }
  }
  for (const TensorView& tensor : tensors.tensors()) {
    if (parameters.find(tensor.name) == nullptr) {
      throw Error(tensors.where() + ": tensor " + quote(tensor.name) +
                  " is no part of the model that config.json describes");
    }
  }
}

void copy_tensors(const Safetensors& tensors, Parameters& parameters) {
  for (const auto& p : parameters.all()) {
    read_numbers(tensors.at(p->name), std::span<Real>(p->value.data, static_cast<std::size_t>(p->size())));
  }
}

}  // namespace

std::filesystem::path model_files(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) {
    throw Error(path.string() + ": not a model directory (train writes one: train --recipe RECIPE -o " +
                path.string() + ")");
  }
  // What a model needs of a checkpoint; its optimizer state stays unread.
  const std::vector<std::string> needed{"config.json", "model.safetensors", "source-tokenizer.json",
                                        "target-tokenizer.json"};
  if (std::filesystem::exists(path / kManifestName, ignored)) {
    verify_checkpoint(path, needed);
    return path;
  }
  const std::filesystem::path best = path / "checkpoints" / "best";
  if (std::filesystem::is_symlink(best, ignored)) {
    verify_checkpoint(best, needed);
    return best;
  }
  if (std::filesystem::exists(path / "config.json", ignored)) return path;  // a copy without checkpoints
  std::vector<std::string> skipped;
  const auto newest = newest_valid_checkpoint(path, skipped);
  if (!newest) {
    throw Error(path.string() + ": holds no complete checkpoint" +
                (skipped.empty() ? "" : "; " + skipped.front()) + " (is training still in its first steps?)");
  }
  return newest->path;
}

Json config_of(const EncoderDecoder& model, const Tokenizer& source, const Tokenizer& target) {
  const ModelSettings& s = model.settings();
  Json config;
  config.set("architectures", Json::Array{"HeadwaterEncoderDecoder"});
  config.set("model_type", kModelType);
  config.set("width", s.width);
  config.set("heads", s.heads);
  config.set("head_width", s.head_width);
  config.set("feed_forward_width", s.feed_forward_width);
  config.set("encoder_layers", s.encoder_layers);
  config.set("decoder_layers", s.decoder_layers);
  config.set("norm", s.norm);
  config.set("norm_epsilon", s.norm_epsilon);
  config.set("activation", s.activation);
  config.set("positions", s.positions);
  config.set("scale_embedding", s.scale_embedding);
  config.set("length", s.length);
  config.set("dropout", s.dropout);
  config.set("attention_dropout", s.attention_dropout);
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
    s.heads = whole(config, "heads", 1, 1024);
    s.head_width = whole(config, "head_width", 0, 65536);
    s.feed_forward_width = whole(config, "feed_forward_width", 1, 1000000);
    s.encoder_layers = whole(config, "encoder_layers", 0, 1000);
    s.decoder_layers = whole(config, "decoder_layers", 1, 1000);
    s.norm = word(config, "norm", {"post", "pre"});
    s.norm_epsilon = config.at("norm_epsilon").as_number();
    if (!(s.norm_epsilon > 0) || !std::isfinite(s.norm_epsilon))
      throw Error("\"norm_epsilon\" is not above 0");
    s.activation = word(config, "activation", {"relu", "gelu", "gelu_tanh", "silu"});
    s.positions = word(config, "positions", {"learned", "sinusoidal", "none"});
    s.scale_embedding = config.at("scale_embedding").as_bool();
    s.length = whole(config, "length", 1, 1000000);
    s.dropout = config.at("dropout").as_number();
    s.attention_dropout = config.at("attention_dropout").as_number();
    s.output_dropout = config.at("output_dropout").as_number();
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
  const std::filesystem::path config_path = files / "config.json";
  constexpr std::uint64_t kMostConfigBytes = 1 << 20;
  const Json config = Json::parse(read_file(config_path, kMostConfigBytes), config_path.string());
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
