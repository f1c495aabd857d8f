// Names and shapes of the tensors in ViT's layout. A weight is [out, in] there, that of the patches the one
// of a convolution, [out, channels, rows, columns].
#include <algorithm>
#include <unordered_set>

#include "pretrained/layouts/foreign_tensors.hpp"
#include "pretrained/layouts/vit.hpp"
#include "pretrained/model_directory.hpp"
#include "support/error.hpp"
#include "tensor/kernels/reduction/reduction.hpp"

namespace headwater {

namespace {

constexpr std::string_view kVitPrefix = "vit.", kPatchWeight = "embedding.patch.weight",
                           kClassToken = "embedding.class_token";
constexpr NamePair kVitHead[] = {{"head.weight", "classifier.weight"}, {"head.bias", "classifier.bias"}};
constexpr NamePair kVitWholes[] = {{kClassToken, "embeddings.cls_token"},
                                   {"embedding.positions", "embeddings.position_embeddings"},
                                   {kPatchWeight, "embeddings.patch_embeddings.projection.weight"},
                                   {"embedding.patch.bias", "embeddings.patch_embeddings.projection.bias"},
                                   {"encoder.norm.gamma", "layernorm.weight"},
                                   {"encoder.norm.beta", "layernorm.bias"}};
constexpr NamePair kVitLayers[] = {{"self_attention.query", "attention.attention.query"},
                                   {"self_attention.key", "attention.attention.key"},
                                   {"self_attention.value", "attention.attention.value"},
                                   {"self_attention.output", "attention.output.dense"},
                                   {"self_attention_norm", "layernorm_before"},
                                   {"feed_forward.inner", "intermediate.dense"},
                                   {"feed_forward.outer", "output.dense"},
                                   {"feed_forward_norm", "layernorm_after"}};

std::string vit_name(std::string_view prefix, const std::string& ours) {
  if (const std::string_view head = translated(kVitHead, ours); !head.empty()) return std::string(head);
  constexpr std::string_view kStack = "encoder.";
  std::string name(prefix);
  if (const std::string_view whole = translated(kVitWholes, ours); !whole.empty()) return name.append(whole);
  const std::string layer = ours.starts_with(kStack)
                                ? translated_layer(kVitLayers, std::string_view(ours).substr(kStack.size()))
                                : "";
  if (layer.empty()) throw Error("parameter " + quote(ours) + " has no name in ViT's layout");
  return name.append("encoder.layer.").append(layer);
}

std::vector<std::int64_t> vit_shape(const Parameter& p, const PatchGrid& grid) {
  if (p.name == kPatchWeight) return {p.value.cols, grid.channels, grid.patch_size, grid.patch_size};
  if (p.name == kClassToken) return {1, 1, p.value.cols};
  if (p.is_table) return {1, p.value.rows, p.value.cols};
  if (p.name.ends_with(".weight")) return {p.value.cols, p.value.rows};
  return {p.value.cols};
}

// Calls take(here, there) with the places of each number in the two arrays; there the rows lie so far apart
// that a few at a time stay in the caches.
template <class Take>
void for_each_place(const Parameter& p, const PatchGrid& grid, const Take& take) {
  const Index rows = p.value.rows, cols = p.value.cols;
  if (p.is_table || rows == 1) {
    for (Index i = 0; i < rows * cols; ++i) take(i, i);
    return;
  }
  // Row (y · P + x) · C + c here is number (c · P + y) · P + x of a filter there.
  const Index pixels = grid.patch_size * grid.patch_size;
  const auto column = [&](Index row) {
    return p.name == kPatchWeight ? row % grid.channels * pixels + row / grid.channels : row;
  };
  constexpr Index kTile = 32;
  for (Index first = 0; first < rows; first += kTile) {
    for (Index c = 0; c < cols; ++c) {
      for (Index r = first; r < std::min(rows, first + kTile); ++r) take(r * cols + c, c * rows + column(r));
    }
  }
}

class VitReader {
 public:
  VitReader(const Safetensors& tensors, VisionModel& model)
      : tensors_(tensors),
        model_(model),
        grid_(model.settings().grid()),
        prefix_(prefix_there(tensors_, kVitPrefix)) {}

  void read() {
    check();  // before the parameters' memory: config.json may ask for any sizes
    model_.parameters().allocate(false);
    for (const auto& p : model_.parameters().all()) fill(*p);
  }

 private:
  void check() const {
    std::unordered_set<std::string> names;
    for (const auto& p : model_.parameters().all()) {
      const TensorView& tensor = tensors_.at(*names.insert(vit_name(prefix_, p->name)).first);
      const std::vector<std::int64_t> wanted = vit_shape(*p, grid_);
      if (tensor.shape == wanted) continue;
      throw Error(tensors_.where() + ": tensor " + quote(tensor.name) + " has shape " +
                  shape_text(tensor.shape) + ", config.json asks for " + shape_text(wanted));
    }
    for (const TensorView& tensor : tensors_.tensors()) {
      if (names.contains(tensor.name) || is_passed_over(tensor.name)) continue;
      throw Error(tensors_.where() + ": tensor " + quote(tensor.name) +
                  " is no part of the model that config.json describes");
    }
  }

  // Some files hold a layer that the labels are not computed by.
  bool is_passed_over(std::string_view name) const {
    return name.starts_with(prefix_) && name.substr(prefix_.size()).starts_with("pooler.dense.");
  }

  void fill(Parameter& p) {
    const TensorView& tensor = tensors_.at(vit_name(prefix_, p.name));
    values_.resize(static_cast<std::size_t>(p.size()));
    read_numbers(tensor, std::span<Real>(values_));
    for_each_place(p, grid_, [&](Index here, Index there) {
      p.value.data[here] = values_[static_cast<std::size_t>(there)];
    });
    if (kernels::find_not_finite(p.size(), p.value.data) < 0) return;
    throw Error(tensors_.where() + ": tensor " + quote(tensor.name) +
                ": a number is not finite (take another file)");
  }

  const Safetensors& tensors_;
  VisionModel& model_;
  PatchGrid grid_;
  std::string_view prefix_;
  std::vector<Real> values_;
};

}  // namespace

void read_vit_parameters(const Safetensors& tensors, VisionModel& model) { VitReader(tensors, model).read(); }

void write_vit_parameters(const VisionModel& model, const ByteSink& sink) {
  const PatchGrid grid = model.settings().grid();
  std::vector<std::vector<float>> values;
  std::vector<TensorView> tensors;
  for (const auto& p : model.parameters().all()) {
    std::vector<float>& to = values.emplace_back(static_cast<std::size_t>(p->size()));
    for_each_place(*p, grid, [&](Index here, Index there) {
      to[static_cast<std::size_t>(there)] = static_cast<float>(p->value.data[here]);
    });
    tensors.push_back(float_tensor(vit_name(kVitPrefix, p->name), vit_shape(*p, grid), to.data()));
  }
  write_safetensors(std::move(tensors), {}, sink);
}

}  // namespace headwater
