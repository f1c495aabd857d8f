#include "models/config_values.hpp"

#include <cmath>

#include "support/error.hpp"

namespace headwater {

namespace {

std::string shape_text(std::span<const std::int64_t> shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

}  // namespace

std::int64_t whole(const Json& config, std::string_view name, std::int64_t least, std::int64_t most) {
  const std::int64_t value = config.at(name).as_integer();
  if (value < least || value > most) {
    throw Error(quote(name) + " is " + std::to_string(value) + ", expected " + std::to_string(least) +
                " to " + std::to_string(most));
  }
  return value;
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

double share(const Json& config, std::string_view name) {
  const double value = config.at(name).as_number();
  if (!(value >= 0 && value < 1)) throw Error(quote(name) + " is not from 0 to below 1");
  return value;
}

double positive_number(const Json& config, std::string_view name) {
  const double value = config.at(name).as_number();
  if (!(value > 0) || !std::isfinite(value)) throw Error(quote(name) + " is not above 0");
  return value;
}

void write_blocks(Json& config, const ModelSettings& settings) {
  config.set("heads", settings.heads);
  config.set("head_width", settings.head_width);
  config.set("feed_forward_width", settings.feed_forward_width);
  config.set("encoder_layers", settings.encoder_layers);
  config.set("norm", settings.norm);
  config.set("norm_epsilon", settings.norm_epsilon);
  config.set("activation", settings.activation);
  config.set("positions", settings.positions);
  config.set("scale_embedding", settings.scale_embedding);
  config.set("length", settings.length);
  config.set("dropout", settings.dropout);
  config.set("attention_dropout", settings.attention_dropout);
}

void read_blocks(const Json& config, ModelSettings& settings) {
  settings.heads = whole(config, "heads", 1, 1024);
  settings.head_width = whole(config, "head_width", 0, 65536);
  settings.feed_forward_width = whole(config, "feed_forward_width", 1, 1000000);
  settings.encoder_layers = whole(config, "encoder_layers", 0, 1000);
  settings.norm = word(config, "norm", {"post", "pre"});
  settings.norm_epsilon = positive_number(config, "norm_epsilon");
  settings.activation = word(config, "activation", {"relu", "gelu", "gelu_tanh", "silu"});
  settings.positions = word(config, "positions", {"learned", "sinusoidal", "none"});
  settings.scale_embedding = config.at("scale_embedding").as_bool();
  settings.length = whole(config, "length", 1, 1000000);
  settings.dropout = share(config, "dropout");
  settings.attention_dropout = share(config, "attention_dropout");
}

}  // namespace headwater
