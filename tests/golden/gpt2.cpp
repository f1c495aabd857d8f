#include "gpt2.hpp"

#include <doctest/doctest.h>

#include <memory>

using namespace headwater;

namespace {

LanguageModelSettings settings_of_gpt2(const Json& config) {
  LanguageModelSettings settings;
  settings.transformer.width = config.at("n_embd").as_integer();
  settings.transformer.heads = config.at("n_head").as_integer();
  settings.transformer.head_width = settings.transformer.width / settings.transformer.heads;
  settings.transformer.feed_forward_width = 4 * settings.transformer.width;
  settings.transformer.length = config.at("n_positions").as_integer();
  settings.transformer.norm = "pre";
  settings.transformer.norm_epsilon = config.at("layer_norm_epsilon").as_number();
  settings.transformer.activation = "gelu_tanh";
  settings.layers = config.at("n_layer").as_integer();
  return settings;
}

struct Gpt2Loader {
  Safetensors file{reference_path("gpt2/model.safetensors")};
  Parameters& parameters;

  // Columns of a tensor [rows, columns] there; of the transposed one where is_transposed.
  void put(const std::string& ours, const std::string& theirs, Index first_column = 0,
           bool is_transposed = false) {
    Parameter* const p = parameters.find(ours);
    REQUIRE_MESSAGE(p != nullptr, ours);
    const TensorView& tensor = file.at("transformer." + theirs);
    const std::vector<float> values = read_floats(tensor);
    const Index columns = static_cast<Index>(tensor.shape.back());
    for (Index r = 0; r < p->value.rows; ++r) {
      for (Index c = 0; c < p->value.cols; ++c) {
        const Index at = is_transposed ? c * columns + r : r * columns + first_column + c;
        p->value.row(r)[c] = values[static_cast<std::size_t>(at)];
      }
    }
  }
  void put_linear(const std::string& ours, const std::string& theirs, Index first_column = 0) {
    put(ours + ".weight", theirs + ".weight", first_column);
    put(ours + ".bias", theirs + ".bias", first_column);
  }
  void put_norm(const std::string& ours, const std::string& theirs) {
    put(ours + ".gamma", theirs + ".weight");
    put(ours + ".beta", theirs + ".bias");
  }
};

}  // namespace

std::unique_ptr<LanguageModel> load_reference_gpt2() {
  const Json config = Json::parse(read_file(reference_path("gpt2/config.json"), 1 << 20), "gpt2");
  const LanguageModelSettings settings = settings_of_gpt2(config);
  auto model = std::make_unique<LanguageModel>(settings, config.at("vocab_size").as_integer());
  model->parameters().allocate(false);
  Gpt2Loader load{.parameters = model->parameters()};
  load.put("embedding.tokens", "wte.weight");
  load.put("embedding.positions", "wpe.weight");
  load.put("head.weight", "wte.weight", 0, true);
  const Index width = settings.transformer.width;
  for (Index layer = 0; layer < settings.layers; ++layer) {
    const std::string ours = "decoder." + std::to_string(layer), theirs = "h." + std::to_string(layer);
    load.put_linear(ours + ".self_attention.query", theirs + ".attn.c_attn", 0);
    load.put_linear(ours + ".self_attention.key", theirs + ".attn.c_attn", width);
    load.put_linear(ours + ".self_attention.value", theirs + ".attn.c_attn", 2 * width);
    load.put_linear(ours + ".self_attention.output", theirs + ".attn.c_proj");
    load.put_linear(ours + ".feed_forward.inner", theirs + ".mlp.c_fc");
    load.put_linear(ours + ".feed_forward.outer", theirs + ".mlp.c_proj");
    load.put_norm(ours + ".self_attention_norm", theirs + ".ln_1");
    load.put_norm(ours + ".feed_forward_norm", theirs + ".ln_2");
  }
  load.put_norm("decoder.norm", "ln_f");
  return model;
}
