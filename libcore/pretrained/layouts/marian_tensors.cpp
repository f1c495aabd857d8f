// Names and shapes of the tensors in Marian's layout. A weight is [out, in] there.
#include <algorithm>
#include <cmath>
#include <span>
#include <unordered_set>

#include "layers/embedding.hpp"
#include "pretrained/layouts/foreign_tensors.hpp"
#include "pretrained/layouts/marian.hpp"
#include "pretrained/model_directory.hpp"
#include "support/error.hpp"
#include "tensor/kernels/reduction/reduction.hpp"

namespace headwater {

namespace {

constexpr NamePair kWholeNames[] = {{"embedding.tokens", "model.shared.weight"},
                                    {"source_embedding.tokens", "model.encoder.embed_tokens.weight"},
                                    {"target_embedding.tokens", "model.decoder.embed_tokens.weight"},
                                    {"head.weight", "lm_head.weight"},
                                    {"head.bias", "final_logits_bias"}};
// Behind "encoder.3.".
constexpr NamePair kLayers[] = {{"self_attention.query", "self_attn.q_proj"},
                                {"self_attention.key", "self_attn.k_proj"},
                                {"self_attention.value", "self_attn.v_proj"},
                                {"self_attention.output", "self_attn.out_proj"},
                                {"self_attention_norm", "self_attn_layer_norm"},
                                {"cross_attention.query", "encoder_attn.q_proj"},
                                {"cross_attention.key", "encoder_attn.k_proj"},
                                {"cross_attention.value", "encoder_attn.v_proj"},
                                {"cross_attention.output", "encoder_attn.out_proj"},
                                {"cross_attention_norm", "encoder_attn_layer_norm"},
                                {"feed_forward.inner", "fc1"},
                                {"feed_forward.outer", "fc2"},
                                {"feed_forward_norm", "final_layer_norm"}};

std::string marian_name(const std::string& ours) {
  if (const std::string_view whole = translated(kWholeNames, ours); !whole.empty()) return std::string(whole);
  const std::size_t stack = ours.find('.');
  const std::string layer =
      stack == std::string::npos ? "" : translated_layer(kLayers, std::string_view(ours).substr(stack + 1));
  if (layer.empty()) throw Error("parameter " + quote(ours) + " has no name in Marian's layout");
  std::string theirs = "model.";
  return theirs.append(ours, 0, stack).append(".layers.").append(layer);
}

bool is_transposed(const Parameter& p) { return !p.is_table && p.value.rows > 1; }

std::vector<std::int64_t> marian_shape(const Parameter& p) {
  if (p.is_table) return {p.value.rows, p.value.cols};
  if (p.value.rows > 1) return {p.value.cols, p.value.rows};
  if (p.name == "head.bias") return {1, p.value.cols};
  return {p.value.cols};
}

// y [cols, rows] of x [rows, cols].
void transpose(const Real* x, Index rows, Index cols, Real* y) {
  constexpr Index kTile = 32;
  for (Index first = 0; first < rows; first += kTile) {
    for (Index c = 0; c < cols; ++c) {
      for (Index r = first; r < std::min(rows, first + kTile); ++r) y[c * rows + r] = x[r * cols + c];
    }
  }
}

class MarianReader {
 public:
  MarianReader(const Safetensors& tensors, Parameters& parameters)
      : tensors_(tensors), parameters_(parameters) {}

  void read() {
    check();  // before the parameters' memory: config.json may ask for any sizes
    parameters_.allocate(false);
    for (const auto& p : parameters_.all()) fill(*p);
    for (const TensorView& tensor : tensors_.tensors()) check_copy(tensor);
  }

 private:
  // The tensor that a parameter is read from; of a shared table the first that is there.
  std::string name_of(const Parameter& p) const {
    std::vector<std::string> names{marian_name(p.name)};
    if (p.name == "embedding.tokens")
      names.insert(names.end(), {"model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight"});
    const bool is_output = p.name == "embedding.tokens" || p.name == "target_embedding.tokens";
    if (is_output && parameters_.find("head.weight") == nullptr) names.emplace_back("lm_head.weight");
    return name_there(tensors_, names);
  }

  void check() const {
    std::unordered_set<std::string> names;
    for (const auto& p : parameters_.all()) {
      const TensorView& tensor = tensors_.at(*names.insert(name_of(*p)).first);
      const std::vector<std::int64_t> wanted = marian_shape(*p);
      if (tensor.shape == wanted) continue;
      throw Error(tensors_.where() + ": tensor " + quote(tensor.name) + " has shape " +
                  shape_text(tensor.shape) + ", config.json asks for " + shape_text(wanted));
    }
    for (const TensorView& tensor : tensors_.tensors()) {
      if (names.contains(tensor.name) || is_positions(tensor.name) || original_of(tensor.name) != nullptr)
        continue;
      throw Error(tensors_.where() + ": tensor " + quote(tensor.name) +
                  " is no part of the model that config.json describes");
    }
  }

  // Some files hold the positions, which are computed here, and shared tables several times.
  static bool is_positions(std::string_view name) {
    return name == "model.encoder.embed_positions.weight" || name == "model.decoder.embed_positions.weight";
  }
  const Parameter* original_of(std::string_view name) const {
    const bool is_table = name == "lm_head.weight" || name == "model.decoder.embed_tokens.weight" ||
                          name == "model.encoder.embed_tokens.weight";
    if (!is_table) return nullptr;
    const Parameter* const shared = parameters_.find("embedding.tokens");
    return shared != nullptr ? shared : parameters_.find("target_embedding.tokens");
  }

  void fill(Parameter& p) {
    const TensorView& tensor = tensors_.at(name_of(p));
    if (!is_transposed(p)) {
      read_numbers(tensor, std::span<Real>(p.value.data, static_cast<std::size_t>(p.size())));
    } else {
      values_.resize(static_cast<std::size_t>(p.size()));
      read_numbers(tensor, std::span<Real>(values_));
      transpose(values_.data(), p.value.cols, p.value.rows, p.value.data);
    }
    const Index at = kernels::find_not_finite(p.size(), p.value.data);
    if (at < 0) return;
    throw Error(tensors_.where() + ": tensor " + quote(tensor.name) +
                ": a number is not finite (take another file)");
  }

  // What a file says twice must be the same.
  void check_copy(const TensorView& tensor) {
    const bool is_own = std::any_of(parameters_.all().begin(), parameters_.all().end(),
                                    [&](const auto& p) { return name_of(*p) == tensor.name; });
    if (is_own) return;
    values_.resize(static_cast<std::size_t>(tensor.elements()));
    read_numbers(tensor, std::span<Real>(values_));
    if (const Parameter* const original = original_of(tensor.name); original != nullptr) {
      const std::span<const Real> numbers(original->value.data, static_cast<std::size_t>(original->size()));
      if (std::ranges::equal(values_, numbers)) return;
      throw Error(tensors_.where() + ": tensor " + quote(tensor.name) + " differs from " +
                  quote(name_of(*original)) + ", which config.json says it is");
    }
    const Index width = parameters_.find("decoder.0.self_attention_norm.gamma")->value.cols;
    const std::vector<Real> sinusoids =
        sinusoidal_positions(static_cast<Index>(values_.size()) / width, width, true);
    constexpr double kHalfPrecision = 1e-3;
    const bool is_near = std::ranges::equal(values_, sinusoids, [](Real a, Real b) {
      return std::abs(static_cast<double>(a) - static_cast<double>(b)) <= kHalfPrecision;
    });
    if (!is_near)
      throw Error(tensors_.where() + ": tensor " + quote(tensor.name) + " does not hold Marian's sinusoids");
  }

  const Safetensors& tensors_;
  Parameters& parameters_;
  std::vector<Real> values_;
};

}  // namespace

void read_marian_parameters(const Safetensors& tensors, Parameters& parameters) {
  MarianReader(tensors, parameters).read();
}

void write_marian_parameters(const Parameters& parameters, const ByteSink& sink) {
  std::vector<std::vector<float>> values;
  std::vector<TensorView> tensors;
  for (const auto& p : parameters.all()) {
    std::vector<float>& to = values.emplace_back(p->value.data, p->value.data + p->size());
    if (is_transposed(*p)) {
      for (Index r = 0; r < p->value.rows; ++r) {
        for (Index c = 0; c < p->value.cols; ++c)
          to[static_cast<std::size_t>(c * p->value.rows + r)] = static_cast<float>(p->value.row(r)[c]);
      }
    }
    tensors.push_back(float_tensor(marian_name(p->name), marian_shape(*p), to.data()));
  }
  write_safetensors(std::move(tensors), {}, sink);
}

}  // namespace headwater
