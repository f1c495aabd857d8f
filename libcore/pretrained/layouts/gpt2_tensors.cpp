// Names and shapes of the tensors in GPT-2's layout. Weights are [in, out] there as here; one tensor holds
// queries, keys and values side by side.
#include <algorithm>
#include <map>
#include <span>
#include <unordered_set>

#include "pretrained/layouts/foreign_tensors.hpp"
#include "pretrained/layouts/gpt2.hpp"
#include "pretrained/model_directory.hpp"
#include "support/error.hpp"
#include "tensor/kernels/reduction/reduction.hpp"

namespace headwater {

namespace {

constexpr std::string_view kGpt2Prefix = "transformer.", kGpt2Head = "lm_head.weight";

// Where a parameter stands: of the columns of a tensor the part `part` of `parts` equal ones.
struct Gpt2Place {
  std::string_view ours, theirs;
  Index part = 0, parts = 1;
};
constexpr Gpt2Place kGpt2Wholes[] = {{"embedding.tokens", "wte.weight"},
                                     {"embedding.positions", "wpe.weight"},
                                     {"decoder.norm.gamma", "ln_f.weight"},
                                     {"decoder.norm.beta", "ln_f.bias"}};
// After "decoder.3." and "h.3.".
constexpr Gpt2Place kGpt2Layers[] = {{"self_attention.query.weight", "attn.c_attn.weight", 0, 3},
                                     {"self_attention.key.weight", "attn.c_attn.weight", 1, 3},
                                     {"self_attention.value.weight", "attn.c_attn.weight", 2, 3},
                                     {"self_attention.query.bias", "attn.c_attn.bias", 0, 3},
                                     {"self_attention.key.bias", "attn.c_attn.bias", 1, 3},
                                     {"self_attention.value.bias", "attn.c_attn.bias", 2, 3},
                                     {"self_attention.output.weight", "attn.c_proj.weight"},
                                     {"self_attention.output.bias", "attn.c_proj.bias"},
                                     {"self_attention_norm.gamma", "ln_1.weight"},
                                     {"self_attention_norm.beta", "ln_1.bias"},
                                     {"feed_forward.inner.weight", "mlp.c_fc.weight"},
                                     {"feed_forward.inner.bias", "mlp.c_fc.bias"},
                                     {"feed_forward.outer.weight", "mlp.c_proj.weight"},
                                     {"feed_forward.outer.bias", "mlp.c_proj.bias"},
                                     {"feed_forward_norm.gamma", "ln_2.weight"},
                                     {"feed_forward_norm.beta", "ln_2.bias"}};

struct Gpt2Tensor {
  std::string name;
  Index part, parts;
};

Gpt2Tensor gpt2_tensor(std::string_view prefix, std::string_view ours) {
  std::string name(prefix);
  for (const Gpt2Place& place : kGpt2Wholes) {
    if (place.ours == ours) return {name.append(place.theirs), 0, 1};
  }
  if (ours == "head.weight") return {std::string(kGpt2Head), 0, 1};
  const std::size_t layer = ours.find('.'), after = ours.find('.', layer + 1);
  for (const Gpt2Place& place : kGpt2Layers) {
    if (after == ours.npos || place.ours != ours.substr(after + 1)) continue;
    name.append("h").append(ours.substr(layer, after + 1 - layer)).append(place.theirs);
    return {name, place.part, place.parts};
  }
  throw Error("parameter " + quote(ours) + " has no name in GPT-2's layout");
}

bool is_gpt2_head(const Parameter& p) { return p.name == "head.weight"; }

std::vector<std::int64_t> gpt2_shape(const Parameter& p, Index parts) {
  if (is_gpt2_head(p)) return {p.value.cols, p.value.rows};
  if (p.value.rows == 1 && !p.is_table) return {p.value.cols * parts};
  return {p.value.rows, p.value.cols * parts};
}

class Gpt2Reader {
 public:
  Gpt2Reader(const Safetensors& tensors, Parameters& parameters)
      : tensors_(tensors), parameters_(parameters), prefix_(prefix_there(tensors_, kGpt2Prefix)) {}

  void read() {
    check();  // before the parameters' memory: config.json may ask for any sizes
    parameters_.allocate(false);
    for (const auto& p : parameters_.all()) fill(*p);
    check_head();
  }

 private:
  bool is_tied() const { return parameters_.find("head.weight") == nullptr; }

  Gpt2Tensor place_of(const Parameter& p) const {
    Gpt2Tensor at = gpt2_tensor(prefix_, p.name);
    if (is_tied() && p.name == "embedding.tokens")
      at.name = name_there(tensors_, {at.name, std::string(kGpt2Head)});
    return at;
  }

  void check() const {
    std::unordered_set<std::string> names;
    for (const auto& p : parameters_.all()) {
      const Gpt2Tensor at = place_of(*p);
      const TensorView& tensor = tensors_.at(*names.insert(at.name).first);
      const std::vector<std::int64_t> wanted = gpt2_shape(*p, at.parts);
      if (tensor.shape == wanted) continue;
      throw Error(tensors_.where() + ": tensor " + quote(tensor.name) + " has shape " +
                  shape_text(tensor.shape) + ", config.json asks for " + shape_text(wanted));
    }
    for (const TensorView& tensor : tensors_.tensors()) {
      if (names.contains(tensor.name) || is_mask(tensor.name) || tensor.name == kGpt2Head) continue;
      throw Error(tensors_.where() + ": tensor " + quote(tensor.name) +
                  " is no part of the model that config.json describes");
    }
  }

  // Older files hold what hides later tokens.
  bool is_mask(std::string_view name) const {
    return name.starts_with(std::string(prefix_) + "h.") &&
           (name.ends_with(".attn.bias") || name.ends_with(".attn.masked_bias"));
  }

  std::span<const Real> values_of(const TensorView& tensor) {
    std::size_t size = 1;
    for (const std::int64_t n : tensor.shape) size *= static_cast<std::size_t>(n);
    values_.resize(size);
    read_numbers(tensor, std::span<Real>(values_));
    return values_;
  }

  void fill(Parameter& p) {
    const Gpt2Tensor at = place_of(p);
    const TensorView& tensor = tensors_.at(at.name);
    const Matrix to = p.value;
    if (at.parts == 1 && !is_gpt2_head(p)) {
      read_numbers(tensor, std::span<Real>(to.data, static_cast<std::size_t>(p.size())));
    } else {
      const std::span<const Real> values = values_of(tensor);
      const auto place = [&](Index r, Index c) {
        return static_cast<std::size_t>(is_gpt2_head(p) ? c * to.rows + r
                                                        : (r * at.parts + at.part) * to.cols + c);
      };
      for (Index r = 0; r < to.rows; ++r) {
        for (Index c = 0; c < to.cols; ++c) to.row(r)[c] = values[place(r, c)];
      }
    }
    if (kernels::find_not_finite(p.size(), p.value.data) < 0) return;
    throw Error(tensors_.where() + ": tensor " + quote(tensor.name) +
                ": a number is not finite (take another file)");
  }

  // A tied output layer may be there once more; it must be the same.
  void check_head() {
    const TensorView* const head = tensors_.find(std::string(kGpt2Head));
    if (head == nullptr || !is_tied()) return;
    const Parameter& table = *parameters_.find("embedding.tokens");
    if (place_of(table).name == kGpt2Head) return;
    const std::span<const Real> tokens(table.value.data, static_cast<std::size_t>(table.size()));
    if (!std::ranges::equal(values_of(*head), tokens))
      throw Error(tensors_.where() +
                  ": tensor \"lm_head.weight\" differs from \"wte.weight\", which config.json says "
                  "it is");
  }

  const Safetensors& tensors_;
  Parameters& parameters_;
  std::string_view prefix_;
  std::vector<Real> values_;
};

}  // namespace

void read_gpt2_parameters(const Safetensors& tensors, Parameters& parameters) {
  Gpt2Reader(tensors, parameters).read();
}

void write_gpt2_parameters(const Parameters& parameters, const ByteSink& sink) {
  std::vector<std::vector<float>> values;  // their memory stays where it is
  values.reserve(parameters.all().size());
  std::vector<TensorView> tensors;
  std::map<std::string, float*> begun;
  for (const auto& p : parameters.all()) {
    const Gpt2Tensor at = gpt2_tensor(kGpt2Prefix, p->name);
    float*& to = begun[at.name];
    if (to == nullptr) {
      to = values.emplace_back(static_cast<std::size_t>(p->size() * at.parts)).data();
      tensors.push_back(float_tensor(at.name, gpt2_shape(*p, at.parts), to));
    }
    for (Index r = 0; r < p->value.rows; ++r) {
      for (Index c = 0; c < p->value.cols; ++c) {
        const Index place =
            is_gpt2_head(*p) ? c * p->value.rows + r : (r * at.parts + at.part) * p->value.cols + c;
        to[place] = static_cast<float>(p->value.row(r)[c]);
      }
    }
  }
  write_safetensors(std::move(tensors), {}, sink);
}

}  // namespace headwater
