#include "models/settings.hpp"

#include "support/error.hpp"

namespace headwater {

namespace {

// Tables of positions are computed at once, before anything could contradict these sizes.
void check_table(std::int64_t length, std::int64_t width, const std::string& name, const char* positions) {
  constexpr std::int64_t kMaxValues = std::int64_t{1} << 26;
  if (length * width <= kMaxValues) return;
  throw UsageError("model: length " + std::to_string(length) + " times " + name + " " +
                   std::to_string(width) + " is more than the " + std::to_string(kMaxValues) +
                   " values that " + positions + " positions may have (choose a smaller length)");
}

std::shared_ptr<const RotaryTable> rotary_table(const TransformerSettings& settings,
                                                std::int64_t head_width) {
  if (settings.positions != Positions::rotary) return nullptr;
  if (head_width % 2 != 0)
    throw UsageError("model: rotary positions need an even head_width, not " + std::to_string(head_width));
  check_table(settings.length, head_width, "head_width", "rotary");
  return std::make_shared<RotaryTable>(settings.length, head_width);
}

}  // namespace

ClassHeadSettings with_classes(ClassHeadSettings settings, std::int64_t labels) {
  if (settings.classes == 0) settings.classes = labels;
  if (settings.head == HeadType::auto_)
    settings.head = settings.classes == 2 ? HeadType::sigmoid : HeadType::softmax;
  return settings;
}

std::int64_t head_width_of(const TransformerSettings& settings) {
  if (settings.head_width > 0) return settings.head_width;
  return settings.heads > 0 && settings.width % settings.heads == 0 ? settings.width / settings.heads : 0;
}

std::int64_t feed_forward_width_of(const TransformerSettings& settings) {
  return settings.feed_forward_width > 0 ? settings.feed_forward_width : 4 * settings.width;
}

void set_initialization(Parameters& parameters, Initialization initialization) {
  for (const auto& p : parameters.all()) {
    const bool is_table = p->initializer == Initializer::embedding_uniform;  // or a class token, a row alone
    if (initialization == Initialization::vaswani && is_table) p->initializer = Initializer::normal_by_width;
    const bool is_weight =
        p->initializer == Initializer::glorot_uniform || p->initializer == Initializer::orthogonal;
    if (initialization == Initialization::normal && (is_table || is_weight))
      p->initializer = Initializer::normal;
    if (initialization != Initialization::glorot_normal) continue;
    if (is_table) p->initializer = p->is_table ? Initializer::standard_normal : Initializer::zeros;
    if (p->initializer == Initializer::glorot_uniform) p->initializer = Initializer::glorot_normal;
  }
}

AttentionLayerSettings attention_settings(const TransformerSettings& settings) {
  const std::int64_t head_width = head_width_of(settings);
  if (head_width == 0) {
    throw UsageError("model: width " + std::to_string(settings.width) + " is not a multiple of heads " +
                     std::to_string(settings.heads) + " (choose head_width)");
  }
  return {.width = settings.width,
          .heads = settings.heads,
          .head_width = head_width,
          .dropout = settings.attention_dropout,
          .window = settings.attention_window,
          .rotary = rotary_table(settings, head_width),
          .has_dense_fans = settings.initialization == Initialization::glorot_uniform};
}

BlockSettings block_settings(const TransformerSettings& settings, const MixingSettings& mixing) {
  BlockSettings block;
  static_cast<SubLayerSettings&>(block) = settings;
  block.attention =
      mixing.has_attention() ? attention_settings(settings) : AttentionLayerSettings{.width = settings.width};
  block.activation = settings.activation;
  block.mixing = mixing;
  block.length = settings.length;
  block.feed_forward_width = feed_forward_width_of(settings);
  if (mixing.mixing_width == 0) block.mixing.mixing_width = block.feed_forward_width;
  block.dropout = settings.dropout;
  return block;
}

BlockSettings causal_block_settings(const TransformerSettings& settings, const MixingSettings& mixing) {
  BlockSettings block = block_settings(settings, mixing);
  block.causality = Causality::causal;
  return block;
}

BlockSettings decoder_block_settings(const TransformerSettings& settings, const MixingSettings& mixing) {
  BlockSettings block = causal_block_settings(settings, mixing);
  block.attention = attention_settings(settings);
  block.has_cross_attention = true;
  return block;
}

EmbeddingSettings embedding_settings(const TransformerSettings& settings, Index vocabulary_size) {
  if (is_sinusoidal(settings.positions)) check_table(settings.length, settings.width, "width", "sinusoidal");
  return {.vocabulary_size = vocabulary_size,
          .width = settings.width,
          .length = settings.length,
          .positions = settings.positions,
          .is_scaled = settings.scale_embedding};
}

}  // namespace headwater
