#include "families/vision/model.hpp"

#include <numeric>

#include "layers/transformer_stack.hpp"
#include "support/error.hpp"

namespace headwater {

void EqualSequences::assign(const BatchPart& part, Index length) {
  const Index sequences = part.end() - part.begin();
  first_token = part.begin() * length;
  offsets.resize(static_cast<std::size_t>(sequences) + 1);
  position_of.resize(sequences * length);
  for (Index s = 0; s <= sequences; ++s) offsets[s] = s * length;
  for (Index s = 0; s < sequences; ++s) {
    const auto begin = position_of.begin() + s * length;
    std::iota(begin, begin + length, 0);
  }
  plan.assign(offsets, part);
}

void ImageBatch::clear() {
  pixels.clear();
  labels.clear();
}

void ImageBatch::add(std::span<const Real> values, const PatchGrid& grid) {
  const Index size = grid.patch_size, row = grid.width * grid.channels, patch_row = size * grid.channels;
  for (Index y = 0; y + size <= grid.height; y += size) {
    for (Index x = 0; x + size <= grid.width; x += size) {
      for (Index line = y; line < y + size; ++line) {
        const auto begin = values.begin() + line * row + x * grid.channels;
        pixels.insert(pixels.end(), begin, begin + patch_row);
      }
    }
  }
}

void ImageBatch::finish(const PatchGrid& grid, bool has_class_token, const BatchPart& part) {
  patches.assign(part, grid.patches());
  tokens.assign(part, grid.patches() + (has_class_token ? 1 : 0));
  rows.assign(part);
}

void ImageBatch::finish(const PatchGrid& grid, bool has_class_token) {
  const Index values = grid.patches() * grid.patch_values();
  finish(grid, has_class_token, BatchPart::whole(static_cast<Index>(pixels.size()) / values));
}

namespace {

BlockSettings vision_block_settings(const VisionSettings& settings) {
  BlockSettings block = block_settings(settings.transformer, settings.mixing);
  block.length = settings.grid().patches() + (settings.has_class_token() ? 1 : 0);
  block.columns = settings.grid().columns();
  block.has_final_norm = settings.final_norm;
  block.has_second_activation = settings.has_second_activation;
  block.feed_forward_dropout = settings.feed_forward_dropout;
  return block;
}

// A table that each image reads whole.
Parameter* declare_table(Parameters& parameters, const std::string& name, Index rows, Index width) {
  Parameter* const table =
      parameters.declare(name, {rows, width}, rows, width, Initializer::embedding_uniform);
  table->is_table = true;
  return table;
}

VisionSettings checked(VisionSettings settings) {
  if (settings.classes == 0) settings.classes = 10;  // before any image is seen
  if (is_sinusoidal(settings.transformer.positions))
    throw UsageError("model: positions of patches are learned, or there are none (not sinusoidal)");
  if (settings.patch_size > 0 && settings.grid().patches() > 0) return settings;
  throw UsageError("model: patch_size " + std::to_string(settings.patch_size) + ", images of " +
                   std::to_string(settings.image_height) + "x" + std::to_string(settings.image_width) +
                   " pixels: there is no patch");
}

// Glorot's outputs of the map of patches: those of a dense layer; with glorot_normal, which is of an example
// that has a strided convolution there, of its kernel: each place of a patch counts.
double fan_out_of_patches(const VisionSettings& settings) {
  const bool is_convolution = settings.transformer.initialization == Initialization::glorot_normal;
  const std::int64_t places = is_convolution ? settings.patch_size * settings.patch_size : 1;
  return static_cast<double>(places * settings.transformer.width);
}

Linear patch_map(LayerBuilder& builder, const VisionSettings& settings) {
  const Index values = settings.grid().patch_values(), width = settings.transformer.width;
  return Linear(builder, "embedding.patch", {values, width}, {width}, values, width,
                static_cast<double>(values), fan_out_of_patches(settings));
}

}  // namespace

VisionModel::VisionModel(const VisionSettings& settings)
    : settings_(checked(settings)),
      builder_{parameters_},
      to_patch_(patch_map(builder_, settings)),
      class_token_(settings.has_class_token()
                       ? parameters_.declare("embedding.class_token", {settings.transformer.width}, 1,
                                             settings.transformer.width, Initializer::embedding_uniform)
                       : nullptr),
      positions_(
          settings.transformer.positions == Positions::learned
              ? declare_table(parameters_, "embedding.positions", positions(), settings.transformer.width)
              : nullptr),
      encoder_(builder_, "encoder", vision_block_settings(settings), settings.layers),
      pooled_dropout_("pooled", settings.head_dropout),
      hidden_(dense_layers()),
      head_(builder_, "head", settings.head_widths.empty() ? pooled_width() : settings.head_widths.back(),
            settings_.classes) {
  set_initialization(parameters_, settings.transformer.initialization);
}

std::vector<VisionModel::DenseLayer> VisionModel::dense_layers() {
  std::vector<DenseLayer> layers;
  Index inputs = pooled_width();
  for (const Index outputs : settings_.head_widths) {
    const std::string name = "hidden." + std::to_string(layers.size());
    layers.push_back({Linear(builder_, name, inputs, outputs, ops::Activation::gelu),
                      Dropout(name, settings_.head_dropout)});
    inputs = outputs;
  }
  return layers;
}

Variable VisionModel::embed(const ForwardContext& context, const ImageBatch& batch) const {
  Tape& tape = context.tape;
  const PatchGrid grid = settings_.grid();
  // Nothing writes to an input: the tape gives it no gradient.
  const Matrix pixels(const_cast<Real*>(batch.pixels.data()),
                      static_cast<Index>(batch.patches.position_of.size()), grid.patch_values());
  Variable x = to_patch_(context, tape.wrap(pixels, &pack(tape, batch.patches), false));  // [patches, D]
  const bool begins_with_patches = class_token_ != nullptr && !settings_.class_token_position;
  const auto add_positions = [&](const EqualSequences& at) {
    if (positions_ != nullptr) x = ops::add_positions(tape, x, at.position_of, *positions_);
  };
  if (begins_with_patches) add_positions(batch.patches);
  if (class_token_ != nullptr) x = ops::prepend_token(tape, x, pack(tape, batch.tokens), *class_token_);
  if (!begins_with_patches) add_positions(batch.tokens);
  return x;
}

// [tokens, D] -> [images, D] of the class tokens or of the means, or [images, patches·D]. The norm is needed
// of what is read only.
Variable VisionModel::pool(const ForwardContext& context, const Variable& x, const ImageBatch& batch) const {
  const Packing& images = pack(context.tape, batch.rows);
  if (settings_.pooling == ImagePooling::mean)
    return ops::pool(context.tape, encoder_.norm(context, x), ops::Pooling::mean, images);
  if (class_token_ == nullptr) return ops::flatten(context.tape, encoder_.norm(context, x), images);
  return encoder_.norm(context, ops::pool(context.tape, x, ops::Pooling::first, images));
}

Variable VisionModel::features(const ForwardContext& context, const ImageBatch& batch,
                               std::vector<AttentionTrace>* traces) const {
  const Variable encoded = encoder_.run_blocks(context, embed(context, batch), {}, traces);
  Variable x = pooled_dropout_(context, pool(context, encoded, batch));
  for (const DenseLayer& layer : hidden_) x = layer.dropout(context, layer.linear(context, x));
  return x;
}

kernels::CrossEntropyTotals VisionModel::loss(const ForwardContext& context, const ImageBatch& batch,
                                              double label_smoothing, double loss_scale,
                                              std::span<const Real> class_weights) const {
  return loss(context, features(context, batch), batch.labels, label_smoothing, loss_scale, class_weights);
}

kernels::CrossEntropyTotals VisionModel::loss(const ForwardContext& context, const Variable& features,
                                              std::span<const std::int32_t> labels, double label_smoothing,
                                              double loss_scale, std::span<const Real> class_weights) const {
  return ops::linear_cross_entropy(context.tape, features, head_.weight(), head_.bias(), labels,
                                   static_cast<Real>(label_smoothing), static_cast<Real>(loss_scale),
                                   class_weights);
}

Matrix VisionModel::probabilities(const ForwardContext& context, const ImageBatch& batch) const {
  return probabilities(context, features(context, batch));
}

Matrix VisionModel::probabilities(const ForwardContext& context, const Variable& features) const {
  const Matrix logits = this->logits(context, features).value();
  const Matrix result = context.tape.arena().matrix(logits.rows, logits.cols);
  kernels::softmax(logits, result);
  return result;
}

std::vector<LayerSummary> VisionModel::summary() const {
  const PatchGrid grid = settings_.grid();
  const std::string shape =
      "[" + std::to_string(tokens()) + ", " + std::to_string(settings_.transformer.width) + "]";
  const auto linear_flops = [](Index rows, Index inputs, Index outputs) {
    return 2 * static_cast<double>(rows) * static_cast<double>(inputs) * static_cast<double>(outputs);
  };
  std::vector<LayerSummary> rows;
  rows.push_back(layer_summary(parameters_, "embedding", shape,
                               linear_flops(grid.patches(), grid.patch_values(), settings_.transformer.width),
                               grid.patches()));
  encoder_.summarize(parameters_, shape, tokens(), rows);
  Index inputs = pooled_width();
  rows.push_back({"pooling", "[" + std::to_string(inputs) + "]", 0, 0});
  const auto add_dense = [&](const std::string& name, Index outputs) {
    rows.push_back(layer_summary(parameters_, name, "[" + std::to_string(outputs) + "]",
                                 linear_flops(1, inputs, outputs), 1));
    inputs = outputs;
  };
  for (std::size_t i = 0; i < hidden_.size(); ++i)
    add_dense("hidden." + std::to_string(i), settings_.head_widths[i]);
  add_dense("head", settings_.classes);
  return rows;
}

}  // namespace headwater
